#include "rtcg/device/cuda/nvrtc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nvrtc.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "rtcg/device/cuda/library.h"
#include "rtcg/error.h"

namespace rtcg::cuda {

namespace {

namespace fs = std::filesystem;

// clang-format off
#define RTCG_NVRTC_FUNCTIONS(apply)                                                                             \
  apply(nvrtcGetErrorString) apply(nvrtcVersion) apply(nvrtcGetNumSupportedArchs) apply(nvrtcGetSupportedArchs) \
  apply(nvrtcCreateProgram) apply(nvrtcDestroyProgram) apply(nvrtcCompileProgram) apply(nvrtcGetPTXSize)        \
  apply(nvrtcGetPTX) apply(nvrtcGetCUBINSize) apply(nvrtcGetCUBIN) apply(nvrtcGetProgramLogSize)                \
  apply(nvrtcGetProgramLog)
// clang-format on

struct Nvrtc {
#define RTCG_DECLARE(name) decltype(&::name) name = nullptr;
  RTCG_NVRTC_FUNCTIONS(RTCG_DECLARE)
#undef RTCG_DECLARE
  int major = 0;
  std::string version;
  std::vector<std::string> architectures;
  std::vector<std::string> toolkit_options;  ///< where <cuda_fp16.h> and the like are

  Nvrtc() {
    const SharedLibrary library(nvrtc_library_names());
#define RTCG_LOAD(name) name = reinterpret_cast<decltype(name)>(library.symbol(#name));
    RTCG_NVRTC_FUNCTIONS(RTCG_LOAD)
#undef RTCG_LOAD
    int minor = 0, count = 0;
    check(nvrtcVersion(&major, &minor), "nvrtcVersion");
    std::error_code ignored;
    const auto size = fs::file_size(library.path(), ignored);
    const auto changed = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::file_clock::to_sys(fs::last_write_time(library.path(), ignored)).time_since_epoch());
    version = fmt::format("NVRTC {}.{}, {} bytes of {}", major, minor, size, changed.count());

    check(nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
    std::vector<int> numbers(static_cast<std::size_t>(count));
    check(nvrtcGetSupportedArchs(numbers.data()), "nvrtcGetSupportedArchs");
    std::sort(numbers.begin(), numbers.end());
    for (const int number : numbers) architectures.push_back(fmt::format("sm_{}", number));

    for (fs::path directory = fs::path(library.path()).parent_path(); directory.has_relative_path();
         directory = directory.parent_path())
      if (const fs::path include = directory / "include"; fs::exists(include / "cuda_fp16.h", ignored)) {
        for (const fs::path& place : {include, include / "cccl"})
          if (fs::exists(place, ignored)) toolkit_options.push_back("--include-path=" + place.string());
        break;
      }
  }

  void check(nvrtcResult result, const char* call) const {
    if (result != NVRTC_SUCCESS)
      throw DeviceError(fmt::format("{} failed: {} ({})", call, nvrtcGetErrorString(result), static_cast<int>(result)));
  }
};

/// Never destroyed: other threads may still compile while the process ends.
const Nvrtc& nvrtc() {
  static const auto* const instance = new Nvrtc;
  return *instance;
}

class Program {
 public:
  explicit Program(const Nvrtc& api, const CompileRequest& request) : api_(api) {
    api_.check(api_.nvrtcCreateProgram(&program_, request.text.c_str(), request.name.c_str(), 0, nullptr, nullptr),
               "nvrtcCreateProgram");
  }
  ~Program() { api_.nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  nvrtcProgram get() const { return program_; }

  std::string log() const {
    std::size_t size = 0;
    api_.check(api_.nvrtcGetProgramLogSize(program_, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    if (size > 0) api_.check(api_.nvrtcGetProgramLog(program_, text.data()), "nvrtcGetProgramLog");
    text.resize(text.find_last_not_of(std::string_view("\0\n ", 3)) + 1);
    return text;
  }

 private:
  const Nvrtc& api_;
  nvrtcProgram program_ = nullptr;
};

int number_of(std::string_view architecture) {
  const std::size_t start = architecture.find('_');
  int number = -1;
  if (start != std::string_view::npos)
    std::from_chars(architecture.data() + start + 1, architecture.data() + architecture.size(), number);
  return number;
}

}  // namespace

CompileOutput compile(const CompileRequest& request, std::string_view architecture) {
  const Nvrtc& api = nvrtc();
  const bool is_ptx = architecture.starts_with("compute_");
  const std::string real = fmt::format("sm_{}", number_of(architecture));
  if (!(is_ptx || architecture.starts_with("sm_")) ||
      std::find(api.architectures.begin(), api.architectures.end(), real) == api.architectures.end())
    throw DeviceError(fmt::format("{} cannot compile for '{}'; it knows {}", api.version, architecture,
                                  fmt::join(api.architectures, ", ")));

  std::vector<std::string> options{fmt::format("--gpu-architecture={}", architecture), "--std=c++17",
                                   "-default-device"};
  if (api.major >= 13) options.push_back("--no-source-include");  // whether every NVRTC 12 knows it is unverified
  options.insert(options.end(), request.options.begin(), request.options.end());
  options.insert(options.end(), api.toolkit_options.begin(), api.toolkit_options.end());
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());

  const Program program(api, request);
  const nvrtcResult result = api.nvrtcCompileProgram(program.get(), static_cast<int>(words.size()), words.data());
  CompileOutput output;
  output.log = program.log();
  if (result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_INVALID_OPTION)
    throw BuildFailure{output.log.empty() ? std::string(api.nvrtcGetErrorString(result)) : output.log};
  api.check(result, "nvrtcCompileProgram");

  std::size_t size = 0;
  api.check(is_ptx ? api.nvrtcGetPTXSize(program.get(), &size) : api.nvrtcGetCUBINSize(program.get(), &size),
            "nvrtcGetCUBINSize");
  output.binary.resize(size);
  char* target = reinterpret_cast<char*>(output.binary.data());
  api.check(is_ptx ? api.nvrtcGetPTX(program.get(), target) : api.nvrtcGetCUBIN(program.get(), target),
            "nvrtcGetCUBIN");
  return output;
}

const std::string& version() {
  return nvrtc().version;
}

const std::vector<std::string>& architectures() {
  return nvrtc().architectures;
}

std::string target_for(std::string_view device_architecture, std::span<const std::string> supported) {
  const int wanted = number_of(device_architecture);
  int newest_below = -1;
  for (const std::string& candidate : supported) {
    const int number = number_of(candidate);
    if (number == wanted) return candidate;
    if (number < wanted) newest_below = std::max(newest_below, number);
  }
  if (newest_below < 0)
    throw DeviceError(
        fmt::format("no compiler for {}: this NVRTC makes code for {} and newer; an older CUDA toolkit knows it",
                    device_architecture, supported.empty() ? "nothing" : supported.front()));
  return fmt::format("compute_{}", newest_below);
}

}  // namespace rtcg::cuda
