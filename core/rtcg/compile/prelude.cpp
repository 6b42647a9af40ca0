#include "rtcg/compile/prelude.h"

#include <fmt/format.h>

#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

std::string complex_words(std::string_view complex, std::string_view real) {
  std::string result;
  std::string_view rest = kernels::complex_cl;
  for (std::size_t at; (at = rest.find("${")) != std::string_view::npos;) {
    result += rest.substr(0, at);
    const std::size_t end = rest.find('}', at);
    result += rest.substr(at + 2, end - at - 2) == "complex" ? complex : real;
    rest.remove_prefix(end + 1);
  }
  return result.append(rest);
}

}  // namespace

PreludeTarget PreludeTarget::of(const DeviceProperties& device) {
  return {device.backend, device.kind, device.has_double};
}

bool needs_cuda_textures(std::string_view text) {
  for (const std::string_view word : {"image", "sampler", "SAMPLER", "tex", "surf", "cuda"})
    if (text.find(word) != std::string_view::npos) return true;
  return false;
}

std::string prelude(const PreludeTarget& target, Dialect dialect, std::string_view text) {
  if (dialect == Dialect::raw) return {};
  std::string result = fmt::format("#line 1 \"{}\"\n", prelude_name);
  if (target.kind == DeviceKind::gpu) result += "#define RTCG_GPU 1\n";
  if (target.kind == DeviceKind::cpu) result += "#define RTCG_CPU 1\n";
  if (target.backend == Backend::cuda) {
    if (dialect == Dialect::cuda) result += "#define RTCG_DIALECT_CUDA 1\n";
    result += kernels::prelude_cuda_cl;
    if (dialect == Dialect::cuda || needs_cuda_textures(text)) result += kernels::texture_cuda_cl;
  } else {
    result += kernels::prelude_opencl_cl;
  }
  result += complex_words("cfloat", "float");
  if (target.has_double) result += complex_words("cdouble", "double");
  return result;
}

}  // namespace rtcg
