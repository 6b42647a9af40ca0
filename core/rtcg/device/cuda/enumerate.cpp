#include "rtcg/device/cuda/enumerate.h"

#include <fmt/format.h>

#include <fstream>

#include "rtcg/device/cuda/driver.h"
#include "rtcg/error.h"

namespace rtcg::cuda {

namespace {

void require(const Api& api, CUresult result, const char* call) {
  if (result != CUDA_SUCCESS) throw DeviceError(api.describe(result, call));
}

/// "580.95.05 / CUDA 13.0": the kernel module's version where the system shows it, and what libcuda supports.
std::string driver_version(const Api& api) {
  int version = 0;
  require(api, api.cuDriverGetVersion(&version), "cuDriverGetVersion");
  const std::string cuda = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  std::string module;
  std::ifstream("/sys/module/nvidia/version") >> module;
  return module.empty() ? cuda : fmt::format("{} / {}", module, cuda);
}

DeviceProperties describe(const Api& api, CUdevice device, int index, const std::string& driver) {
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    require(api, api.cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
    return value;
  };
  const auto bytes = [&](CUdevice_attribute which) { return static_cast<std::size_t>(attribute(which)); };
  const auto attribute_or_zero = [&](CUdevice_attribute which) {
    int value = 0;
    return api.cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
  };
  char name[256] = {};
  require(api, api.cuDeviceGetName(name, sizeof name - 1, device), "cuDeviceGetName");
  std::size_t memory = 0;
  require(api, api.cuDeviceTotalMem(&memory, device), "cuDeviceTotalMem");
  const int major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  const int minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  int version = 0;
  require(api, api.cuDriverGetVersion(&version), "cuDriverGetVersion");

  DeviceProperties properties;
  properties.id = fmt::format("cuda:{}", index);
  properties.backend = Backend::cuda;
  properties.kind = DeviceKind::gpu;
  properties.name = name;
  properties.vendor = "NVIDIA";
  properties.platform = "NVIDIA CUDA";
  properties.driver = driver;
  properties.architecture = fmt::format("sm_{}{}", major, minor);
  properties.global_memory = memory;
  properties.largest_allocation = memory;
  properties.local_memory = bytes(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  properties.constant_memory = bytes(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
  properties.cache = static_cast<std::size_t>(attribute_or_zero(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  properties.compute_units = static_cast<unsigned>(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  properties.clock_mhz = static_cast<unsigned>(attribute_or_zero(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)) / 1000;
  properties.max_work_group = static_cast<unsigned>(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  properties.max_work_items = {bytes(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), bytes(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                               bytes(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)};
  properties.simd_width = static_cast<unsigned>(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  properties.base_alignment = 256;  // what cuMemAlloc guarantees, so that a slice is as good as a fresh buffer
  // 32764 bytes came with Volta and CUDA 12.1.
  properties.max_parameter_bytes = major >= 7 && version >= 12010 ? 32764 : 4096;
  properties.has_double = true;
  properties.has_half = major > 5 || (major == 5 && minor >= 3);
  properties.has_images = true;
  properties.unified_memory = attribute_or_zero(CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
  return properties;
}

}  // namespace

std::vector<std::shared_ptr<Driver>> drivers(BackendStatus& status) {
  return drivers(status, cuda_library_names());
}

std::vector<std::shared_ptr<Driver>> drivers(BackendStatus& status, const std::vector<std::string>& names) {
  status = {"CUDA", false, ""};
  try {
    const auto api = std::make_shared<const Api>(names);
    require(*api, api->cuInit(0), "cuInit");
    const std::string version = driver_version(*api);
    int count = 0;
    require(*api, api->cuDeviceGetCount(&count), "cuDeviceGetCount");
    std::vector<std::shared_ptr<Driver>> found;
    for (int index = 0; index < count; ++index) {
      CUdevice device = 0;
      require(*api, api->cuDeviceGet(&device, index), "cuDeviceGet");
      found.push_back(std::make_shared<CudaDriver>(api, device, describe(*api, device, index, version)));
    }
    status.available = count > 0;
    status.detail = count > 0 ? version : version + ", no device";
    return found;
  } catch (const Error& error) {
    status.detail = error.what();
    return {};
  }
}

}  // namespace rtcg::cuda
