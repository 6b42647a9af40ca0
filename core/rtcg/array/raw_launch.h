// Launches of kernels that move elements as bits: a float buffer goes to a parameter declared uint. Count and space of
// the arguments and the types of values are checked as in every launch, element types of buffers are not.
#pragma once

#include <array>

#include "rtcg/compile/kernel.h"

namespace rtcg {

template <class T>
Argument raw_argument(const T& value) {
  if constexpr (std::is_same_v<T, Buffer>)
    return {value.argument(), {ScalarType::unknown, 1, ArgumentSpace::buffer, 0}};
  else
    return {&value, {scalar_type<T>(), 1, ArgumentSpace::value, sizeof(T)}};
}

template <class... Arguments>
void raw_launch(const Kernel& kernel, const Stream& stream, const Grid& grid, const Arguments&... arguments) {
  const std::array<Argument, sizeof...(Arguments)> packed{raw_argument(arguments)...};
  kernel.launch(stream, grid, packed);
}

}  // namespace rtcg
