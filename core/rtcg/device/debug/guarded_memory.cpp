#include "rtcg/device/debug/guarded_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "rtcg/error.h"

namespace rtcg::debug {

namespace {

constexpr std::size_t alignment = 128;               // of the widest OpenCL type, double16
constexpr std::size_t guard_bytes = 1 << 16;         // wide enough for a step of a few rows too far
constexpr int poison = 0xFF, padding_poison = 0xFB;  // as a float: NaN, -2.6e36

std::size_t round_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

}  // namespace

struct GuardedMemory::Slot {
  std::atomic<std::uintptr_t> begin{0}, end{0};  ///< with the guards; begin 0: free
  std::atomic<std::uintptr_t> data{0};
  std::atomic<std::size_t> bytes{0};
  std::atomic<unsigned> number{0};
};

namespace {

// Grows and never shrinks, because the handler may be reading it.
template <class Slot>
struct Chunk {
  std::array<Slot, 256> slots;
  std::atomic<Chunk*> next{nullptr};
};

std::mutex slots_mutex;

template <class Slot>
Chunk<Slot>& first_chunk() {
  static Chunk<Slot> chunk;
  return chunk;
}

}  // namespace

GuardedMemory::Slot& GuardedMemory::free_slot() {
  Chunk<Slot>* chunk = &first_chunk<Slot>();
  for (;;) {
    for (Slot& slot : chunk->slots) {
      if (slot.begin.load() == 0) return slot;
    }
    if (chunk->next.load() == nullptr) chunk->next.store(new Chunk<Slot>);
    chunk = chunk->next.load();
  }
}

GuardedMemory::GuardedMemory(std::size_t bytes) : bytes_(bytes), rounded_bytes_(round_up(bytes, alignment)) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t usable = round_up(rounded_bytes_, page);
  mapping_bytes_ = usable + 2 * guard_bytes;
  void* mapping = mmap(nullptr, mapping_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    throw OutOfMemory(fmt::format("debug device: {} guarded bytes: {}", bytes, std::strerror(errno)));
  }
  mapping_ = static_cast<std::byte*>(mapping);
  data_ = mapping_ + guard_bytes + usable - rounded_bytes_;
  try {
    protect(Protection::open);
    std::memset(mapping_ + guard_bytes, padding_poison, usable);
    std::memset(data_, poison, bytes_);
    protect(Protection::closed);

    const std::lock_guard lock(slots_mutex);
    static unsigned last_number = 0;
    number_ = ++last_number;
    slot_ = &free_slot();
    slot_->end = reinterpret_cast<std::uintptr_t>(mapping_) + mapping_bytes_;
    slot_->data = reinterpret_cast<std::uintptr_t>(data_);
    slot_->bytes = bytes_;
    slot_->number = number_;
    slot_->begin = reinterpret_cast<std::uintptr_t>(mapping_);
  } catch (...) {
    munmap(mapping_, mapping_bytes_);
    throw;
  }
}

GuardedMemory::~GuardedMemory() {
  {
    const std::lock_guard lock(slots_mutex);
    slot_->begin = 0;
  }
  munmap(mapping_, mapping_bytes_);
}

void GuardedMemory::protect(Protection protection) {
  const int bits = protection == Protection::closed     ? PROT_NONE
                   : protection == Protection::readable ? PROT_READ
                                                        : PROT_READ | PROT_WRITE;
  if (mprotect(mapping_ + guard_bytes, mapping_bytes_ - 2 * guard_bytes, bits) != 0) {
    throw OutOfMemory(fmt::format("debug device: protecting {} bytes: {}", bytes_, std::strerror(errno)));
  }
}

bool GuardedMemory::is_padding_intact() const {
  const auto untouched = [](std::byte b) { return b == std::byte{padding_poison}; };
  return std::all_of(mapping_ + guard_bytes, data_, untouched) &&
         std::all_of(data_ + bytes_, data_ + rounded_bytes_, untouched);
}

std::optional<GuardedMemory::Location> GuardedMemory::locate(std::uintptr_t address) noexcept {
  for (Chunk<Slot>* chunk = &first_chunk<Slot>(); chunk != nullptr; chunk = chunk->next.load()) {
    for (const Slot& slot : chunk->slots) {
      const std::uintptr_t begin = slot.begin.load();
      if (begin == 0 || address < begin || address >= slot.end.load()) continue;
      return Location{slot.number.load(), slot.bytes.load(), static_cast<std::ptrdiff_t>(address - slot.data.load())};
    }
  }
  return std::nullopt;
}

}  // namespace rtcg::debug
