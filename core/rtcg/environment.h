// The only place that reads the environment. Every variable is read once, at first use.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rtcg {

struct Environment {
  std::string device;                                ///< RTCG_DEVICE
  std::filesystem::path cache_directory;             ///< RTCG_CACHE_DIR, else $XDG_CACHE_HOME/rtcg, else ~/.cache/rtcg
  bool cache_enabled = true;                         ///< RTCG_CACHE=0 turns it off
  std::vector<std::filesystem::path> shared_caches;  ///< RTCG_CACHE_READONLY, colon separated: read-only tiers
  std::size_t cache_limit = std::size_t{1} << 30;    ///< RTCG_CACHE_LIMIT in MiB
  std::filesystem::path lock_directory;              ///< $XDG_RUNTIME_DIR/rtcg, else /tmp/rtcg-UID: local, never on NFS
  std::filesystem::path wisdom_directory;  ///< RTCG_WISDOM_DIR, else $XDG_DATA_HOME/rtcg/wisdom, else ~/.local/share/...
  std::vector<std::filesystem::path> site_wisdom;  ///< RTCG_WISDOM_SITE, colon separated: read-only tiers
  bool wisdom_enabled = true;                      ///< RTCG_WISDOM=0 turns it off: every kernel takes its default
  std::vector<std::string> check_architectures;      ///< RTCG_COMPILE_CHECK: "sm_80,sm_90"; see compile/compiler.h
  std::string cuda_library, nvrtc_library;           ///< RTCG_CUDA_LIBRARY, RTCG_NVRTC_LIBRARY: where to dlopen from
};

const Environment& environment();

}  // namespace rtcg
