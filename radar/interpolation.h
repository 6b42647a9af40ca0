// Weights of the windowed sinc between range bins.
#pragma once

#include <cstddef>
#include <vector>

#include "radar/backprojection.h"

namespace rtcg::radar {

/// sinc(t) times a Kaiser window over `taps` bins, beta = pi taps (1 - occupancy) / 2 with the occupied part of the
/// spectrum K / nfft (Knab, IEEE Trans. Inf. Theory 25(6), 1979), tabulated at `sinc_phases` steps of the fraction f in
/// [0, 1): for step s and tap t (bin floor + t - taps / 2 + 1) the pair {weight at s, weight at s + 1 minus that};
/// linear interpolation between steps errs below 2e-5. One pair of zeros for linear interpolation, which needs none.
template <class Real>
std::vector<Real> sinc_table(const Interpolation& interpolation, double occupancy);

}  // namespace rtcg::radar
