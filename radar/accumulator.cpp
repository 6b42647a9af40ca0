#include "radar/accumulator.h"

#include <algorithm>
#include <optional>

#include "radar/interpolation.h"
#include "rtcg/compile/compiler.h"
#include "rtcg_radar_kernels.h"

namespace rtcg::radar {

namespace {

class ReferenceAccumulator : public Accumulator {
 public:
  ReferenceAccumulator(const Stream& stream, const TileImage& image, const ImagingOptions& options, double occupancy,
                       std::size_t nfft)
      : stream_(stream), image_(image) {
    const TilePlan& plan = image.plan();
    Source text("backproject_reference.cl", std::string(kernels::backproject_reference_cl));
    define_tiles(text, plan);
    text.define("NFFT", static_cast<int>(nfft));
    text.define("TAPS", plan.taps).define("SINC_PHASES", sinc_phases).define("HEIGHTS", plan.heights ? 1 : 0);
    kernel_ = compile(stream.device(), text).kernel("backproject_reference");
    sinc_ = Buffer::from(stream, sinc_table<double>(options.interpolation, occupancy));
  }
  void add(const Buffer& profiles, const Buffer& geometry, std::size_t first, std::size_t count) override {
    const std::size_t pixels = image_.tiles() * image_.plan().tile_pixels();
    (*kernel_)(stream_, Grid::over(pixels, 64), profiles, geometry, sinc_, image_.heights(), image_.lattice(),
               image_.pixels(), static_cast<std::uint64_t>(pixels), static_cast<int>(first), static_cast<int>(count));
  }

 private:
  Stream stream_;
  const TileImage& image_;
  std::optional<Kernel> kernel_;
  Buffer sinc_;
};

class TileAccumulator : public Accumulator {
 public:
  TileAccumulator(const Stream& stream, const TileImage& image, const ImageGrid& grid, const ImagingOptions& options,
                  double occupancy, std::size_t nfft, std::size_t block)
      : stream_(stream), image_(image), plan_(image.plan()), nfft_(nfft), stride_(padded(block)) {
    const TilePlan& plan = plan_;
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
    parameters_ = Buffer(stream, strip_ * stride_ * 16 * static_cast<std::size_t>(plan.parameter_quads()),
                         MemoryKind::device, ScalarType::f32);
    bases_ = Buffer::of<int>(stream, strip_ * stride_);
  }
  void add(const Buffer& profiles, const Buffer& geometry, std::size_t first, std::size_t count) override {
    const auto rows = static_cast<int>(padded(count));
    const auto pulses = static_cast<int>(count), start = static_cast<int>(first);
    (*table_kernel_)(stream_, Grid::over(static_cast<std::size_t>(rows) * plan_.row(nfft_)), profiles, geometry, table_,
                     start, pulses, rows);
    for (std::size_t tile = 0; tile < image_.tiles(); tile += strip_) {
      const std::size_t tiles = std::min(strip_, image_.tiles() - tile);
      const auto at = static_cast<int>(tile), many = static_cast<int>(tiles);
      (*parameter_kernel_)(stream_, Grid::over(tiles * static_cast<std::size_t>(rows)), geometry, image_.tile_heights(),
                           image_.lattice(), at, many, start, pulses, rows, parameters_, bases_);
      const Grid grid = plan_.cpu ? Grid::of(tiles, 1)
                                  : Grid::of(tiles, 1, 1, plan_.lane_extent(),
                                             plan_.run_extent() / static_cast<std::size_t>(plan_.run), 1);
      (*tile_kernel_)(stream_, grid, table_, parameters_, bases_, sinc_, image_.heights(), image_.tile_heights(),
                      image_.pixels(), at, many, rows);
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

}  // namespace

Buffer pulse_geometry(const Stream& stream, const Collection& collection, const ImagingOptions& options,
                      std::size_t nfft) {
  std::vector<double> values;
  values.reserve(6 * collection.pulses());
  for (std::size_t p = 0; p < collection.pulses(); ++p) {
    const Vec3& antenna = collection.antenna[p];
    double reference = collection.reference_range[p];
    if (options.autofocus && !collection.range_correction.empty()) reference += collection.range_correction[p];
    values.insert(values.end(), {antenna.x(), antenna.y(), antenna.z(), reference, collection.carrier_wavenumber(p),
                                 2 * collection.frequency_step[p] * static_cast<double>(nfft) / speed_of_light});
  }
  return Buffer::from(stream, values);
}

std::unique_ptr<Accumulator> make_accumulator(const Stream& stream, const TileImage& image, const ImageGrid& grid,
                                              const ImagingOptions& options, std::size_t samples, std::size_t nfft,
                                              std::size_t block) {
  const double occupancy = static_cast<double>(samples) / static_cast<double>(nfft);
  if (options.precision == Precision::reference)
    return std::make_unique<ReferenceAccumulator>(stream, image, options, occupancy, nfft);
  return std::make_unique<TileAccumulator>(stream, image, grid, options, occupancy, nfft, block);
}

}  // namespace rtcg::radar
