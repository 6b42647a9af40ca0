#include "rtcg/device/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "rtcg/error.h"

namespace rtcg {

namespace {

std::string readable(std::size_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  return fmt::format("{:.2f} {}", value, units[unit]);
}

struct FreeBlock {
  Handle memory = 0;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  Handle stream = 0;  ///< 0 once the stream is gone
  Handle event = 0;   ///< recorded when another stream first asks, so that one stream alone never pays for events
};

}  // namespace

struct MemoryPool::Shelves {
  using Bin = std::pair<MemoryKind, std::size_t>;
  mutable std::mutex mutex;
  std::map<Bin, std::vector<FreeBlock>> free;  ///< per bin, the block given back last at the end
  Statistics statistics;
  bool holding = true;

  void note_peak() {
    statistics.peak_bytes = std::max(statistics.peak_bytes, statistics.held_bytes + statistics.active_bytes);
  }

  FreeBlock take(std::vector<FreeBlock>& shelf, std::size_t index) {
    const FreeBlock block = shelf[index];
    shelf.erase(shelf.begin() + static_cast<std::ptrdiff_t>(index));
    statistics.held_bytes -= block.bytes;
    --statistics.held_blocks;
    return block;
  }

  /// A block that may be used on the stream at once, memory 0 if there is none. The caller holds the mutex.
  FreeBlock find(Driver& driver, Handle stream, Bin bin) {
    const auto found = free.find(bin);
    if (found == free.end()) return {};
    std::vector<FreeBlock>& shelf = found->second;
    for (std::size_t i = shelf.size(); i-- > 0;)
      if (shelf[i].stream == stream) return take(shelf, i);
    std::vector<Handle> busy;  // a stream whose older block is in use is not done with its younger ones either
    for (std::size_t i = 0; i < shelf.size(); ++i) {
      FreeBlock& block = shelf[i];
      if (std::find(busy.begin(), busy.end(), block.stream) != busy.end()) continue;
      if (block.event == 0) block.event = driver.record_event(block.stream);
      if (driver.is_complete(block.event)) return take(shelf, i);
      if (block.stream != 0) busy.push_back(block.stream);
    }
    return {};
  }

  std::vector<FreeBlock> take_all() {
    const std::lock_guard lock(mutex);
    std::vector<FreeBlock> all;
    all.reserve(statistics.held_blocks);
    for (auto& [bin, shelf] : free) all.insert(all.end(), shelf.begin(), shelf.end());
    free.clear();
    statistics.held_bytes = statistics.held_blocks = 0;
    return all;
  }
};

namespace {

/// Drivers differ in whether releasing memory waits for the kernels that use it, so wait here.
void give_to_driver(Driver& driver, const FreeBlock& block) noexcept {
  try {
    if (block.event != 0)
      driver.synchronize_event(block.event);
    else if (block.stream != 0)
      driver.synchronize(block.stream);
  } catch (const Error&) {
    // The stream has failed; whoever uses it next is told. The memory goes back all the same.
  }
  if (block.event != 0) driver.release_event(block.event);
  driver.release(block.memory, block.kind);
}

}  // namespace

MemoryPool::MemoryPool(Driver& driver) : driver_(driver), shelves_(std::make_unique<Shelves>()) {}

MemoryPool::~MemoryPool() {
  trim();
}

std::size_t MemoryPool::bin_bytes(std::size_t bytes) {
  if (bytes <= 8) return std::max<std::size_t>(bytes, 1);
  const int dropped_bits = std::bit_width(bytes - 1) - 4;
  if (dropped_bits <= 0) return bytes;
  const std::size_t step = std::size_t{1} << dropped_bits;
  if (bytes > std::numeric_limits<std::size_t>::max() - step) return bytes;
  return (bytes + step - 1) & ~(step - 1);
}

MemoryPool::Block MemoryPool::acquire(Handle stream, std::size_t bytes, MemoryKind kind) {
  std::size_t size = bin_bytes(bytes);
  const DeviceProperties& device = driver_.properties();
  if (bytes <= device.largest_allocation) size = std::min(size, device.largest_allocation);
  Statistics& statistics = shelves_->statistics;

  const auto fits = [&] {
    return statistics.limit_bytes == 0 ||
           (size <= statistics.limit_bytes &&
            statistics.held_bytes + statistics.active_bytes <= statistics.limit_bytes - size);
  };
  // True once the bytes are accounted for; allocation itself happens outside the lock.
  const auto reserve = [&] {
    const std::lock_guard lock(shelves_->mutex);
    if (!fits()) return false;
    statistics.active_bytes += size;
    ++statistics.active_blocks;
    return true;
  };
  const auto allocate = [&]() -> Handle {
    if (!reserve()) return 0;
    try {
      return driver_.allocate(size, kind);
    } catch (...) {
      const std::lock_guard lock(shelves_->mutex);
      statistics.active_bytes -= size;
      --statistics.active_blocks;
      throw;
    }
  };
  const auto allocate_or_none = [&]() -> Handle {
    try {
      return allocate();
    } catch (const OutOfMemory&) {
      return 0;
    }
  };

  {
    const std::lock_guard lock(shelves_->mutex);
    ++statistics.requests;
    const FreeBlock found = shelves_->find(driver_, stream, {kind, size});
    if (found.memory != 0) {
      if (found.event != 0) driver_.release_event(found.event);
      ++statistics.reused;
      statistics.active_bytes += size;
      ++statistics.active_blocks;
      return {found.memory, size, kind, stream};
    }
  }
  // Again after each release, since other threads may have been given what this one released.
  std::size_t released = 0;
  Handle memory = allocate_or_none();
  for (std::size_t held; memory == 0 && (held = this->statistics().held_bytes) != 0; memory = allocate_or_none()) {
    trim();
    released += held;
  }
  if (memory == 0) {
    const Statistics now = this->statistics();
    throw OutOfMemory(fmt::format(
        "{} ({}): out of {} memory: {} asked for, {} of {} free on the device; the pool has {} in use{} and gave back "
        "{} "
        "before trying again; use a smaller problem or work in blocks",
        device.id, device.name, kind == MemoryKind::device ? "device" : "mapped host", readable(bytes),
        readable(driver_.free_memory()), readable(device.global_memory), readable(now.active_bytes),
        now.limit_bytes != 0 ? fmt::format(" of a limit of {}", readable(now.limit_bytes)) : "", readable(released)));
  }
  const std::lock_guard lock(shelves_->mutex);
  shelves_->note_peak();
  return {memory, size, kind, stream};
}

void MemoryPool::give_back(const Block& block) noexcept {
  if (block.memory == 0) return;
  const FreeBlock freed{block.memory, block.bytes, block.kind, block.stream, 0};
  {
    const std::lock_guard lock(shelves_->mutex);
    Statistics& statistics = shelves_->statistics;
    statistics.active_bytes -= block.bytes;
    --statistics.active_blocks;
    if (shelves_->holding) {
      shelves_->free[{block.kind, block.bytes}].push_back(freed);
      statistics.held_bytes += block.bytes;
      ++statistics.held_blocks;
      return;
    }
  }
  give_to_driver(driver_, freed);
}

void MemoryPool::forget_stream(Handle stream) noexcept {
  const std::lock_guard lock(shelves_->mutex);
  for (auto& [bin, shelf] : shelves_->free) {
    for (std::size_t i = 0; i < shelf.size();) {
      FreeBlock& block = shelf[i];
      if (block.stream == stream) {
        try {
          if (block.event == 0) block.event = driver_.record_event(stream);
        } catch (const Error&) {
          give_to_driver(driver_, shelves_->take(shelf, i));
          continue;
        }
        block.stream = 0;
      }
      ++i;
    }
  }
}

void MemoryPool::trim() noexcept {
  for (const FreeBlock& block : shelves_->take_all()) give_to_driver(driver_, block);
}

void MemoryPool::set_limit(std::size_t bytes) {
  bool over = false;
  {
    const std::lock_guard lock(shelves_->mutex);
    Statistics& statistics = shelves_->statistics;
    statistics.limit_bytes = bytes;
    over = bytes != 0 && statistics.held_bytes + statistics.active_bytes > bytes;
  }
  if (over) trim();
}

void MemoryPool::stop_holding(bool stop) {
  {
    const std::lock_guard lock(shelves_->mutex);
    shelves_->holding = !stop;
  }
  if (stop) trim();
}

MemoryPool::Statistics MemoryPool::statistics() const {
  const std::lock_guard lock(shelves_->mutex);
  return shelves_->statistics;
}

}  // namespace rtcg
