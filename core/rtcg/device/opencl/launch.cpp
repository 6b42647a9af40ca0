#include <fmt/format.h>

#include "rtcg/device/opencl/driver.h"
#include "rtcg/error.h"

namespace rtcg::opencl {

namespace {

std::string kernel_name(cl_kernel kernel) {
  char name[256] = "?";
  clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  return name;
}

}  // namespace

void OpenClDriver::launch(Handle stream, Handle kernel_handle, const Grid& grid, std::span<const Argument> arguments) {
  const cl_kernel kernel = to_kernel(kernel_handle);
  if (grid.dynamic_local_bytes != 0) [[unlikely]] {
    throw UsageError(fmt::format("{}: kernel {}: dynamic local memory is for CUDA texts only", properties().id,
                                 kernel_name(kernel)));
  }
  const std::size_t local[3] = {grid.local[0], grid.local[1], grid.local[2]};
  const std::size_t global[3] = {grid.groups[0] * local[0], grid.groups[1] * local[1], grid.groups[2] * local[2]};

  std::shared_lock running(running_, std::defer_lock);
  if (binary_needs_quiet_) running.lock();
  const std::lock_guard lock(kernel_locks_[(kernel_handle >> 5) % kernel_locks_.size()].mutex);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    const std::size_t bytes = argument.type.space == ArgumentSpace::value ? argument.type.bytes : sizeof(cl_mem);
    const cl_int status = clSetKernelArg(kernel, static_cast<cl_uint>(i), bytes, argument.data);
    if (status != CL_SUCCESS) [[unlikely]]
      fail_argument(status, kernel, i, argument);
  }
  const cl_int status =
      clEnqueueNDRangeKernel(to_queue(stream), kernel, 3, nullptr, global, local, 0, nullptr, nullptr);
  if (status != CL_SUCCESS) [[unlikely]]
    fail_launch(status, kernel, grid);
}

void OpenClDriver::fail_argument(cl_int status, cl_kernel kernel, std::size_t index, const Argument& argument) const {
  static constexpr const char* spaces[] = {"value", "buffer", "texture"};
  fail(status, "clSetKernelArg", properties().id,
       fmt::format("kernel {}, argument {} ({}, {} bytes)", kernel_name(kernel), index + 1,
                   spaces[static_cast<std::size_t>(argument.type.space)], argument.type.bytes));
}

void OpenClDriver::fail_launch(cl_int status, cl_kernel kernel, const Grid& grid) const {
  std::size_t most = 0;
  clGetKernelWorkGroupInfo(kernel, device_, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, nullptr);
  fail(status, "clEnqueueNDRangeKernel", properties().id,
       fmt::format("kernel {}, {} x {} x {} groups of {} x {} x {} items (at most {} in a group)", kernel_name(kernel),
                   grid.groups[0], grid.groups[1], grid.groups[2], grid.local[0], grid.local[1], grid.local[2], most));
}

}  // namespace rtcg::opencl
