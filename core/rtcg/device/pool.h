// Device memory kept for the next request. Sizes are rounded up to bins of one exponent and three mantissa bits (at
// most 12.5 % waste); a freed block serves the next request of its bin, kind and stream, or of another stream once an
// event shows that the first stream is done with it. Before any request fails, at the limit too, the pool gives back
// everything it holds and tries again. A small request is never served from a larger bin.
#pragma once

#include <cstddef>
#include <memory>

#include "rtcg/device/driver.h"

namespace rtcg {

class MemoryPool {
 public:
  struct Statistics {
    std::size_t held_bytes = 0;    ///< free, kept for reuse
    std::size_t active_bytes = 0;  ///< in use, counted in whole bins
    std::size_t peak_bytes = 0;    ///< most held + active so far
    std::size_t held_blocks = 0, active_blocks = 0;
    std::size_t requests = 0, reused = 0;  ///< all; those served without the driver
    std::size_t limit_bytes = 0;           ///< 0: none
  };
  struct Block {
    Handle memory = 0;
    std::size_t bytes = 0;  ///< of the bin
    MemoryKind kind = MemoryKind::device;
    Handle stream = 0;
  };

  explicit MemoryPool(Driver& driver);
  ~MemoryPool();

  /// Bytes of the bin that serves a request.
  static std::size_t bin_bytes(std::size_t bytes);

  /// Throws OutOfMemory saying what was asked, what is free on the device, and what the pool holds.
  Block acquire(Handle stream, std::size_t bytes, MemoryKind kind);
  void give_back(const Block& block) noexcept;
  /// A stream is about to go: its free blocks serve other streams once its work is done. Does not wait.
  void forget_stream(Handle stream) noexcept;

  void trim() noexcept;               ///< give all free blocks back to the driver
  void set_limit(std::size_t bytes);  ///< cap on held + active; 0 removes it
  void stop_holding(bool stop);       ///< freed blocks go straight to the driver
  Statistics statistics() const;

 private:
  struct Shelves;
  Driver& driver_;
  std::unique_ptr<Shelves> shelves_;
};

}  // namespace rtcg
