#include <fmt/format.h>

#include <set>
#include <span>

#include "rtcg/compile/assembly.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/compile/signature.h"
#include "rtcg/error.h"
#ifdef RTCG_WITH_CUDA
#include "rtcg/device/cuda/nvrtc.h"
#endif

namespace rtcg {

#ifdef RTCG_WITH_CUDA

namespace {

/// Each kernel of a cubin has a section .text.NAME; function calls in it have none.
std::vector<std::string> kernels_of(std::span<const std::byte> cubin) {
  const std::string_view bytes(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  constexpr std::string_view mark(".text.");
  std::set<std::string> names;
  for (std::size_t at = 0; (at = bytes.find(mark, at)) != std::string_view::npos;) {
    at += mark.size();
    const std::size_t end = bytes.find('\0', at);
    if (end != std::string_view::npos && end > at) names.emplace(bytes.substr(at, end - at));
  }
  return {names.begin(), names.end()};
}

}  // namespace

CompileReport check_cuda(const Source& source, const std::string& architecture) {
  const PreludeTarget target{Backend::cuda, DeviceKind::gpu, true};
  const Assembly assembly = assemble(target, fmt::format("{} for {}", cuda::version(), architecture), source);
  bool made = false;
  const CompileCache::Entry entry = CompileCache::standard().find_or_make(
      assembly.manifest,
      [&] {
        try {
          cuda::CompileOutput output = cuda::compile(assembly.request, architecture);
          const std::vector<Signature> signatures = read_signatures(assembly.included, source.defines());
          if (!signatures.empty() && kernels_of(output.binary).empty())
            throw_compile_error(fmt::format("{}:1: error: kernel {} of the text is not in the cubin", source.name(),
                                            signatures[0].kernel),
                                assembly.request, architecture);
          return CompileCache::Entry{std::move(output.binary), std::move(output.log), serialise(signatures)};
        } catch (const BuildFailure& failure) {
          throw_compile_error(failure.log, assembly.request, architecture);
        }
      },
      &made);
  return {entry.binary.size(), kernels_of(entry.binary), entry.log, !made};
}

std::vector<std::string> cuda_architectures() {
  try {
    return cuda::architectures();
  } catch (const DeviceError&) {
    return {};
  }
}

#else

CompileReport check_cuda(const Source& source, const std::string& architecture) {
  throw DeviceError(fmt::format("{} cannot be checked for {}: built without the CUDA toolkit's headers", source.name(),
                                architecture));
}

std::vector<std::string> cuda_architectures() {
  return {};
}

#endif

}  // namespace rtcg
