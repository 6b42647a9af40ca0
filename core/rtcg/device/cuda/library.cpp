#include "rtcg/device/cuda/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <filesystem>

#include "rtcg/environment.h"
#include "rtcg/error.h"

namespace rtcg::cuda {

namespace {

std::string file_of(void* handle) {
  const link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(map->l_name, ignored);
  return ignored ? std::string(map->l_name) : real.string();
}

}  // namespace

SharedLibrary::SharedLibrary(const std::vector<std::string>& names) {
  std::string reason;
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      path_ = file_of(handle_);
      return;
    }
    if (const char* text = dlerror(); text != nullptr && reason.empty()) reason = text;
  }
  throw DeviceError(names.size() == 1
                        ? fmt::format("{} not found ({})", names.front(), reason)
                        : fmt::format("{} not found ({}); tried {}", names.front(), reason, fmt::join(names, ", ")));
}

void* SharedLibrary::find(const char* symbol) const {
  return dlsym(handle_, symbol);
}

void* SharedLibrary::symbol(const char* symbol) const {
  void* address = find(symbol);
  if (address == nullptr)
    throw DeviceError(fmt::format("{} has no {}: not the library it should be, or too old a version", path_, symbol));
  return address;
}

Api::Api(const std::vector<std::string>& names) {
  const SharedLibrary library(names);
  path = library.path();
// Two levels, so that the names are replaced by those of cuda.h's macros before they become text.
#define RTCG_LOAD_EXPANDED(name) name = reinterpret_cast<decltype(name)>(library.symbol(#name));
#define RTCG_FIND_EXPANDED(name) name = reinterpret_cast<decltype(name)>(library.find(#name));
#define RTCG_LOAD(name) RTCG_LOAD_EXPANDED(name)
#define RTCG_FIND(name) RTCG_FIND_EXPANDED(name)
  RTCG_CUDA_FUNCTIONS(RTCG_LOAD)
  RTCG_CUDA_OPTIONAL_FUNCTIONS(RTCG_FIND)
  RTCG_FIND(cuEventElapsedTime)
#undef RTCG_FIND
#undef RTCG_LOAD
#undef RTCG_FIND_EXPANDED
#undef RTCG_LOAD_EXPANDED
  if (cuEventElapsedTime == nullptr)  // drivers before CUDA 12.8 have only the first version
    cuEventElapsedTime = reinterpret_cast<decltype(cuEventElapsedTime)>(library.symbol("cuEventElapsedTime"));
}

std::string Api::describe(CUresult result, std::string_view call) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown error";
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) text = "the driver has no text for it";
  return fmt::format("{} failed: {} ({}): {}", call, name, static_cast<int>(result), text);
}

std::vector<std::string> cuda_library_names() {
  if (!environment().cuda_library.empty()) return {environment().cuda_library};
  return {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
}

std::vector<std::string> nvrtc_library_names() {
  if (!environment().nvrtc_library.empty()) return {environment().nvrtc_library};
  std::vector<std::string> names;
  for (const char* suffix : {".13", ".12", ""})
    for (const char* directory : {"", "/usr/local/cuda/lib64/"})
      names.push_back(fmt::format("{}libnvrtc.so{}", directory, suffix));
  return names;
}

}  // namespace rtcg::cuda
