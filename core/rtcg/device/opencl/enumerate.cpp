#include "rtcg/device/opencl/enumerate.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "rtcg/device/opencl/driver.h"
#include "rtcg/device/opencl/library.h"

namespace rtcg::opencl {

namespace {

constexpr cl_device_info warp_size_nv = 0x4003;                  // cl_nv_device_attribute_query
constexpr cl_device_info preferred_multiple_of_device = 0x1067;  // OpenCL 3.0

DeviceKind kind_of(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return DeviceKind::gpu;
  return type & CL_DEVICE_TYPE_CPU ? DeviceKind::cpu : DeviceKind::other;
}

unsigned simd_width_of(cl_device_id device, DeviceKind kind) {
  if (kind == DeviceKind::cpu)
    return std::max(1u, device_info<cl_uint>(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT));
  if (const auto warp = device_info<cl_uint>(device, warp_size_nv)) return warp;
  return std::max<unsigned>(1, static_cast<unsigned>(device_info<std::size_t>(device, preferred_multiple_of_device)));
}

DeviceProperties describe(cl_platform_id platform, cl_device_id device, std::size_t index) {
  DeviceProperties p;
  p.id = fmt::format("opencl:{}", index);
  p.backend = Backend::opencl;
  p.kind = kind_of(device_info<cl_device_type>(device, CL_DEVICE_TYPE));
  p.name = device_text(device, CL_DEVICE_NAME);
  p.vendor = device_text(device, CL_DEVICE_VENDOR);
  p.platform =
      fmt::format("{} {}", platform_text(platform, CL_PLATFORM_NAME), platform_text(platform, CL_PLATFORM_VERSION));
  p.driver = device_text(device, CL_DRIVER_VERSION);
  p.architecture = p.name;
  if (p.kind == DeviceKind::cpu) {
    const std::string features = cpu_features();
    p.architecture += fmt::format(" isa:{:016x}", XXH3_64bits(features.data(), features.size()));
  }
  p.global_memory = device_info<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  p.largest_allocation = device_info<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  p.local_memory = device_info<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  p.constant_memory = device_info<cl_ulong>(device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
  p.cache = device_info<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  p.compute_units = std::max(1u, device_info<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS));
  p.clock_mhz = device_info<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  p.max_work_group = static_cast<unsigned>(device_info<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  p.max_work_items = device_info<std::array<std::size_t, 3>>(device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
  p.simd_width = simd_width_of(device, p.kind);
  p.base_alignment = std::max<std::size_t>(1, device_info<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
  p.max_parameter_bytes = device_info<std::size_t>(device, CL_DEVICE_MAX_PARAMETER_SIZE);
  p.has_double = device_info<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  p.has_half = device_text(device, CL_DEVICE_EXTENSIONS).find("cl_khr_fp16") != std::string::npos;
  p.has_images = device_info<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT) == CL_TRUE;
  p.unified_memory = device_info<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE;
  return p;
}

bool is_usable(cl_device_id device) {
  return device_info<cl_bool>(device, CL_DEVICE_AVAILABLE) == CL_TRUE &&
         device_info<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE) == CL_TRUE;
}

std::string read_cpu_features() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, model, features;
  while (std::getline(file, line) && (model.empty() || features.empty())) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string value = line.substr(std::min(line.size(), colon + 2));
    if (line.starts_with("model name") || line.starts_with("CPU part")) model = std::move(value);
    // x86 says "flags", Arm "Features".
    else if (line.starts_with("flags") || line.starts_with("Features"))
      features = std::move(value);
  }
  std::istringstream words(features);
  std::vector<std::string> sorted{std::istream_iterator<std::string>(words), {}};
  std::sort(sorted.begin(), sorted.end());
  return fmt::format("{}: {}", model, fmt::join(sorted, " "));
}

}  // namespace

std::string cpu_features() {
  static const std::string features = read_cpu_features();
  return features;
}

std::vector<std::shared_ptr<Driver>> drivers(BackendStatus& status) {
  status.available = false;
  cl_uint platform_count = 0;
  const cl_int found = clGetPlatformIDs(0, nullptr, &platform_count);
  if (found != CL_SUCCESS || platform_count == 0) {
    status.detail =
        fmt::format("no platform ({}): install an OpenCL driver, such as Debian's pocl-opencl-icd", error_name(found));
    return {};
  }
  std::vector<cl_platform_id> platforms(platform_count);
  clGetPlatformIDs(platform_count, platforms.data(), nullptr);

  std::vector<std::shared_ptr<Driver>> result;
  std::vector<std::string> details;
  for (cl_platform_id platform : platforms) {
    const std::string name = platform_text(platform, CL_PLATFORM_NAME);
    cl_uint device_count = 0;
    const cl_int counted = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &device_count);
    if (counted != CL_SUCCESS || device_count == 0) {
      details.push_back(fmt::format("{} has no device ({})", name, error_name(counted)));
      continue;
    }
    std::vector<cl_device_id> devices(device_count);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, device_count, devices.data(), nullptr);
    details.push_back(fmt::format("{} ({})", name, platform_text(platform, CL_PLATFORM_VERSION)));
    for (cl_device_id device : devices) {
      if (!is_usable(device)) {
        details.push_back(fmt::format("{} is not available or has no compiler", device_text(device, CL_DEVICE_NAME)));
        continue;
      }
      result.push_back(std::make_shared<OpenClDriver>(describe(platform, device, result.size()), platform, device));
    }
  }
  status.available = !result.empty();
  status.detail = fmt::format("{}", fmt::join(details, "; "));
  return result;
}

}  // namespace rtcg::opencl
