#include "rtcg/device/driver.h"

#include "rtcg/device/pool.h"

namespace rtcg {

Driver::Driver(DeviceProperties properties)
    : properties_(std::move(properties)), pool_(std::make_unique<MemoryPool>(*this)) {}

Driver::~Driver() = default;

void Driver::drop_pool() noexcept {
  pool_.reset();
}

}  // namespace rtcg
