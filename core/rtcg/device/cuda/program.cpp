#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rtcg/device/cuda/driver.h"
#include "rtcg/device/cuda/nvrtc.h"
#include "rtcg/error.h"

namespace rtcg::cuda {

namespace {

struct Program {
  CUmodule module = nullptr;
  std::vector<std::byte> binary;
};

Program& program_of(Handle handle) {
  return *reinterpret_cast<Program*>(handle);
}
CUfunction function_of(Handle handle) {
  return reinterpret_cast<CUfunction>(handle);
}

}  // namespace

std::string CudaDriver::compiler_identity() {
  const std::string target = target_for(properties().architecture, architectures());
  // PTX is finished by the driver, so its version counts too.
  return target.starts_with("sm_") ? fmt::format("{} for {}", version(), target)
                                   : fmt::format("{} for {}, driver {}", version(), target, properties().driver);
}

ProgramBuild CudaDriver::build(const CompileRequest& request) {
  CompileOutput output = compile(request, target_for(properties().architecture, architectures()));
  return {load(output.binary), std::move(output.log)};
}

Handle CudaDriver::load(std::span<const std::byte> binary) {
  enter();
  auto program = std::make_unique<Program>();
  program->binary.assign(binary.begin(), binary.end());
  // PTX text has to end in a zero, which is not part of the file; a cubin does not mind one.
  program->binary.push_back(std::byte{0});
  char log[8192] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(std::uintptr_t{sizeof log})};
  const CUresult result = api_->cuModuleLoadDataEx(&program->module, program->binary.data(), 2, options, values);
  if (result != CUDA_SUCCESS) {
    std::string text(log, std::find(std::begin(log), std::end(log), '\0'));
    text.erase(text.find_last_not_of(" \n") + 1);
    std::replace(text.begin(), text.end(), '\n', ' ');
    throw DeviceError(fmt::format("{}: {} on {} bytes for {}{}{}", where(),
                                  api_->describe(result, "cuModuleLoadDataEx"), binary.size(),
                                  properties().architecture, text.empty() ? "" : ": ", text));
  }
  program->binary.pop_back();
  return reinterpret_cast<Handle>(program.release());
}

std::vector<std::byte> CudaDriver::binary(Handle program) {
  return program_of(program).binary;
}

void CudaDriver::release_program(Handle program) noexcept {
  const std::unique_ptr<Program> owned(&program_of(program));
  if (!try_enter()) return;
  api_->cuCtxSynchronize();  // kernels of the module may still run
  api_->cuModuleUnload(owned->module);
}

std::vector<std::string> CudaDriver::kernel_names(Handle program) {
  if (!api_->cuModuleGetFunctionCount || !api_->cuModuleEnumerateFunctions || !api_->cuFuncGetName) return {};
  enter();
  const CUmodule module = program_of(program).module;
  unsigned count = 0;
  check(api_->cuModuleGetFunctionCount(&count, module), "cuModuleGetFunctionCount");
  std::vector<CUfunction> functions(count);
  if (count > 0) check(api_->cuModuleEnumerateFunctions(functions.data(), count, module), "cuModuleEnumerateFunctions");
  std::vector<std::string> names;
  for (const CUfunction function : functions) {
    const char* name = nullptr;
    check(api_->cuFuncGetName(&name, function), "cuFuncGetName");
    names.emplace_back(name);
  }
  return names;
}

Handle CudaDriver::kernel(Handle program, const std::string& name) {
  enter();
  CUfunction function = nullptr;
  const CUresult result = api_->cuModuleGetFunction(&function, program_of(program).module, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) {
    const std::vector<std::string> names = kernel_names(program);
    throw DeviceError(fmt::format("{}: no kernel '{}' in the program{}{}", where(), name,
                                  names.empty() ? "" : "; it has ", fmt::join(names, ", ")));
  }
  check(result, "cuModuleGetFunction");
  return reinterpret_cast<Handle>(function);
}

void CudaDriver::release_kernel(Handle kernel) noexcept {
  const std::lock_guard lock(mutex_);
  large_kernels_.erase(function_of(kernel));
}

KernelResources CudaDriver::resources(Handle kernel) {
  enter();
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    check(api_->cuFuncGetAttribute(&value, which, function_of(kernel)), "cuFuncGetAttribute");
    return value;
  };
  KernelResources resources;
  resources.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  resources.local_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  resources.private_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  resources.constant_bytes = attribute(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  resources.max_work_group = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  resources.preferred_multiple = static_cast<int>(properties().simd_width);
  return resources;
}

std::vector<ParameterInfo> CudaDriver::parameters(Handle kernel) {
  std::vector<ParameterInfo> parameters;
  if (!api_->cuFuncGetParamInfo) return parameters;
  enter();
  for (std::size_t index = 0;; ++index) {
    std::size_t offset = 0, bytes = 0;
    const CUresult result = api_->cuFuncGetParamInfo(function_of(kernel), index, &offset, &bytes);
    if (result == CUDA_ERROR_INVALID_VALUE) return parameters;  // one past the last
    check(result, "cuFuncGetParamInfo");
    parameters.push_back({"", "", bytes});
  }
}

}  // namespace rtcg::cuda
