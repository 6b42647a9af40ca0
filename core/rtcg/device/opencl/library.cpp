#include "rtcg/device/opencl/library.h"

#include <CL/cl_ext.h>
#include <fmt/format.h>

#include <utility>

#include "rtcg/error.h"

namespace rtcg::opencl {

std::string error_name(cl_int status) {
#define RTCG_NAME(code) \
  { code, #code }
  static constexpr std::pair<cl_int, const char*> names[] = {
      RTCG_NAME(CL_SUCCESS),
      RTCG_NAME(CL_DEVICE_NOT_FOUND),
      RTCG_NAME(CL_DEVICE_NOT_AVAILABLE),
      RTCG_NAME(CL_COMPILER_NOT_AVAILABLE),
      RTCG_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
      RTCG_NAME(CL_OUT_OF_RESOURCES),
      RTCG_NAME(CL_OUT_OF_HOST_MEMORY),
      RTCG_NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
      RTCG_NAME(CL_MEM_COPY_OVERLAP),
      RTCG_NAME(CL_IMAGE_FORMAT_MISMATCH),
      RTCG_NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
      RTCG_NAME(CL_BUILD_PROGRAM_FAILURE),
      RTCG_NAME(CL_MAP_FAILURE),
      RTCG_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
      RTCG_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
      RTCG_NAME(CL_COMPILE_PROGRAM_FAILURE),
      RTCG_NAME(CL_LINKER_NOT_AVAILABLE),
      RTCG_NAME(CL_LINK_PROGRAM_FAILURE),
      RTCG_NAME(CL_DEVICE_PARTITION_FAILED),
      RTCG_NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
      RTCG_NAME(CL_INVALID_VALUE),
      RTCG_NAME(CL_INVALID_DEVICE_TYPE),
      RTCG_NAME(CL_INVALID_PLATFORM),
      RTCG_NAME(CL_INVALID_DEVICE),
      RTCG_NAME(CL_INVALID_CONTEXT),
      RTCG_NAME(CL_INVALID_QUEUE_PROPERTIES),
      RTCG_NAME(CL_INVALID_COMMAND_QUEUE),
      RTCG_NAME(CL_INVALID_HOST_PTR),
      RTCG_NAME(CL_INVALID_MEM_OBJECT),
      RTCG_NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
      RTCG_NAME(CL_INVALID_IMAGE_SIZE),
      RTCG_NAME(CL_INVALID_SAMPLER),
      RTCG_NAME(CL_INVALID_BINARY),
      RTCG_NAME(CL_INVALID_BUILD_OPTIONS),
      RTCG_NAME(CL_INVALID_PROGRAM),
      RTCG_NAME(CL_INVALID_PROGRAM_EXECUTABLE),
      RTCG_NAME(CL_INVALID_KERNEL_NAME),
      RTCG_NAME(CL_INVALID_KERNEL_DEFINITION),
      RTCG_NAME(CL_INVALID_KERNEL),
      RTCG_NAME(CL_INVALID_ARG_INDEX),
      RTCG_NAME(CL_INVALID_ARG_VALUE),
      RTCG_NAME(CL_INVALID_ARG_SIZE),
      RTCG_NAME(CL_INVALID_KERNEL_ARGS),
      RTCG_NAME(CL_INVALID_WORK_DIMENSION),
      RTCG_NAME(CL_INVALID_WORK_GROUP_SIZE),
      RTCG_NAME(CL_INVALID_WORK_ITEM_SIZE),
      RTCG_NAME(CL_INVALID_GLOBAL_OFFSET),
      RTCG_NAME(CL_INVALID_EVENT_WAIT_LIST),
      RTCG_NAME(CL_INVALID_EVENT),
      RTCG_NAME(CL_INVALID_OPERATION),
      RTCG_NAME(CL_INVALID_BUFFER_SIZE),
      RTCG_NAME(CL_INVALID_GLOBAL_WORK_SIZE),
      RTCG_NAME(CL_INVALID_PROPERTY),
      RTCG_NAME(CL_INVALID_IMAGE_DESCRIPTOR),
      RTCG_NAME(CL_INVALID_COMPILER_OPTIONS),
      RTCG_NAME(CL_INVALID_LINKER_OPTIONS),
      RTCG_NAME(CL_PLATFORM_NOT_FOUND_KHR),
  };
#undef RTCG_NAME
  for (const auto& [code, name] : names) {
    if (code == status) return name;
  }
  return fmt::format("error {}", status);
}

void fail(cl_int status, const char* call, const std::string& device, std::string_view detail) {
  const std::string message =
      fmt::format("{}: {}: {}{}{}", device, call, error_name(status), detail.empty() ? "" : ": ", detail);
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY) throw OutOfMemory(message);
  throw DeviceError(message);
}

namespace {

template <class Query>
std::string text_of(const Query& query) {
  std::size_t bytes = 0;
  if (query(0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (query(bytes, text.data(), nullptr) != CL_SUCCESS) return {};
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

std::string device_text(cl_device_id device, cl_device_info what) {
  return text_of(
      [&](std::size_t n, void* to, std::size_t* need) { return clGetDeviceInfo(device, what, n, to, need); });
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  return text_of(
      [&](std::size_t n, void* to, std::size_t* need) { return clGetPlatformInfo(platform, what, n, to, need); });
}

}  // namespace rtcg::opencl
