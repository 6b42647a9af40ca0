#include "rtcg/tune/tunable.h"

#include <fmt/format.h>

namespace rtcg {

std::string Demand::objection(const DeviceProperties& device) const {
  if (work_group_size > device.max_work_group)
    return fmt::format("a work-group of {}, where the device takes {}", work_group_size, device.max_work_group);
  if (local_bytes > device.local_memory)
    return fmt::format("{} bytes of local memory, where the device has {}", local_bytes, device.local_memory);
  return {};
}

}  // namespace rtcg
