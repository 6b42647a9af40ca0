// Random inputs made on the device: patterns such as zeros would flatter caches, compression and clocks.
#pragma once

#include <string>

#include "rtcg/array/array.h"

namespace rtcg::bench {

Buffer random_floats(const Stream& stream, std::size_t count, unsigned seed = 1);   ///< uniform in [-1, 1]
Buffer random_complex(const Stream& stream, std::size_t count, unsigned seed = 1);  ///< both parts in [-1, 1]
Buffer random_uints(const Stream& stream, std::size_t count, unsigned seed = 1);    ///< all 32 bits
Buffer random_bytes(const Stream& stream, std::size_t count, unsigned seed = 1);    ///< untyped; count a multiple of 4

Array as_array(const Buffer& buffer);  ///< all of it, one dimension, of the buffer's element type

std::string power_of_two(std::size_t n);  ///< "2^28"; other numbers as they are

}  // namespace rtcg::bench
