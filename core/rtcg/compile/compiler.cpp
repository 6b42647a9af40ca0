#include "rtcg/compile/compiler.h"

#include <fmt/format.h>

#include <chrono>

#include "rtcg/compile/module_state.h"
#include "rtcg/compile/prelude.h"
#include "rtcg/compile/signature.h"

namespace rtcg {

namespace {

CompileRequest request_for(const PreludeTarget& target, const Source& source) {
  CompileRequest request;
  request.name = source.name();
  request.text = prelude(target, source.dialect(), source.text());
  for (const auto& [name, value] : source.defines()) request.text += fmt::format("#define {} {}\n", name, value);
  request.text += fmt::format("#line 1 \"{}\"\n", source.name());
  request.text += source.text();
  if (target.backend == Backend::cuda && source.dialect() != Dialect::raw) {
    request.options.push_back("-default-device");
    if (source.dialect() == Dialect::portable && !needs_cuda_textures(source.text())) request.options.push_back("-minimal");
  }
  if (source.is_fast_math())
    request.options.push_back(target.backend == Backend::cuda ? "--use_fast_math" : "-cl-fast-relaxed-math");
  request.options.insert(request.options.end(), source.options().begin(), source.options().end());
  return request;
}

}  // namespace

Module compile(const Device& device, const Source& source) {
  const auto start = std::chrono::steady_clock::now();
  const CompileRequest request = request_for(PreludeTarget::of(device.properties()), source);
  try {
    const ProgramBuild build = device.driver().build(request);
    auto state = std::make_shared<Module::State>(device, build.program, source.name());
    state->log = build.log;
    state->build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state->signatures = read_signatures(source.text(), source.defines());
    return Module(std::move(state));
  } catch (const BuildFailure& failure) {
    throw DeviceError(failure.log);
  }
}

std::vector<Module> compile_all(const Device& device, std::span<const Source> sources) {
  std::vector<Module> modules;
  for (const Source& source : sources) modules.push_back(compile(device, source));
  return modules;
}

}  // namespace rtcg
