// Generated Fourier transforms: a Stockham plan of radix 2, 3, 4, 5, 7 and 8 passes, written for one length, precision
// and device. Batched over contiguous rows.
#pragma once

#include <cstddef>

#include "rtcg/compile/compiler.h"

namespace rtcg {

enum class FftDirection { forward, inverse };  ///< exp(-i ...) and exp(+i ...); neither scales

struct FftShape {
  std::size_t length = 0;  ///< product of 2, 3, 5 and 7; UsageError otherwise
  FftDirection direction = FftDirection::forward;
  bool double_precision = false;
};

class Fft {
 public:
  Fft(const Device& device, const FftShape& shape);
  const FftShape& shape() const;
  static bool supports(std::size_t length);

  /// Rows of `data` ([batch][length] complex) are transformed; `scratch` has the same size. The result is in the buffer
  /// returned (one of the two).
  Buffer operator()(const Stream& stream, const Buffer& data, const Buffer& scratch, std::size_t batch) const;

  /// The text of the plan, for compile checks and for reading.
  static Source source(const DeviceProperties& device, const FftShape& shape);

 private:
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};

}  // namespace rtcg
