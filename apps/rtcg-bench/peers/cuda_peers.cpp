#include "apps/rtcg-bench/peers/cuda_peers.h"

#include <dlfcn.h>

#include <filesystem>

namespace rtcg::bench {

const CudaPeers* cuda_peers(const Device& device) {
  if (device.properties().backend != Backend::cuda) return nullptr;
  static const CudaPeers* const peers = []() -> const CudaPeers* {
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
    void* library = dlopen((own.parent_path() / "librtcg_cuda_peers.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto table = library ? reinterpret_cast<const CudaPeers* (*)()>(dlsym(library, "rtcg_cuda_peers")) : nullptr;
    return table ? table() : nullptr;
  }();
  return peers;
}

}  // namespace rtcg::bench
