#include "rtcg/array/loop_shape.h"

#include <atomic>

namespace rtcg {

namespace {
std::atomic<int> forced = -1;
}

LoopShape loop_shape(const Device& device) {
  const int shape = forced.load(std::memory_order_relaxed);
  if (shape >= 0) return static_cast<LoopShape>(shape);
  return device.properties().kind == DeviceKind::cpu ? LoopShape::cpu : LoopShape::gpu;
}

void force_loop_shape(std::optional<LoopShape> shape) {
  forced = shape ? static_cast<int>(*shape) : -1;
}

}  // namespace rtcg
