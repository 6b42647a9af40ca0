#include "radar/backprojection.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "radar/interpolation.h"
#include "radar/range_compression.h"
#include "radar/tile_image.h"
#include "radar/tile_plan.h"
#include "rtcg/error.h"
#include "rtcg_radar_kernels.h"

namespace rtcg::radar {

namespace {

std::size_t choose_nfft(const Collection& collection, const ImagingOptions& options) {
  if (options.nfft == 0) {
    std::size_t power = 1;
    while (power < collection.samples) power *= 2;
    return std::max<std::size_t>(8 * power, 16);
  }
  const std::size_t nfft = options.nfft;
  if (nfft < collection.samples)
    throw UsageError(fmt::format("nfft {} is smaller than the {} samples of a pulse", nfft, collection.samples));
  if (nfft % 2 != 0 || !Fft::supports(nfft))
    throw UsageError(fmt::format("nfft {} is not an even product of 2, 3, 5 and 7", nfft));
  if (nfft > std::size_t{1} << 24) throw UsageError(fmt::format("nfft {} is above the limit of 2^24 range bins", nfft));
  return nfft;
}

/// Pulses that fit comfortably: their samples, profiles and tables in a quarter of the memory, at most 512 MiB.
std::size_t choose_block(const DeviceProperties& device, const Collection& collection, const ImagingOptions& options, std::size_t row, std::size_t nfft) {
  const std::size_t most = device.kind == DeviceKind::gpu ? 1024 : 128;
  const std::size_t profile = options.precision == Precision::reference ? 32 : 16;
  const std::size_t per_pulse = 8 * collection.samples + profile * nfft + 16 * row;
  const std::size_t fitting = std::max<std::size_t>(std::min(device.global_memory / 4, std::size_t{512} << 20) / per_pulse, 1);
  const std::size_t wanted = options.block_pulses > 0 ? options.block_pulses : std::min(most, fitting);
  return std::min(wanted, collection.pulses());
}

/// {antenna x, y, z, r0, K, 1 / bin spacing} per pulse, as the kernels read it.
Buffer pulse_geometry(const Stream& stream, const Collection& collection, const ImagingOptions& options, std::size_t nfft) {
  std::vector<double> values;
  values.reserve(6 * collection.pulses());
  for (std::size_t p = 0; p < collection.pulses(); ++p) {
    const Vec3& antenna = collection.antenna[p];
    double reference = collection.reference_range[p];
    if (options.autofocus && !collection.range_correction.empty()) reference += collection.range_correction[p];
    const double middle = collection.first_frequency[p] + static_cast<double>(collection.samples / 2) * collection.frequency_step[p];
    values.insert(values.end(), {antenna.x(), antenna.y(), antenna.z(), reference, 4 * std::numbers::pi * middle / speed_of_light,
                                 2 * collection.frequency_step[p] * static_cast<double>(nfft) / speed_of_light});
  }
  return Buffer::from(stream, values);
}

/// Adds blocks of range profiles to a tiled image.
class Accumulator {
 public:
  virtual ~Accumulator() = default;
  virtual void add(const Buffer& profiles, const Buffer& geometry, std::size_t first, std::size_t count) = 0;
};

class ReferenceAccumulator : public Accumulator {
 public:
  ReferenceAccumulator(const Stream& stream, const TileImage& image, const TilePlan& plan, const ImagingOptions& options, double occupancy,
                       std::size_t nfft)
      : stream_(stream), image_(image) {
    Source text("backproject_reference.cl", std::string(kernels::backproject_reference_cl));
    text.define("TILE_X", static_cast<int>(plan.tile_x)).define("TILE_Y", static_cast<int>(plan.tile_y)).define("NFFT", static_cast<int>(nfft));
    text.define("TAPS", plan.taps).define("SINC_PHASES", sinc_phases).define("HEIGHTS", plan.heights ? 1 : 0);
    kernel_ = compile(stream.device(), text).kernel("backproject_reference");
    sinc_ = Buffer::from(stream, sinc_table<double>(options.interpolation, occupancy));
  }
  void add(const Buffer& profiles, const Buffer& geometry, std::size_t first, std::size_t count) override {
    const std::size_t pixels = image_.tiles() * image_.plan().tile_pixels();
    (*kernel_)(stream_, Grid::over(pixels, 64), profiles, geometry, sinc_, image_.heights(), image_.lattice(), image_.pixels(),
               static_cast<std::uint64_t>(pixels), static_cast<int>(first), static_cast<int>(count));
  }

 private:
  Stream stream_;
  const TileImage& image_;
  std::optional<Kernel> kernel_;
  Buffer sinc_;
};

class TileAccumulator : public Accumulator {
 public:
  TileAccumulator(const Stream& stream, const TileImage& image, const TilePlan& plan, const ImagingOptions& options, const ImageGrid& grid,
                  double occupancy, std::size_t nfft, std::size_t block)
      : stream_(stream), image_(image), plan_(plan), nfft_(nfft), stride_(padded(block)) {
    const auto sources = tile_sources(plan, grid, nfft);
    const std::vector<Module> modules = compile_all(stream.device(), sources);
    table_kernel_ = modules[0].kernel("range_table");
    parameter_kernel_ = modules[1].kernel("tile_parameters");
    tile_kernel_ = modules[2].kernel("backproject_tiles");
    sinc_ = Buffer::from(stream, sinc_table<float>(options.interpolation, occupancy));
    table_ = Buffer(stream, stride_ * plan.row(nfft) * (plan.taps > 0 ? 8 : 16), MemoryKind::device, ScalarType::f32);
    // Strips of tiles keep the parameters of a block within 256 MiB.
    const std::size_t per_tile = stride_ * (16 * static_cast<std::size_t>(plan.parameter_quads()) + 4);
    strip_ = std::clamp<std::size_t>((std::size_t{256} << 20) / per_tile, 1, image.tiles());
    parameters_ = Buffer(stream, strip_ * stride_ * 16 * static_cast<std::size_t>(plan.parameter_quads()), MemoryKind::device, ScalarType::f32);
    bases_ = Buffer::of<int>(stream, strip_ * stride_);
  }
  void add(const Buffer& profiles, const Buffer& geometry, std::size_t first, std::size_t count) override {
    const auto rows = static_cast<int>(padded(count));
    const auto pulses = static_cast<int>(count), start = static_cast<int>(first);
    (*table_kernel_)(stream_, Grid::over(static_cast<std::size_t>(rows) * plan_.row(nfft_)), profiles, geometry, table_, start, pulses, rows);
    for (std::size_t tile = 0; tile < image_.tiles(); tile += strip_) {
      const std::size_t tiles = std::min(strip_, image_.tiles() - tile);
      const auto at = static_cast<int>(tile), many = static_cast<int>(tiles);
      (*parameter_kernel_)(stream_, Grid::over(tiles * static_cast<std::size_t>(rows)), geometry, image_.tile_heights(), image_.lattice(), at, many,
                           start, pulses, rows, parameters_, bases_);
      const Grid grid = plan_.cpu ? Grid::of(tiles, 1) : Grid::of(tiles, 1, 1, plan_.tile_x, plan_.tile_y / static_cast<std::size_t>(plan_.run), 1);
      (*tile_kernel_)(stream_, grid, table_, parameters_, bases_, sinc_, image_.heights(), image_.tile_heights(), image_.pixels(), at, many, rows);
    }
  }

 private:
  std::size_t padded(std::size_t pulses) const {
    const std::size_t stage = std::max<std::size_t>(static_cast<std::size_t>(plan_.stage), 1);
    return (pulses + stage - 1) / stage * stage;
  }

  Stream stream_;
  const TileImage& image_;
  TilePlan plan_;
  std::size_t nfft_, stride_, strip_ = 0;
  std::optional<Kernel> table_kernel_, parameter_kernel_, tile_kernel_;
  Buffer sinc_, table_, parameters_, bases_;
};

struct BlockTimes {
  Event start, compressed, end;
};

}  // namespace

Image form_image(const Stream& stream, PulseSource& pulses, const ImageGrid& grid, const ImagingOptions& options, ImagingReport* report,
                 const Progress& progress) {
  const Collection& collection = pulses.collection();
  collection.check();
  grid.check();
  const DeviceProperties& device = stream.device().properties();
  if (!device.has_double) throw DeviceError(fmt::format("{} ({}) has no double precision, which the geometry needs", device.id, device.name));
  const std::size_t nfft = choose_nfft(collection, options);
  const TilePlan plan = plan_tiles(device, collection, grid, options, nfft);
  const std::size_t block = choose_block(device, collection, options, plan.row(nfft), nfft);
  const bool in_double = options.precision == Precision::reference;

  TileImage image(stream, plan, grid, options.region, in_double);
  RangeCompression compress(stream, collection, options, nfft, block);
  const double occupancy = static_cast<double>(collection.samples) / static_cast<double>(nfft);
  std::unique_ptr<Accumulator> accumulator;
  if (in_double)
    accumulator = std::make_unique<ReferenceAccumulator>(stream, image, plan, options, occupancy, nfft);
  else
    accumulator = std::make_unique<TileAccumulator>(stream, image, plan, options, grid, occupancy, nfft, block);

  const Buffer geometry = pulse_geometry(stream, collection, options, nfft);
  const std::size_t pulse_bytes = collection.samples * sizeof(std::complex<float>);
  const HostBuffer staging[2] = {HostBuffer(stream.device(), block * pulse_bytes), HostBuffer(stream.device(), block * pulse_bytes)};
  const Buffer samples = Buffer::of<std::complex<float>>(stream, block * collection.samples);
  std::vector<BlockTimes> times;
  for (std::size_t first = 0; first < collection.pulses(); first += block) {
    const std::size_t count = std::min(block, collection.pulses() - first);
    // Reading this block overlaps the device's work on the one before; its own staging buffer was used two blocks ago.
    const HostBuffer& host = staging[times.size() % 2];
    pulses.read(first, count, host.as<std::complex<float>>().first(count * collection.samples));
    Event start = stream.record();
    samples.write_async(stream, host, count * pulse_bytes);
    const Buffer profiles = compress(samples, first, count);
    Event compressed = stream.record();
    accumulator->add(profiles, geometry, first, count);
    times.push_back({start, compressed, stream.record()});
    stream.flush();
    if (times.size() > 1) times[times.size() - 2].end.synchronize();
    if (progress) progress(static_cast<double>(first) / static_cast<double>(collection.pulses()));
  }
  Image result = image.download();
  if (progress) progress(1.0);

  if (report) {
    report->nfft = nfft, report->pulses = collection.pulses(), report->block_pulses = block;
    report->kernel = in_double ? "double precision, exact ranges" : plan.describe();
    report->phase_error_bound = in_double ? 0x1p-52 * 4 * std::numbers::pi * collection.centre_frequency() / speed_of_light *
                                                (collection.antenna[0] - grid.centre).norm()
                                          : plan.phase_error_bound;
    report->ser_estimate_db = -20 * std::log10(report->phase_error_bound);
    report->compression_seconds = report->backprojection_seconds = 0;
    for (const BlockTimes& block_times : times) {
      report->compression_seconds += seconds_between(block_times.start, block_times.compressed);
      report->backprojection_seconds += seconds_between(block_times.compressed, block_times.end);
    }
    report->backprojections = static_cast<double>(result.pixels.size()) * static_cast<double>(collection.pulses());
  }
  return result;
}

}  // namespace rtcg::radar
