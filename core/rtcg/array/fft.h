// Fourier transforms of any length, written for one device: rows of complex or real elements, any distances between
// elements and between rows, single or double precision. X[k] = scale sum_m x[m] exp(-+ 2 pi i k m / n).
//
// Lengths with the prime factors 2, 3, 5 and 7 take one kernel where a row fits into a group's local memory (on a GPU
// about 11000 complex floats), two or three kernels beyond; other lengths go by Bluestein's convolution over a longer
// row. Twiddle factors come from double precision, so the relative error is about 1e-7 log2(n) (1e-16 log2(n) in
// double). The same input gives the same bits.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>

#include "rtcg/compile/compiler.h"

namespace rtcg {

enum class FftDirection { forward, inverse };  ///< exp(-i ...) and exp(+i ...); neither scales by itself

enum class FftKind {
  complex,
  real_to_complex,  ///< the first length / 2 + 1 elements of a real row's spectrum; forward
  complex_to_real,  ///< from these; inverse. Imaginary parts that a real row cannot have are ignored, as NumPy does
};

struct FftShape {
  std::size_t length = 0;  ///< of the complex row, or of the real one; 1 to 2^27 (2^26 with a prime factor over 7)
  FftDirection direction = FftDirection::forward;
  bool double_precision = false;
  FftKind kind = FftKind::complex;
  friend bool operator==(const FftShape&, const FftShape&) = default;
};

/// Row (o, i) of `outer` x `inner` has its element m at offset + o outer + i inner + m step, in elements of `buffer`.
struct FftRows {
  Buffer buffer;
  std::int64_t offset = 0, step = 1, outer = 0, inner = 0;
};

class Fft {
 public:
  /// UsageError for a length that cannot be, DeviceError for double precision on a device that has none.
  Fft(const Device& device, const FftShape& shape);
  const FftShape& shape() const;
  std::size_t input_length() const;   ///< elements in a row: length, or length / 2 + 1
  std::size_t output_length() const;  ///< likewise

  /// `batch` rows, one after the other. Complex rows may be transformed in place: `output` may be `input`.
  void operator()(const Stream& stream, const Buffer& input, const Buffer& output, std::size_t batch,
                  double scale = 1) const;
  /// Rows of any layout. In place when both are the same rows; UsageError when they overlap otherwise or leave their
  /// buffers. The kernels for a kind of layout (neighbours in memory: elements or rows) are made at its first use.
  void operator()(const Stream& stream, const FftRows& input, const FftRows& output, std::size_t outer,
                  std::size_t inner = 1, double scale = 1) const;

  /// Has the length no prime factor over 7?
  static bool is_direct(std::size_t length);

 private:
  struct Plan;
  std::shared_ptr<Plan> plan_;
};

}  // namespace rtcg
