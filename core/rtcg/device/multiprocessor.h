// What one multiprocessor of a GPU holds, and how many there are, for kernels that size their tiles by it. Where a back
// end does not say, the numbers are those every current GPU has.
#pragma once

#include <cstddef>

#include "rtcg/device/device.h"

namespace rtcg {

struct Multiprocessor {
  std::size_t count = 1;                    ///< of them
  std::size_t registers = 65536;            ///< of 32 bits
  std::size_t items = 2048;                 ///< at most resident
  std::size_t local_bytes = 48 << 10;       ///< for all its work-groups
  std::size_t most_local_bytes = 48 << 10;  ///< for one work-group, asking for more where that is possible

  static Multiprocessor of(const Device& device);
};

}  // namespace rtcg
