// The arithmetic of Fourier plans: how a length falls into radices of one kernel and into stages of several, which
// length carries Bluestein's convolution, and roots of one that are exact to the last bit or so. Host only.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace rtcg::detail {

/// Radices a work-item can transform in registers; all are products of 2, 3, 5 and 7 up to 16.
constexpr int largest_radix = 16;

/// Has the length no prime factor but 2, 3, 5 and 7? False for 0.
bool is_smooth(std::size_t length);

/// Fewest radices up to `largest` whose product is the length, as even as can be, largest first. Empty for length 1.
std::vector<int> radices_of(int length, int largest);

/// The length as a product of the fewest factors up to `largest`, as even as can be, smallest first; a smooth length
/// only. Empty where more than three factors would be needed.
std::vector<int> stages_of(std::size_t length, std::size_t largest);

/// The cheapest smooth length that holds the linear convolution of a chirp of `length`: at least 2 length - 1.
std::size_t convolution_length(std::size_t length);

/// exp(2 pi i k / n) with the angle reduced exactly, to an eighth of the circle.
std::complex<double> root_of_one(std::size_t k, std::size_t n);

/// All n of them.
std::vector<std::complex<double>> roots_of_one(std::size_t n);

}  // namespace rtcg::detail
