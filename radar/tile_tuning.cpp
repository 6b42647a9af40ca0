#include "radar/tile_tuning.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include "radar/accumulator.h"
#include "radar/range_compression.h"
#include "radar/simulate.h"
#include "rtcg/error.h"
#include "rtcg/tune/choice.h"

namespace rtcg::radar {

namespace {

constexpr const char* family = "backprojection";
constexpr std::size_t nfft = 2048, trial_pulses = 256;

struct Problem {
  bool cpu = false;
  bool sinc = false;
  double width = 0, height = 0;  ///< pixels along the lanes, and along the runs

  ImagingOptions options() const {
    ImagingOptions result;
    result.nfft = nfft;
    result.loop_shape = cpu ? DeviceKind::cpu : DeviceKind::gpu;
    if (sinc) result.interpolation = Interpolation::parse("sinc:8");
    return result;
  }
  /// Half-metre pixels seen from the y axis, so that lanes lie along x.
  ImageGrid grid() const {
    ImageGrid result;
    result.nx = static_cast<std::size_t>(width), result.ny = static_cast<std::size_t>(height);
    result.dx = result.dy = std::min(0.5, 100 / std::max(width, height));
    return result;
  }
};

/// An X-band collection of 600 MHz from 10 km: samples are noise, which like a real scene fills every pixel.
StoredPulses pulses_of(std::size_t count) {
  Collection collection;
  collection.samples = 256;
  collection.antenna =
      circular_trajectory(count, 7090, 7275, std::numbers::pi / 2 - 0.035, std::numbers::pi / 2 + 0.035);
  for (const Vec3& antenna : collection.antenna) collection.reference_range.push_back(antenna.norm());
  collection.first_frequency.assign(count, 9.3e9);
  collection.frequency_step.assign(count, 600e6 / 256);
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  std::vector<std::complex<float>> samples(count * collection.samples);
  for (auto& sample : samples) sample = {normal(random), normal(random)};
  return StoredPulses(std::move(collection), std::move(samples));
}

/// What is measured is the accumulation of one block of pulses, profiles to image; held against the path in double
/// precision, which has no tiles to choose.
class TileTrial : public Trial {
 public:
  TileTrial(const Stream& stream, const Problem& problem)
      : stream_(stream), problem_(problem), pulses_(pulses_of(trial_pulses)) {
    ImagingOptions options = problem.options();
    geometry_ = pulse_geometry(stream, pulses_.collection(), options, nfft);
    profiles_ = compressed(options);
    options.precision = Precision::reference;
    const Buffer exact = compressed(options);
    make(plan_tiles(stream.device().properties(), pulses_.collection(), problem.grid(), options, nfft), options);
    accumulator_->add(exact, geometry_, 0, trial_pulses);
    expected_ = image_->download().pixels;
  }

  std::function<void()> prepare(const Configuration& configuration) override {
    const ForcedConfiguration forced(family, configuration);
    make(plan_tuned_tiles(stream_.device(), pulses_.collection(), problem_.grid(), problem_.options(), nfft),
         problem_.options());
    return [this] {
      image_->pixels().zero(stream_);
      accumulator_->add(profiles_, geometry_, 0, trial_pulses);
    };
  }
  /// The image belongs to what a configuration makes anew, and download() refuses what is not finite.
  std::vector<const GuardedOutput*> outputs() const override { return {}; }
  void check() override {
    const auto found = image_->download().pixels;
    double error = 0, power = 0, worst = 0;
    for (std::size_t k = 0; k < expected_.size(); ++k) {
      const double difference = std::norm(std::complex<double>(found.at(k)) - std::complex<double>(expected_[k]));
      error += difference, power += std::norm(expected_[k]), worst = std::max(worst, difference);
    }
    const double mean = power / static_cast<double>(expected_.size());
    // Float phases of 2 10^6 rad expanded about a tile's centre err by 10^-4; a pixel that was left out or added twice
    // errs by itself.
    if (!(error <= 1e-6 * power && worst <= 1e-4 * mean))
      throw NumericalError(
          fmt::format("the image errs by {:.2g} of its mean amplitude at one pixel, {:.2g} in the mean",
                      std::sqrt(worst / mean), std::sqrt(error / power)));
  }

 private:
  Buffer compressed(const ImagingOptions& options) {
    std::vector<std::complex<float>> samples(trial_pulses * pulses_.collection().samples);
    pulses_.read(0, trial_pulses, samples);
    RangeCompression compress(stream_, pulses_.collection(), options, nfft, trial_pulses);
    const Buffer profiles = compress(Buffer::from(stream_, samples), 0, trial_pulses);
    stream_.synchronize();
    return profiles;
  }
  void make(const TilePlan& plan, const ImagingOptions& options) {
    accumulator_.reset();
    image_.emplace(stream_, plan, problem_.grid(), options.region, options.precision == Precision::reference);
    const Collection& collection = pulses_.collection();
    accumulator_ =
        make_accumulator(stream_, *image_, problem_.grid(), options, collection.samples, nfft, collection.pulses());
  }

  Stream stream_;
  Problem problem_;
  StoredPulses pulses_;
  Buffer geometry_, profiles_;
  std::optional<TileImage> image_;
  std::unique_ptr<Accumulator> accumulator_;
  decltype(Image::pixels) expected_;
};

TileTuning read(const Configuration& configuration) {
  const auto value = [&](const char* name) {
    return configuration.find(name) == nullptr ? 0 : static_cast<int>(configuration.integer(name));
  };
  return {value("lines"), value("run"), value("resident"), value("tile"), value("lanes")};
}

Tunable describe(const DeviceProperties& device, const Problem& problem) {
  Tunable tunable;
  tunable.family = family;
  tunable.traits = {{"loops", problem.cpu ? "cpu" : "gpu"}, {"interpolation", problem.sinc ? "sinc" : "linear"}};
  tunable.sizes = {{"width", problem.width}, {"height", problem.height}};
  const TileTuning standard = standard_tiles(device, problem.options(), static_cast<std::size_t>(problem.width),
                                             static_cast<std::size_t>(problem.height));
  ParameterSpace& space = tunable.space;
  if (problem.cpu) {
    space.parameter("tile", integers({16, 32, 64}), std::int64_t{standard.tile});
    space.parameter("run", integers({2, 4, 8}), std::int64_t{standard.run});
    if (!problem.sinc) space.parameter("lanes", integers({4, 8, 16}), std::int64_t{standard.lanes});
  } else {
    space.parameter("lines", integers({1, 2, 4, 8}), std::int64_t{standard.lines});
    space.parameter("run", integers({2, 4, 8, 16}), std::int64_t{standard.run});
    space.parameter("resident", integers({1, 2, 3, 4, 6, 8, 12, 16}), std::int64_t{standard.resident});
    space.constraint("lines x run <= 64", {"lines", "run"},
                     [](const Configuration& c) { return c.integer("lines") * c.integer("run") <= 64; });
    space.constraint("a multiprocessor holds 2048 items", {"lines", "resident"},
                     [](const Configuration& c) { return 32 * c.integer("lines") * c.integer("resident") <= 2048; });
  }
  tunable.demand = [problem](const Configuration& configuration) {
    if (problem.cpu) return Demand{};
    return Demand{static_cast<std::size_t>(32 * read(configuration).lines), problem.sinc ? 0u : 40u << 10};
  };
  tunable.trial = [problem](const Stream& stream) { return std::make_unique<TileTrial>(stream, problem); };
  tunable.work = problem.width * problem.height * static_cast<double>(trial_pulses);
  tunable.unit = "backprojection";
  return tunable;
}

}  // namespace

TilePlan plan_tuned_tiles(const Device& device, const Collection& collection, const ImageGrid& grid,
                          const ImagingOptions& options, std::size_t bins) {
  static auto* const choices = new Choices<TileTuning>(family);
  const DeviceProperties& properties = device.properties();
  const bool along_y = lanes_lie_along_y(collection, grid);
  const unsigned width = size_class(static_cast<double>(along_y ? grid.ny : grid.nx)),
                 height = size_class(static_cast<double>((along_y ? grid.nx : grid.ny) * grid.nz));
  Problem problem{options.loop_shape.value_or(properties.kind) != DeviceKind::gpu,
                  options.interpolation.kind == Interpolation::Kind::sinc, size_of_class(width), size_of_class(height)};
  std::optional<TileTuning> tuning;
  if (grid.heights.empty() && options.precision == Precision::accurate)
    tuning = choices->find(
        device,
        width | std::uint64_t{height} << 6 | std::uint64_t{problem.cpu} << 12 | std::uint64_t{problem.sinc} << 13,
        [&] { return describe(properties, problem); }, read);
  return plan_tiles(properties, collection, grid, options, bins, tuning.value_or(TileTuning{}));
}

void add_tunables(TunableRegistry& registry) {
  TunableFamily backprojection;
  backprojection.name = family;
  backprojection.meaning = "tiles of a backprojected image";
  backprojection.traits = {{"interpolation", "of range profiles", {"linear", "sinc"}},
                           {"loops", "the kernel's loops", {"automatic", "cpu", "gpu"}}};
  backprojection.sizes = {{"width", "pixels across the line of sight", 1024}, {"height", "pixels along it", 1024}};
  backprojection.describe = [](const Device& device, const TunableFamily::Traits& traits,
                               const TunableFamily::Sizes& sizes) {
    const std::string& loops = traits.at("loops");
    const bool cpu = loops == "cpu" || (loops == "automatic" && device.properties().kind != DeviceKind::gpu);
    const auto rounded = [&](const char* name) { return size_of_class(size_class(sizes.at(name))); };
    return describe(device.properties(),
                    {cpu, traits.at("interpolation") == "sinc", rounded("width"), rounded("height")});
  };
  registry.add(std::move(backprojection));
}

}  // namespace rtcg::radar
