// Fourier transforms of arrays, NumPy's numpy.fft of the same names: any length, any axis, any strides, batched over
// the other axes. Real types and integers are taken as complex_of(type): float32 and integers of up to 16 bits give
// complex64, others complex128. Results are contiguous. Plans and their kernels are kept for the process.
#pragma once

#include <optional>
#include <span>

#include "rtcg/array/expression.h"

namespace rtcg {

/// Where the factor 1 / n goes: to the inverse (backward), to the forward transform, or its root to both.
enum class FftNorm { backward, forward, ortho };

/// X[k] = sum_m x[m] exp(-2 pi i k m / n) along one axis. `length` cuts the axis or fills it up with zeros; absent, it
/// is the axis's extent. UsageError for length 0.
Array fft(const Expression& x, int axis = -1, std::optional<std::int64_t> length = {},
          FftNorm norm = FftNorm::backward);
Array ifft(const Expression& x, int axis = -1, std::optional<std::int64_t> length = {},
           FftNorm norm = FftNorm::backward);

/// Of real numbers (UsageError otherwise): the first length / 2 + 1 elements, the others are their conjugates.
Array rfft(const Expression& x, int axis = -1, std::optional<std::int64_t> length = {},
           FftNorm norm = FftNorm::backward);
/// Real numbers from these; `length` absent is 2 (extent - 1), so an odd length must be given.
Array irfft(const Expression& x, int axis = -1, std::optional<std::int64_t> length = {},
            FftNorm norm = FftNorm::backward);

/// Along several axes, all when none are given.
Array fftn(const Expression& x, std::span<const int> axes = {}, FftNorm norm = FftNorm::backward);
Array ifftn(const Expression& x, std::span<const int> axes = {}, FftNorm norm = FftNorm::backward);

/// Frequencies of the n elements of a spectrum, in cycles per unit of `spacing`: 0, 1, ..., -2, -1 over n spacing.
Array fftfreq(const Stream& stream, std::int64_t n, double spacing = 1, Dtype type = Dtype::f64);
/// Those of rfft: 0, 1, ..., n / 2 over n spacing.
Array rfftfreq(const Stream& stream, std::int64_t n, double spacing = 1, Dtype type = Dtype::f64);

/// Element 0 goes to extent / 2 along the axes (all when none are given); lazy. ifftshift takes it back.
Expression fftshift(const Expression& x, std::span<const int> axes = {});
Expression ifftshift(const Expression& x, std::span<const int> axes = {});

}  // namespace rtcg
