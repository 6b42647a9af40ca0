#include "rtcg/device/opencl/driver.h"

namespace rtcg::opencl {

OpenClDriver::OpenClDriver(DeviceProperties properties, cl_platform_id platform, cl_device_id device)
    : Driver(std::move(properties)),
      platform_(platform),
      device_(device),
      binary_needs_quiet_(this->properties().platform.starts_with("Portable Computing Language")) {}

OpenClDriver::~OpenClDriver() {
  drop_pool();
  if (service_queue_ != nullptr) clReleaseCommandQueue(service_queue_);
  if (context_ != nullptr) clReleaseContext(context_);
}

std::size_t OpenClDriver::device_size(cl_device_info what) const {
  std::size_t value = 0;
  check(clGetDeviceInfo(device_, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
  return value;
}

cl_context OpenClDriver::context() {
  std::call_once(opened_, [this] {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform_),
                                                0};
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(properties, 1, &device_, nullptr, nullptr, &status);
    check(status, "clCreateContext");
  });
  return context_;
}

}  // namespace rtcg::opencl
