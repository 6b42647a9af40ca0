#include "radar/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "rtcg/error.h"

namespace rtcg::radar {

namespace {

using Complex = std::complex<double>;
constexpr int half_taps = 16;
constexpr int upsampling = 16;
constexpr int most_lobes = 10;

double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; term > 1e-17 * sum; ++k) {
    term *= 0.25 * x * x / (static_cast<double>(k) * k);
    sum += term;
  }
  return sum;
}

/// One slice of an image as a continuous function of pixel coordinates.
class Patch {
 public:
  Patch(const Image& image, std::size_t slice)
      : nx_(image.grid.nx), ny_(image.grid.ny), data_(image.pixels.data() + slice * nx_ * ny_) {}

  /// Mean frequency of the pixels about (i, j), in radians a pixel: the phase of the neighbour products.
  void centre_spectrum(std::size_t i, std::size_t j) {
    Complex along_x = 0, along_y = 0;
    const std::size_t reach = 4;
    const std::size_t i0 = i > reach ? i - reach : 0, i1 = std::min(i + reach, nx_ - 1);
    const std::size_t j0 = j > reach ? j - reach : 0, j1 = std::min(j + reach, ny_ - 1);
    for (std::size_t row = j0; row <= j1; ++row)
      for (std::size_t column = i0; column <= i1; ++column) {
        if (column < i1) along_x += at(column + 1, row) * std::conj(at(column, row));
        if (row < j1) along_y += at(column, row + 1) * std::conj(at(column, row));
      }
    ramp_x_ = std::arg(along_x), ramp_y_ = std::arg(along_y);
  }

  /// Do all taps about (u, v) lie in the image?
  bool inside(double u, double v) const {
    return u >= half_taps - 1 && v >= half_taps - 1 && u < static_cast<double>(nx_) - half_taps &&
           v < static_cast<double>(ny_) - half_taps;
  }

  /// Interpolated, without the mean frequency.
  Complex baseband(double u, double v) const {
    std::array<Complex, 2 * half_taps> wx, wy;
    const auto i0 = first_tap(u, ramp_x_, wx), j0 = first_tap(v, ramp_y_, wy);
    Complex sum = 0;
    for (std::size_t b = 0; b < wy.size(); ++b) {
      Complex row = 0;
      for (std::size_t a = 0; a < wx.size(); ++a) row += wx[a] * at(i0 + a, j0 + b);
      sum += wy[b] * row;
    }
    return sum;
  }
  Complex value(double u, double v) const { return baseband(u, v) * std::polar(1.0, ramp_x_ * u + ramp_y_ * v); }

 private:
  const Complex& at(std::size_t i, std::size_t j) const { return data_[j * nx_ + i]; }

  static std::size_t first_tap(double place, double ramp, std::array<Complex, 2 * half_taps>& weight) {
    constexpr double beta = 10.06;  // -100 dB outside
    static const double scale = 1 / bessel_i0(beta);
    const double whole = std::floor(place);
    for (int t = 0; t < 2 * half_taps; ++t) {
      const double tap = whole + t - (half_taps - 1), distance = place - tap;
      const double taper = std::max(0.0, 1 - distance * distance / (half_taps * half_taps));
      const double angle = std::numbers::pi * distance;
      const double sinc = std::abs(angle) < 1e-9 ? 1 : std::sin(angle) / angle;
      weight[static_cast<std::size_t>(t)] =
          sinc * bessel_i0(beta * std::sqrt(taper)) * scale * std::polar(1.0, -ramp * tap);
    }
    return static_cast<std::size_t>(whole) - (half_taps - 1);
  }

  std::size_t nx_, ny_;
  const Complex* data_;
  double ramp_x_ = 0, ramp_y_ = 0;
};

struct Place {
  double u = 0, v = 0;  // pixels
};

/// Top of the parabola through three values at -1, 0, 1; the middle one is the largest.
double parabola_top(double before, double middle, double after) {
  const double curvature = before - 2 * middle + after;
  return curvature < 0 ? std::clamp(0.5 * (before - after) / curvature, -1.0, 1.0) : 0.0;
}

Place refine(const Patch& patch, Place place, const std::array<Place, 2>& directions) {
  for (double step = 0.25; step > 1e-6; step *= 0.25) {
    for (int round = 0; round < 8; ++round) {
      double moved = 0;
      for (const Place& d : directions) {
        const auto power = [&](double t) { return std::norm(patch.baseband(place.u + t * d.u, place.v + t * d.v)); };
        const double shift = step * parabola_top(power(-step), power(0), power(step));
        const Place next{place.u + shift * d.u, place.v + shift * d.v};
        if (!patch.inside(next.u, next.v)) continue;
        place = next;
        moved = std::max(moved, std::abs(shift));
      }
      if (moved < 0.1 * step) break;
    }
  }
  return place;
}

/// Half of a cut: powers from the peak outwards at steps of one sixteenth pixel until the image or the last lobe ends.
struct Side {
  std::vector<double> power;
  std::vector<std::size_t> minima;
};

Side walk(const Patch& patch, const Place& peak, const Place& step) {
  Side side;
  side.power.push_back(std::norm(patch.baseband(peak.u, peak.v)));
  bool below_half = false;
  for (std::size_t n = 1; side.minima.size() <= most_lobes; ++n) {
    const double u = peak.u + static_cast<double>(n) * step.u, v = peak.v + static_cast<double>(n) * step.v;
    if (!patch.inside(u, v)) break;
    side.power.push_back(std::norm(patch.baseband(u, v)));
    below_half = below_half || side.power[n] < 0.5 * side.power[0];
    if (below_half && n >= 2 && side.power[n - 1] <= side.power[n - 2] && side.power[n - 1] < side.power[n])
      side.minima.push_back(n - 1);
  }
  return side;
}

double half_power(const Side& side) {
  const double half = 0.5 * side.power[0];
  for (std::size_t n = 1; n < side.power.size(); ++n)
    if (side.power[n] < half)
      return static_cast<double>(n - 1) + (side.power[n - 1] - half) / (side.power[n - 1] - side.power[n]);
  return 0;
}

ImpulseResponse measure(const Patch& patch, const Place& peak, const Place& step, double metres, const char* name) {
  const Side forward = walk(patch, peak, step), backward = walk(patch, peak, {-step.u, -step.v});
  ImpulseResponse response;
  response.lobes = static_cast<int>(std::min(forward.minima.size(), backward.minima.size())) - 1;
  if (response.lobes < 1)
    throw InputError(fmt::format(
        "the {} cut through pixel ({:.1f}, {:.1f}) leaves the image before its first sidelobe ends: a larger image "
        "around the point is needed",
        name, peak.u, peak.v));
  response.amplitude = std::sqrt(forward.power[0]);
  response.irw = (half_power(forward) + half_power(backward)) * metres;

  double inside = forward.power[0], outside = 0, highest = 0;
  for (const Side* side : {&forward, &backward}) {
    const std::size_t null = side->minima.front(), end = side->minima[static_cast<std::size_t>(response.lobes)];
    for (std::size_t n = 1; n < null; ++n) inside += side->power[n];
    inside += 0.5 * side->power[null], outside += 0.5 * side->power[null];
    for (std::size_t n = null + 1; n < end; ++n) {
      outside += side->power[n];
      const double before = side->power[n - 1], middle = side->power[n], after = side->power[n + 1];
      if (middle >= before && middle > after) {
        const double top = parabola_top(before, middle, after);
        highest = std::max(highest, middle - 0.25 * (before - after) * top);
      }
    }
  }
  response.pslr_db = 10 * std::log10(highest / forward.power[0]);
  response.islr_db = 10 * std::log10(outside / inside);
  return response;
}

struct PixelIndex {
  std::size_t i = 0, j = 0, k = 0;
};

PixelIndex strongest_pixel(const Image& image, double x, double y, double search) {
  const ImageGrid& grid = image.grid;
  PixelIndex best;
  double most = -1;
  const auto bounds = [&](double centre, double first, double spacing, std::size_t n) {
    const double low = std::ceil((centre - search - first) / spacing),
                 high = std::floor((centre + search - first) / spacing);
    const auto count = static_cast<double>(n);
    return std::pair{static_cast<std::ptrdiff_t>(std::clamp(low, 0.0, count)),
                     static_cast<std::ptrdiff_t>(std::clamp(high, -1.0, count - 1))};
  };
  const auto [i0, i1] = bounds(x, grid.x(0), grid.dx, grid.nx);
  const auto [j0, j1] = bounds(y, grid.y(0), grid.dy, grid.ny);
  for (std::size_t k = 0; k < grid.nz; ++k)
    for (std::ptrdiff_t j = j0; j <= j1; ++j)
      for (std::ptrdiff_t i = i0; i <= i1; ++i) {
        const PixelIndex here{static_cast<std::size_t>(i), static_cast<std::size_t>(j), k};
        const double power = std::norm(image.pixels[(k * grid.ny + here.j) * grid.nx + here.i]);
        if (std::hypot(grid.x(here.i) - x, grid.y(here.j) - y) <= search && power > most) most = power, best = here;
      }
  if (!(most > 0))
    throw InputError(
        fmt::format("no energy within {:g} m of ({:g}, {:g}): the image covers x {:g} .. {:g} m, y {:g} .. {:g} m",
                    search, x, y, grid.x(0), grid.x(grid.nx - 1), grid.y(0), grid.y(grid.ny - 1)));
  return best;
}

void check_same_shape(const Image& a, const Image& b) {
  const ImageGrid &p = a.grid, &q = b.grid;
  if (p.nx != q.nx || p.ny != q.ny || p.nz != q.nz || a.pixels.size() != b.pixels.size())
    throw InputError(fmt::format("images of different shape cannot be compared: {} x {} x {} and {} x {} x {}", p.nx,
                                 p.ny, p.nz, q.nx, q.ny, q.nz));
}

double total_power(const Image& image) {
  double total = 0;
  for (const Complex& pixel : image.pixels) total += std::norm(pixel);
  if (!std::isfinite(total)) throw InputError("the image holds values that are not finite");
  if (total == 0) throw InputError("the image is zero everywhere");
  return total;
}

}  // namespace

PointQuality point_quality(const Image& image, double x, double y, const Vec3& range_direction, double search) {
  const ImageGrid& grid = image.grid;
  const double length = std::hypot(range_direction.x(), range_direction.y());
  if (!(length > 0) || !std::isfinite(length))
    throw UsageError("the range direction must have a length in the x-y plane");
  if (!(search > 0) || !std::isfinite(search) || !std::isfinite(x) || !std::isfinite(y))
    throw UsageError("a point's place must be finite and the search distance positive");
  const double ex = range_direction.x() / length, ey = range_direction.y() / length;

  const PixelIndex pixel = strongest_pixel(image, x, y, search);
  Patch patch(image, pixel.k);
  if (!patch.inside(static_cast<double>(pixel.i), static_cast<double>(pixel.j)))
    throw InputError(fmt::format("the peak at ({:g}, {:g}) lies within {} pixels of the image's edge", grid.x(pixel.i),
                                 grid.y(pixel.j), half_taps));
  const double power = std::norm(image.pixels[(pixel.k * grid.ny + pixel.j) * grid.nx + pixel.i]);
  for (std::size_t j = pixel.j - 1; j <= pixel.j + 1; ++j)
    for (std::size_t i = pixel.i - 1; i <= pixel.i + 1; ++i)
      if (std::norm(image.pixels[(pixel.k * grid.ny + j) * grid.nx + i]) > power)
        throw InputError(fmt::format("no peak within {:g} m of ({:g}, {:g}): the image still rises at ({:g}, {:g})",
                                     search, x, y, grid.x(i), grid.y(j)));
  patch.centre_spectrum(pixel.i, pixel.j);

  const double metres = std::min(grid.dx, grid.dy) / upsampling;
  const Place along{ex * metres / grid.dx, ey * metres / grid.dy},
      across{-ey * metres / grid.dx, ex * metres / grid.dy};
  const auto whole_pixel = [](const Place& step) { return Place{step.u * upsampling, step.v * upsampling}; };
  const Place peak = refine(patch, {static_cast<double>(pixel.i), static_cast<double>(pixel.j)},
                            {whole_pixel(along), whole_pixel(across)});

  PointQuality quality;
  quality.peak = {grid.x(0) + peak.u * grid.dx, grid.y(0) + peak.v * grid.dy,
                  grid.position(pixel.i, pixel.j, pixel.k).z()};
  quality.value = patch.value(peak.u, peak.v);
  quality.range = measure(patch, peak, along, metres, "range");
  quality.cross_range = measure(patch, peak, across, metres, "cross-range");
  quality.range.position = quality.peak.x() * ex + quality.peak.y() * ey;
  quality.cross_range.position = -quality.peak.x() * ey + quality.peak.y() * ex;
  return quality;
}

double image_entropy(const Image& image) {
  const double total = total_power(image);
  double entropy = 0;
  for (const Complex& pixel : image.pixels)
    if (const double p = std::norm(pixel) / total; p > 0) entropy -= p * std::log(p);
  return entropy;
}

double image_contrast(const Image& image) {
  const double mean = total_power(image) / static_cast<double>(image.pixels.size());
  double variance = 0;
  for (const Complex& pixel : image.pixels) variance += (std::norm(pixel) / mean - 1) * (std::norm(pixel) / mean - 1);
  return std::sqrt(variance / static_cast<double>(image.pixels.size()));
}

double signal_to_error_db(const Image& image, const Image& reference) {
  check_same_shape(image, reference);
  const double signal = total_power(reference);
  double error = 0;
  for (std::size_t n = 0; n < image.pixels.size(); ++n) error += std::norm(image.pixels[n] - reference.pixels[n]);
  return error == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / error);
}

Coherence coherence(const Image& image, const Image& reference) {
  check_same_shape(image, reference);
  const ImageGrid& grid = image.grid;
  const std::size_t wx = std::min<std::size_t>(3, grid.nx), wy = std::min<std::size_t>(3, grid.ny);
  std::vector<double> values;
  for (std::size_t k = 0; k < grid.nz; ++k)
    for (std::size_t j = 0; j + wy <= grid.ny; ++j)
      for (std::size_t i = 0; i + wx <= grid.nx; ++i) {
        Complex product = 0;
        double a = 0, b = 0;
        for (std::size_t v = j; v < j + wy; ++v)
          for (std::size_t u = i; u < i + wx; ++u) {
            const std::size_t n = (k * grid.ny + v) * grid.nx + u;
            product += image.pixels[n] * std::conj(reference.pixels[n]);
            a += std::norm(image.pixels[n]), b += std::norm(reference.pixels[n]);
          }
        if (a > 0 && b > 0)
          values.push_back(std::min(1.0, std::abs(product) / std::sqrt(a * b)));
        else if (a > 0 || b > 0)
          values.push_back(0);
      }
  if (values.empty()) throw InputError("both images are zero everywhere");
  const auto quantile = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 100);
  std::nth_element(values.begin(), quantile, values.end());
  return {*std::min_element(values.begin(), quantile + 1), *quantile};
}

}  // namespace rtcg::radar
