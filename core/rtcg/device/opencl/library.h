// What every call into OpenCL needs: names for error codes, one way to fail, and device queries as values.
// A failure is a DeviceError "opencl:0: clCreateBuffer: CL_INVALID_VALUE"; running out of memory is OutOfMemory.
#pragma once

#include <CL/cl.h>

#include <string>
#include <string_view>

#include "rtcg/device/argument.h"

namespace rtcg::opencl {

/// "CL_INVALID_VALUE"; "error -9999" for a code the specification does not list.
std::string error_name(cl_int status);

/// `detail` is appended to the message after a colon when it is not empty.
[[noreturn]] void fail(cl_int status, const char* call, const std::string& device, std::string_view detail = {});

inline void check(cl_int status, const char* call, const std::string& device) {
  if (status != CL_SUCCESS) [[unlikely]]
    fail(status, call, device);
}

/// 0 or an empty text where the device does not know the query.
template <class T>
T device_info(cl_device_id device, cl_device_info what) {
  T value{};
  return clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}
std::string device_text(cl_device_id device, cl_device_info what);
std::string platform_text(cl_platform_id platform, cl_platform_info what);

/// An OpenCL object as the opaque handle of the Driver interface, and back.
template <class Object>
Handle to_handle(Object object) {
  return reinterpret_cast<Handle>(object);
}
inline cl_mem to_memory(Handle handle) {
  return reinterpret_cast<cl_mem>(handle);
}
inline cl_command_queue to_queue(Handle handle) {
  return reinterpret_cast<cl_command_queue>(handle);
}
inline cl_event to_event(Handle handle) {
  return reinterpret_cast<cl_event>(handle);
}
inline cl_program to_program(Handle handle) {
  return reinterpret_cast<cl_program>(handle);
}
inline cl_kernel to_kernel(Handle handle) {
  return reinterpret_cast<cl_kernel>(handle);
}

}  // namespace rtcg::opencl
