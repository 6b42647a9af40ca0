#include "rtcg/compile/assembly.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtcg/compile/includes.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

/// To be raised when the meaning of an entry changes though none of its parts does.
constexpr const char* manifest_version = "1";

std::vector<std::string> options_for(const PreludeTarget& target, const Source& source, std::string_view text) {
  std::vector<std::string> options;
  const bool is_cuda = target.backend == Backend::cuda;
  // Without texture support NVRTC compiles a small kernel in two thirds of the time.
  if (is_cuda && source.dialect() == Dialect::portable && !needs_cuda_textures(text)) options.emplace_back("-minimal");
  // CUDA 13 calls even its new names of these vectors deprecated, without a place in the text.
  if (is_cuda && source.dialect() != Dialect::raw &&
      (text.find("double4") != text.npos || text.find("long4") != text.npos))
    options.emplace_back("-diag-suppress=1444");
  if (source.is_fast_math()) options.emplace_back(is_cuda ? "--use_fast_math" : "-cl-fast-relaxed-math");
  options.insert(options.end(), source.options().begin(), source.options().end());
  return options;
}

/// Can the name of the text get into the binary?
bool keeps_name(std::string_view text, const std::vector<std::string>& options) {
  if (text.find("__FILE__") != std::string_view::npos || text.find("assert") != std::string_view::npos) return true;
  return std::any_of(options.begin(), options.end(), [](std::string_view option) {
    return option.starts_with("-g") || option.starts_with("-G") || option.starts_with("--device-debug") ||
           option.find("lineinfo") != std::string_view::npos || option.find("line-info") != std::string_view::npos;
  });
}

}  // namespace

Assembly assemble(const PreludeTarget& target, std::string_view identity, const Source& source) {
  if (source.dialect() == Dialect::cuda && target.backend != Backend::cuda)
    throw UsageError(fmt::format("{}: a CUDA text cannot be compiled for OpenCL", source.name()));
  if (source.dialect() == Dialect::opencl && target.backend != Backend::opencl)
    throw UsageError(fmt::format("{}: an OpenCL text cannot be compiled for CUDA", source.name()));
  Assembly result;
  IncludedText included = resolve_includes(source);
  const Prelude& words = prelude(target, source.dialect(), included.text);
  CompileRequest& request = result.request;
  request.name = std::filesystem::path(source.name()).filename().string();
  request.options = options_for(target, source, included.text);
  request.text = words.text;
  // In the text rather than on a command line, so that no value needs quoting.
  for (const auto& [name, value] : source.defines()) request.text += fmt::format("#define {} {}\n", name, value);
  request.text += included.text;

  Manifest& manifest = result.manifest;
  manifest.add("format", manifest_version);
  manifest.add("back end", target.backend == Backend::cuda ? "CUDA" : "OpenCL");
  manifest.add("compiler", std::string(identity));
  manifest.add("prelude", words.digest);
  for (const std::string& option : request.options) manifest.add("option", option);
  for (const auto& [name, value] : source.defines()) manifest.add("define " + name, value);
  manifest.add("text", source.text());
  for (std::size_t i = 1; i < included.files.size(); ++i)
    manifest.add("header " + std::filesystem::path(included.files[i].name).filename().string(),
                 digest(included.files[i].text));
  for (const std::string& name : included.missing) manifest.add("header left to the compiler", name);
  manifest.add("text with headers", digest(included.anonymous));
  if (keeps_name(included.text, request.options))
    manifest.add("name", included.files.size() > 1 ? digest(included.text) : source.name());
  result.included = std::move(included.text);
  return result;
}

}  // namespace rtcg
