#include "rtcg/device/multiprocessor.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace rtcg {

Multiprocessor Multiprocessor::of(const Device& device) {
  const DeviceProperties& properties = device.properties();
  Multiprocessor machine;
  machine.count = std::max(1u, properties.compute_units);
  if (properties.backend != Backend::cuda) {
    machine.most_local_bytes = std::min<std::size_t>(properties.local_memory, 48 << 10);
    machine.local_bytes = std::max<std::size_t>(properties.local_memory, 96 << 10);
    return machine;
  }
  // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
  int capability = 0;
  const std::string_view architecture = properties.architecture;
  if (architecture.starts_with("sm_"))
    std::from_chars(architecture.data() + 3, architecture.data() + architecture.size(), capability);
  switch (capability) {
    case 80:
    case 87:
      machine.local_bytes = 164 << 10;
      break;
    case 90:
    case 100:
    case 103:
      machine.local_bytes = 228 << 10;
      break;
    case 75:
      machine.local_bytes = 64 << 10, machine.items = 1024;
      break;
    case 70:
      machine.local_bytes = 96 << 10;
      break;
    default:
      machine.local_bytes = 100 << 10, machine.items = 1536;
      break;
  }
  machine.most_local_bytes = machine.local_bytes - (capability >= 80 ? 1 << 10 : 0);
  return machine;
}

}  // namespace rtcg
