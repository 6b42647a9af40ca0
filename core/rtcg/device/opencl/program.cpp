#include <fmt/format.h>

#include <algorithm>

#include "rtcg/device/opencl/driver.h"
#include "rtcg/device/opencl/enumerate.h"
#include "rtcg/device/opencl/places.h"

namespace rtcg::opencl {

namespace {

// Keeps parameter names and types, by which launches are checked. In every build, and so in compiler_identity().
constexpr const char* standing_options = "-cl-kernel-arg-info";

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::string log(bytes, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

std::string argument_text(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what) {
  std::size_t bytes = 0;
  if (clGetKernelArgInfo(kernel, index, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (clGetKernelArgInfo(kernel, index, what, bytes, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

}  // namespace

std::string OpenClDriver::compiler_identity() {
  const DeviceProperties& p = properties();
  std::string identity =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", p.platform, p.name, device_text(device_, CL_DEVICE_VERSION),
                  device_text(device_, CL_DEVICE_OPENCL_C_VERSION), p.driver, standing_options);
  if (p.kind == DeviceKind::cpu) identity += '\n' + cpu_features();
  return identity;
}

ProgramBuild OpenClDriver::build(const CompileRequest& request) {
  const char* texts[] = {request.text.c_str()};
  const std::size_t lengths[] = {request.text.size()};
  std::string options = standing_options;
  for (const std::string& option : request.options) options += ' ' + option;

  cl_int status = CL_SUCCESS;
  const cl_program program = clCreateProgramWithSource(context(), 1, texts, lengths, &status);
  check(status, "clCreateProgramWithSource");
  status = clBuildProgram(program, 1, &device_, options.c_str(), nullptr, nullptr);
  std::string log = restore_places(build_log(program, device_), request.text);
  if (status != CL_SUCCESS) {
    clReleaseProgram(program);
    if (log.empty()) log = fmt::format("clBuildProgram: {} (options: {})", error_name(status), options);
    throw BuildFailure{std::move(log)};
  }
  return {to_handle(program), std::move(log)};
}

Handle OpenClDriver::load(std::span<const std::byte> binary) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  cl_int binary_status = CL_SUCCESS, status = CL_SUCCESS;
  const cl_program program =
      clCreateProgramWithBinary(context(), 1, &device_, &length, &bytes, &binary_status, &status);
  if (status != CL_SUCCESS || binary_status != CL_SUCCESS) {
    if (program != nullptr) clReleaseProgram(program);
    fail(status != CL_SUCCESS ? status : binary_status, "clCreateProgramWithBinary", properties().id,
         fmt::format("{} bytes are no program for this device", length));
  }
  status = clBuildProgram(program, 1, &device_, standing_options, nullptr, nullptr);
  if (status != CL_SUCCESS) {
    const std::string log = build_log(program, device_);
    clReleaseProgram(program);
    fail(status, "clBuildProgram of a binary", properties().id, log);
  }
  return to_handle(program);
}

std::vector<std::byte> OpenClDriver::binary(Handle program) {
  std::unique_lock quiet(running_, std::defer_lock);
  if (binary_needs_quiet_) {
    quiet.lock();
    const std::scoped_lock lock(queues_mutex_);
    for (const cl_command_queue queue : queues_) check(clFinish(queue), "clFinish");
  }
  std::size_t bytes = 0;
  check(clGetProgramInfo(to_program(program), CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr),
        "clGetProgramInfo");
  std::vector<std::byte> result(bytes);
  auto* target = reinterpret_cast<unsigned char*>(result.data());
  if (bytes != 0) {
    check(clGetProgramInfo(to_program(program), CL_PROGRAM_BINARIES, sizeof target, &target, nullptr),
          "clGetProgramInfo");
  }
  return result;
}

void OpenClDriver::release_program(Handle program) noexcept {
  if (program != 0) clReleaseProgram(to_program(program));
}

std::vector<std::string> OpenClDriver::kernel_names(Handle program) {
  std::size_t bytes = 0;
  check(clGetProgramInfo(to_program(program), CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &bytes), "clGetProgramInfo");
  std::string list(bytes, '\0');
  check(clGetProgramInfo(to_program(program), CL_PROGRAM_KERNEL_NAMES, bytes, list.data(), nullptr),
        "clGetProgramInfo");
  list.resize(std::min(list.find('\0'), list.size()));
  std::vector<std::string> names;
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t end = std::min(list.find(';', start), list.size());
    if (end > start) names.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return names;
}

Handle OpenClDriver::kernel(Handle program, const std::string& name) {
  cl_int status = CL_SUCCESS;
  const cl_kernel kernel = clCreateKernel(to_program(program), name.c_str(), &status);
  if (status != CL_SUCCESS) fail(status, "clCreateKernel", properties().id, fmt::format("kernel '{}'", name));
  return to_handle(kernel);
}

void OpenClDriver::release_kernel(Handle kernel) noexcept {
  if (kernel != 0) clReleaseKernel(to_kernel(kernel));
}

KernelResources OpenClDriver::resources(Handle kernel) {
  const auto query = [&](auto value, cl_kernel_work_group_info what) {
    const cl_int status = clGetKernelWorkGroupInfo(to_kernel(kernel), device_, what, sizeof value, &value, nullptr);
    return status == CL_SUCCESS ? static_cast<int>(value) : -1;
  };
  KernelResources result;
  result.local_bytes = query(cl_ulong{}, CL_KERNEL_LOCAL_MEM_SIZE);
  result.private_bytes = query(cl_ulong{}, CL_KERNEL_PRIVATE_MEM_SIZE);
  result.max_work_group = query(std::size_t{}, CL_KERNEL_WORK_GROUP_SIZE);
  result.preferred_multiple = query(std::size_t{}, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  return result;
}

std::vector<ParameterInfo> OpenClDriver::parameters(Handle kernel) {
  cl_uint count = 0;
  check(clGetKernelInfo(to_kernel(kernel), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr), "clGetKernelInfo");
  std::vector<ParameterInfo> result(count);
  for (cl_uint i = 0; i < count; ++i) {
    result[i].type_name = argument_text(to_kernel(kernel), i, CL_KERNEL_ARG_TYPE_NAME);
    result[i].name = argument_text(to_kernel(kernel), i, CL_KERNEL_ARG_NAME);
  }
  return result;
}

}  // namespace rtcg::opencl
