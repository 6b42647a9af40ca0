#include "radar/image.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

void check_spacing(double spacing, const char* name) {
  if (!std::isfinite(spacing) || spacing <= 0)
    throw UsageError(fmt::format("image grid: {} is {}; it must be positive and finite (metres)", name, spacing));
  if (spacing < 1e-12 || spacing > length_limit)
    throw UsageError(
        fmt::format("image grid: {} is {:g} m; from 1e-12 to {:g} is possible", name, spacing, length_limit));
}

}  // namespace

void ImageGrid::check() const {
  if (nx == 0 || ny == 0 || nz == 0)
    throw UsageError(fmt::format("image grid: {} x {} x {} pixels; every extent must be at least 1", nx, ny, nz));
  const std::size_t most = SIZE_MAX / sizeof(std::complex<double>);
  if (nx > most / ny || nx * ny > most / nz)
    throw UsageError(fmt::format("image grid: {} x {} x {} pixels do not fit the address space", nx, ny, nz));
  check_spacing(dx, "dx");
  check_spacing(dy, "dy");
  check_spacing(dz, "dz");
  if (!centre.allFinite()) throw UsageError("image grid: the centre is not finite");
  for (double edge : {x(0), x(nx - 1), y(0), y(ny - 1), z(0), z(nz - 1)})
    if (!(std::abs(edge) <= length_limit))
      throw UsageError(
          fmt::format("image grid: the extent overflows, an edge lies at {:g} m of at most {:g}; use a "
                      "nearer centre, fewer pixels or a smaller spacing",
                      edge, length_limit));
  if (heights.empty()) return;
  if (nz != 1) throw UsageError(fmt::format("image grid: heights are for a single layer but nz is {}", nz));
  if (heights.size() != nx * ny)
    throw UsageError(
        fmt::format("image grid: {} heights for {} x {} pixels; one per pixel is needed", heights.size(), nx, ny));
  for (std::size_t i = 0; i < heights.size(); ++i)
    if (!(std::abs(heights[i]) <= length_limit))
      throw UsageError(
          fmt::format("image grid: the height at pixel ({}, {}) is not a possible number of metres", i % nx, i / nx));
}

}  // namespace rtcg::radar
