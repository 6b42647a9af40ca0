#include "rtcg/compile/prelude.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <tuple>

#include "rtcg/compile/manifest.h"
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

std::string write_prelude(const PreludeTarget& target, Dialect dialect, bool textures) {
  if (dialect == Dialect::raw) return {};
  std::string result = fmt::format("#line 1 \"{}\"\n", prelude_name);
  if (target.kind == DeviceKind::gpu) result += "#define RTCG_GPU 1\n";
  if (target.kind == DeviceKind::cpu) result += "#define RTCG_CPU 1\n";
  if (target.backend == Backend::cuda) {
    if (dialect == Dialect::cuda) result += "#define RTCG_DIALECT_CUDA 1\n";
    result += kernels::prelude_cuda_cl;
    if (textures) result += kernels::texture_cuda_cl;
  } else {
    result += kernels::prelude_opencl_cl;
  }
  result += complex_words("cfloat", "float");
  if (target.has_double) result += complex_words("cdouble", "double");
  return result;
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

const Prelude& prelude(const PreludeTarget& target, Dialect dialect, std::string_view text) {
  static std::mutex mutex;
  static auto* const written = new std::map<std::tuple<PreludeTarget, Dialect, bool>, Prelude>;
  const bool textures = target.backend == Backend::cuda && (dialect == Dialect::cuda || needs_cuda_textures(text));
  const std::scoped_lock lock(mutex);
  const auto [place, fresh] = written->try_emplace({target, dialect, textures});
  if (fresh) {
    place->second.text = write_prelude(target, dialect, textures);
    place->second.digest = digest(place->second.text);
  }
  return place->second;
}

}  // namespace rtcg
