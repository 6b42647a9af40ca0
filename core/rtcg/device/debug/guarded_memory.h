// Pages that nobody may touch except while they are open. A block ends at an inaccessible page and begins after one,
// so that a step over either end faults; fresh contents are 0xFF bytes, which read as NaN. Every block is in a list
// that a signal handler may walk, so that a faulting address can be named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace rtcg::debug {

class GuardedMemory {
 public:
  enum class Protection { closed, readable, open };

  /// Closed and poisoned. Throws OutOfMemory.
  explicit GuardedMemory(std::size_t bytes);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  unsigned number() const { return number_; }  ///< from 1, in the order of allocation

  void protect(Protection protection);
  /// The bytes between the block and its guard pages, which alignment leaves, are as they were made. Needs an open
  /// block.
  bool is_padding_intact() const;

  /// Where an address lies. Only atomic loads: safe in a signal handler.
  struct Location {
    unsigned number = 0;
    std::size_t bytes = 0;      ///< of the block
    std::ptrdiff_t offset = 0;  ///< from its first byte; outside [0, bytes) in a guard page
  };
  static std::optional<Location> locate(std::uintptr_t address) noexcept;

 private:
  struct Slot;
  static Slot& free_slot();

  std::byte* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0, rounded_bytes_ = 0;
  unsigned number_ = 0;
  Slot* slot_ = nullptr;
};

}  // namespace rtcg::debug
