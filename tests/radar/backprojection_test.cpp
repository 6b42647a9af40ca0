// The forms of the tile kernels against the double-precision path, over geometries that ask for each of them.
#include "radar/backprojection.h"

#include <cmath>
#include <random>

#include "radar/quality.h"
#include "radar/tile_plan.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg::radar {
namespace {

/// Noise fills every pixel like a real scene does.
StoredPulses noise_pulses(std::size_t pulses, std::size_t samples, double ground_range, double height, double swath,
                          double aperture = 0.06, double look = 0.3) {
  Collection collection;
  collection.samples = samples;
  std::mt19937_64 random(11);
  std::normal_distribution<float> normal;
  for (std::size_t p = 0; p < pulses; ++p) {
    const double azimuth = look + aperture * (static_cast<double>(p) / static_cast<double>(pulses) - 0.5);
    collection.antenna.emplace_back(ground_range * std::cos(azimuth), ground_range * std::sin(azimuth), height);
    collection.reference_range.push_back(collection.antenna.back().norm());
  }
  collection.first_frequency.assign(pulses, 9.3e9);
  collection.frequency_step.assign(pulses, speed_of_light / (2 * swath));
  std::vector<std::complex<float>> data(pulses * samples);
  for (auto& value : data) value = {normal(random), normal(random)};
  return StoredPulses(std::move(collection), std::move(data));
}

ImageGrid plane(std::size_t nx, std::size_t ny, double spacing) {
  ImageGrid grid;
  grid.nx = nx, grid.ny = ny, grid.dx = grid.dy = spacing;
  return grid;
}

struct Case {
  const char* name;
  double ground_range, height, swath, spacing;
  std::size_t samples, nfft;
  TilePlan::Form form;
};

class BackprojectionTest : public testing::TestWithParam<Device> {
 protected:
  Stream stream_{GetParam()};

  /// CPU loops are vectors, which OpenCL has and CUDA has not.
  std::vector<DeviceKind> loop_shapes() const {
    if (GetParam().properties().backend == Backend::cuda) return {DeviceKind::gpu};
    return {DeviceKind::cpu, DeviceKind::gpu};
  }

  Image form(PulseSource& pulses, const ImageGrid& grid, ImagingOptions options, Precision precision,
             ImagingReport* report = nullptr) {
    options.precision = precision;
    return form_image(stream_, pulses, grid, options, report);
  }
};

TEST_P(BackprojectionTest, EveryFormStaysWithinItsBoundOfTheDoublePath) {
  const Case cases[] = {
      {"Gotcha-like", 7090, 7275, 100, 0.2, 100, 1024, TilePlan::Form::second_order},
      {"from space", 500e3, 600e3, 300, 0.5, 128, 1024, TilePlan::Form::second_order},
      {"from a low aircraft", 300, 250, 60, 0.1, 64, 512, TilePlan::Form::third_order},
      {"beside the scene", 14, 6, 60, 0.1, 64, 512, TilePlan::Form::exact},
  };
  for (const Case& c : cases) {
    StoredPulses pulses = noise_pulses(37, c.samples, c.ground_range, c.height, c.swath);
    const ImageGrid grid = plane(67, 45, c.spacing);
    for (const DeviceKind shape : loop_shapes()) {
      SCOPED_TRACE(std::string(c.name) + (shape == DeviceKind::gpu ? ", GPU loops" : ", CPU loops"));
      ImagingOptions options;
      options.nfft = c.nfft;
      options.loop_shape = shape;
      ImagingReport report;
      const Image image = form(pulses, grid, options, Precision::accurate, &report);
      const Image reference = form(pulses, grid, options, Precision::reference);
      const double ser = signal_to_error_db(image, reference);
      EXPECT_GT(ser, report.ser_estimate_db) << report.kernel;
      EXPECT_GT(report.ser_estimate_db, 50) << report.kernel;
      EXPECT_EQ(static_cast<int>(plan_tiles(GetParam().properties(), pulses.collection(), grid, options, c.nfft).form),
                static_cast<int>(c.form));
    }
  }
}

TEST_P(BackprojectionTest, LanesMayLieAlongEitherAxis) {
  for (const double look : {0.0, -1.6}) {
    StoredPulses pulses = noise_pulses(19, 64, 7000, 7000, 60, 0.06, look);
    ImageGrid grid = plane(70, 37, 0.2);
    grid.heights.assign(grid.pixels(), 0.0f);
    for (std::size_t i = 0; i < grid.pixels(); ++i) grid.heights[i] = 0.01f * static_cast<float>(i % 71);
    ImageGrid flat = plane(70, 37, 0.2);
    for (const DeviceKind shape : loop_shapes()) {
      ImagingOptions options;
      options.loop_shape = shape;
      EXPECT_GT(signal_to_error_db(form(pulses, flat, options, Precision::accurate),
                                   form(pulses, flat, options, Precision::reference)),
                75)
          << look;
      EXPECT_GT(signal_to_error_db(form(pulses, grid, options, Precision::accurate),
                                   form(pulses, grid, options, Precision::reference)),
                75)
          << look;
    }
  }
}

TEST_P(BackprojectionTest, BlocksOfPulsesChangeNoBit) {
  StoredPulses pulses = noise_pulses(53, 60, 7000, 7000, 80);
  const ImageGrid grid = plane(40, 70, 0.3);
  for (const Precision precision : {Precision::accurate, Precision::reference}) {
    ImagingOptions options;
    const Image whole = form(pulses, grid, options, precision);
    for (const std::size_t block : {1u, 7u, 16u, 52u}) {
      options.block_pulses = block;
      EXPECT_EQ(form(pulses, grid, options, precision).pixels, whole.pixels) << block;
    }
  }
}

TEST_P(BackprojectionTest, RegionsHaveTheBitsOfTheWhole) {
  StoredPulses pulses = noise_pulses(20, 60, 7000, 7000, 80);
  const ImageGrid grid = plane(101, 83, 0.2);
  for (const Precision precision : {Precision::accurate, Precision::reference}) {
    ImagingOptions options;
    const Image whole = form(pulses, grid, options, precision);
    for (const PixelRegion region : {PixelRegion{0, 0, 10, 10}, PixelRegion{33, 5, 40, 70}, PixelRegion{100, 82, 1, 1},
                                     PixelRegion{64, 0, 0, 0}}) {
      options.region = region;
      const Image part = form(pulses, grid, options, precision);
      EXPECT_NEAR(part.grid.x(0), grid.x(region.first_x), 1e-9);
      EXPECT_NEAR(part.grid.y(0), grid.y(region.first_y), 1e-9);
      for (std::size_t j = 0; j < part.grid.ny; ++j)
        for (std::size_t i = 0; i < part.grid.nx; ++i)
          ASSERT_EQ(part.pixels[j * part.grid.nx + i],
                    whole.pixels[(region.first_y + j) * grid.nx + region.first_x + i])
              << i << ", " << j;
    }
  }
}

TEST_P(BackprojectionTest, HeightsMoveThePlane) {
  StoredPulses pulses = noise_pulses(30, 60, 7000, 7000, 80);
  ImageGrid raised = plane(50, 50, 0.2);
  raised.centre.z() = 1.25;
  ImageGrid dem = plane(50, 50, 0.2);
  dem.heights.assign(2500, 1.25f);
  for (const Precision precision : {Precision::accurate, Precision::reference})
    EXPECT_GT(signal_to_error_db(form(pulses, dem, {}, precision), form(pulses, raised, {}, precision)),
              precision == Precision::reference ? 200 : 75);
  for (std::size_t j = 0; j < 50; ++j)
    for (std::size_t i = 0; i < 50; ++i)
      dem.heights[j * 50 + i] =
          static_cast<float>(std::sin(0.2 * static_cast<double>(i)) * std::cos(0.3 * static_cast<double>(j)));
  for (const DeviceKind shape : loop_shapes()) {
    ImagingOptions options;
    options.loop_shape = shape;
    EXPECT_GT(signal_to_error_db(form(pulses, dem, options, Precision::accurate),
                                 form(pulses, dem, options, Precision::reference)),
              75);
  }
}

TEST_P(BackprojectionTest, VoxelSlicesArePlanes) {
  StoredPulses pulses = noise_pulses(30, 60, 7000, 7000, 80);
  ImageGrid volume = plane(40, 33, 0.2);
  volume.nz = 3, volume.dz = 0.7, volume.centre.z() = 0.5;
  for (const Precision precision : {Precision::accurate, Precision::reference}) {
    const Image voxels = form(pulses, volume, {}, precision);
    for (std::size_t k = 0; k < 3; ++k) {
      ImageGrid slice = plane(40, 33, 0.2);
      slice.centre.z() = volume.z(k);
      const Image flat = form(pulses, slice, {}, precision);
      const Image cut{slice,
                      {voxels.pixels.begin() + static_cast<std::ptrdiff_t>(k * slice.pixels()),
                       voxels.pixels.begin() + static_cast<std::ptrdiff_t>((k + 1) * slice.pixels())}};
      EXPECT_GT(signal_to_error_db(cut, flat), precision == Precision::reference ? 200 : 75) << k;
    }
  }
}

TEST_P(BackprojectionTest, SincOfFewBinsMatchesManyLinearBins) {
  StoredPulses pulses = noise_pulses(24, 64, 7000, 7000, 60);
  const ImageGrid grid = plane(48, 48, 0.2);
  ImagingOptions fine;
  fine.nfft = 1 << 15;
  const Image exact = form(pulses, grid, fine, Precision::reference);
  ImagingOptions coarse;
  coarse.nfft = 128;
  const double linear = signal_to_error_db(form(pulses, grid, coarse, Precision::accurate), exact);
  coarse.interpolation = Interpolation::parse("sinc:12");
  EXPECT_GT(signal_to_error_db(form(pulses, grid, coarse, Precision::reference), exact), 65);
  for (const DeviceKind shape : loop_shapes()) {
    coarse.loop_shape = shape;
    EXPECT_GT(signal_to_error_db(form(pulses, grid, coarse, Precision::accurate), exact), 65);
  }
  EXPECT_LT(linear, 40);
}

TEST_P(BackprojectionTest, PixelsOutsideTheSwathAreZero) {
  StoredPulses pulses = noise_pulses(12, 32, 7000, 7000, 10);
  const ImageGrid grid = plane(81, 40, 1.0);
  for (const Precision precision : {Precision::accurate, Precision::reference}) {
    const Image image = form(pulses, grid, {}, precision);
    EXPECT_EQ(image.pixels[20 * 81], std::complex<double>(0, 0));
    EXPECT_GT(std::abs(image.pixels[20 * 81 + 40]), 0);
  }
  EXPECT_GT(
      signal_to_error_db(form(pulses, grid, {}, Precision::accurate), form(pulses, grid, {}, Precision::reference)),
      70);
}

TEST_P(BackprojectionTest, AnAntennaOnAPixelIsNoSingularity) {
  StoredPulses noise = noise_pulses(5, 32, 3, 0, 30, 0.5);
  Collection collection = noise.collection();
  collection.antenna[2] = {0.4, 0.2, 0};
  std::vector<std::complex<float>> samples(5 * 32);
  noise.read(0, 5, samples);
  StoredPulses pulses(collection, samples);
  const ImageGrid grid = plane(41, 41, 0.1);
  ImagingReport report;
  const Image image = form(pulses, grid, {}, Precision::accurate, &report);
  EXPECT_GT(signal_to_error_db(image, form(pulses, grid, {}, Precision::reference)), report.ser_estimate_db);
  EXPECT_GT(report.ser_estimate_db, 45);
}

TEST_P(BackprojectionTest, RefusesWhatMakesNoSense) {
  StoredPulses pulses = noise_pulses(3, 32, 7000, 7000, 10);
  ImagingOptions options;
  for (const std::size_t nfft : {16u, 33u, 22u * 11u, (1u << 24) + 2u}) {
    options.nfft = nfft;
    EXPECT_THROW(form(pulses, plane(8, 8, 1), options, Precision::accurate), UsageError) << nfft;
  }
  options.nfft = 0;
  // Tiles of kilometres: too many radians for a float, no trouble for a double.
  EXPECT_THROW(form(pulses, plane(8, 8, 1000), options, Precision::accurate), UsageError);
  EXPECT_NO_THROW(form(pulses, plane(8, 8, 1000), options, Precision::reference));
  options.region = {8, 0, 1, 1};
  EXPECT_THROW(form(pulses, plane(8, 8, 1), options, Precision::accurate), UsageError);
  options.region = {4, 4, 5, 1};
  EXPECT_THROW(form(pulses, plane(8, 8, 1), options, Precision::accurate), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Devices, BackprojectionTest, testing::ValuesIn(test::test_devices()), test::device_test_name);

TEST(TileKernels, CompileForEveryFormOnBothArchitectures) {
  if (cuda_architectures().empty()) GTEST_SKIP() << "no NVRTC here";
  const StoredPulses pulses = noise_pulses(16, 64, 7000, 7000, 80);
  const ImageGrid grid = plane(2048, 2048, 0.05);
  DeviceProperties gpu;
  gpu.kind = DeviceKind::gpu, gpu.backend = Backend::cuda, gpu.compute_units = 132, gpu.local_memory = 48 << 10;
  for (const int taps : {0, 8}) {
    ImagingOptions options;
    if (taps > 0) options.interpolation = {Interpolation::Kind::sinc, taps};
    TilePlan plan = plan_tiles(gpu, pulses.collection(), grid, options, 512);
    for (const auto form : {TilePlan::Form::second_order, TilePlan::Form::third_order, TilePlan::Form::exact}) {
      for (const bool heights : {false, true}) {
        if ((taps > 0 || heights) && form != TilePlan::Form::exact) continue;
        plan.form = form, plan.heights = heights;
        for (const int stage : {0, 8}) {
          if (taps > 0 && stage > 0) continue;
          plan.stage = stage;
          for (const Source& source : tile_sources(plan, grid, 512))
            for (const char* architecture : {"sm_80", "sm_90"})
              EXPECT_NO_THROW(check_cuda(source, architecture)) << plan.describe();
        }
      }
    }
  }
}

}  // namespace
}  // namespace rtcg::radar
