// Backprojection of a Gotcha-like collection: ours against the double-precision path, a plain kernel on the same device
// and, on a CPU, plain C++ on the same cores.
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "apps/rtcg-bench/kernels.h"
#include "apps/rtcg-bench/record.h"
#include "radar/accumulator.h"
#include "radar/backprojection.h"
#include "radar/quality.h"
#include "radar/range_compression.h"
#include "radar/simulate.h"
#include "radar/tile_tuning.h"

namespace rtcg::bench {

namespace {

using namespace rtcg::radar;

struct Problem {
  std::size_t side, pulses;
  std::size_t nfft = 4096;
  double backprojections() const { return static_cast<double>(side * side * pulses); }
};

/// AFRL's Gotcha pass 1: 424 samples over 622 MHz at 9.6 GHz from 10 km, four degrees; samples are noise, which like a
/// real scene fills every pixel.
StoredPulses gotcha_like(std::size_t pulses) {
  Collection collection;
  collection.samples = 424;
  collection.antenna = circular_trajectory(pulses, 7090, 7275, -0.035, 0.035);
  for (const Vec3& antenna : collection.antenna) collection.reference_range.push_back(antenna.norm());
  collection.first_frequency.assign(pulses, 9.2881e9);
  collection.frequency_step.assign(pulses, 1471301.6);
  collection.description = "synthetic, Gotcha-like";
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  std::vector<std::complex<float>> samples(pulses * collection.samples);
  for (auto& sample : samples) sample = {normal(random), normal(random)};
  return StoredPulses(std::move(collection), std::move(samples));
}

ImageGrid scene(const Problem& problem) {
  ImageGrid grid;
  grid.nx = grid.ny = problem.side;
  grid.dx = grid.dy = 100.0 / static_cast<double>(problem.side);
  return grid;
}

/// On the device: the plain kernel and the tile kernels get the same.
Buffer range_profiles(const Stream& stream, StoredPulses& pulses, const ImagingOptions& options,
                      const Problem& problem) {
  RangeCompression compress(stream, pulses.collection(), options, problem.nfft, problem.pulses);
  std::vector<std::complex<float>> samples(problem.pulses * pulses.collection().samples);
  pulses.read(0, problem.pulses, samples);
  return compress(Buffer::from(stream, samples), 0, problem.pulses);
}

/// Profiles to image with everything that belongs to it (tables, tile parameters), again and again.
Measurement accumulation(const Stream& stream, const Buffer& profiles, const Collection& collection,
                         const ImageGrid& grid, const ImagingOptions& options, const Problem& problem,
                         const Budget& budget) {
  const TilePlan plan = plan_tuned_tiles(stream.device(), collection, grid, options, problem.nfft);
  const TileImage image(stream, plan, grid, options.region, options.precision == Precision::reference);
  const auto accumulator =
      make_accumulator(stream, image, grid, options, collection.samples, problem.nfft, problem.pulses);
  const Buffer geometry = pulse_geometry(stream, collection, options, problem.nfft);
  return measure(
      stream, [&] { accumulator->add(profiles, geometry, 0, problem.pulses); }, budget);
}

Image image_of(const std::vector<std::complex<float>>& pixels, const ImageGrid& grid) {
  return {grid, std::vector<std::complex<double>>(pixels.begin(), pixels.end())};
}

}  // namespace

Suite radar_suite(const Context& context) {
  Suite suite{"radar", {}, {}};
  const Stream& stream = context.stream;
  const bool gpu = stream.device().properties().kind == DeviceKind::gpu;
  const Problem problem = context.quick ? Problem{128, 64} : gpu ? Problem{2048, 1024} : Problem{512, 512};
  StoredPulses pulses = gotcha_like(problem.pulses);
  const Collection& collection = pulses.collection();
  const ImageGrid grid = scene(problem);
  const double work = problem.backprojections() / 1e9;
  const std::string size = fmt::format("{0} x {0} x {1}", problem.side, problem.pulses);

  ImagingOptions options;
  options.nfft = problem.nfft;
  ImagingReport report;
  options.precision = Precision::reference;
  const Image reference = form_image(stream, pulses, grid, options, &report);
  options.precision = Precision::accurate;
  const Image accurate = form_image(stream, pulses, grid, options, &report);
  const Buffer profiles = range_profiles(stream, pulses, options, problem);
  const Measurement ours = accumulation(stream, profiles, collection, grid, options, problem, context.budget());
  options.precision = Precision::reference;
  const Measurement exact = accumulation(stream, range_profiles(stream, pulses, options, problem), collection, grid,
                                         options, problem, {0.01, 0, 2});

  // The plain kernel gets the same profiles.
  std::vector<float> antennas;
  for (std::size_t p = 0; p < problem.pulses; ++p) {
    for (int axis = 0; axis < 3; ++axis) antennas.push_back(static_cast<float>(collection.antenna[p][axis]));
    antennas.push_back(static_cast<float>(collection.reference_range[p]));
  }
  const auto spacing = static_cast<float>(grid.dx);
  const auto bins_per_metre =
      static_cast<float>(2 * collection.frequency_step[0] * static_cast<double>(problem.nfft) / speed_of_light);
  const auto wavenumber = static_cast<float>(collection.carrier_wavenumber(0));
  const Kernel kernel =
      compile(stream.device(), Source("plain_backprojection.cl", plain_backprojection)).kernel("plain_backprojection");
  const Buffer pulse = Buffer::from(stream, antennas), image = Buffer::of<std::complex<float>>(stream, grid.pixels());
  const int side = static_cast<int>(problem.side);
  const Grid launch = Grid::of((problem.side + 15) / 16, (problem.side + 15) / 16, 1, 16, 16, 1);
  const Measurement plain = measure(
      stream,
      [&] {
        kernel(stream, launch, profiles, pulse, image, static_cast<int>(problem.pulses), static_cast<int>(problem.nfft),
               side, side, spacing, bins_per_metre, wavenumber);
      },
      context.budget());
  const double plain_ser = signal_to_error_db(image_of(image.read<std::complex<float>>(), grid), reference);

  suite.add({"backprojection, plain kernel, " + size,
             work / plain.median,
             "Gbp/s",
             plain,
             {},
             {{"ser_db", plain_ser}},
             "one pixel an item, sqrt, sincos, fp32"});
  suite.add({"backprojection, double, " + size,
             work / exact.median,
             "Gbp/s",
             exact,
             {{"plain kernel", plain.median / exact.median}},
             {},
             ""});
  Result result{"backprojection, accurate, " + size,
                work / ours.median,
                "Gbp/s",
                ours,
                {{"plain kernel", plain.median / ours.median}, {"double", exact.median / ours.median}},
                {{"ser_db", signal_to_error_db(accurate, reference)},
                 {"phase_error_bound_rad", report.phase_error_bound},
                 {"compression_seconds", report.compression_seconds}},
                report.kernel};
  if (!gpu) {
    std::vector<std::complex<float>> host_image(grid.pixels());
    const std::vector<std::complex<float>> host_profiles = profiles.read<std::complex<float>>();
    const PlainProblem host{problem.pulses, problem.nfft, problem.side,         problem.side,   spacing,
                            bins_per_metre, wavenumber,   host_profiles.data(), antennas.data()};
    const Measurement openmp = measure_host([&] { openmp_backprojection(host, host_image); }, context.budget());
    suite.add({"backprojection, C++ with OpenMP, " + size,
               work / openmp.median,
               "Gbp/s",
               openmp,
               {},
               {{"ser_db", signal_to_error_db(image_of(host_image, grid), reference)}},
               "-O3 -march=native -fno-math-errno"});
    result.ratios["C++ with OpenMP"] = openmp.median / ours.median;
  }
  suite.add(std::move(result));
  return suite;
}

}  // namespace rtcg::bench
