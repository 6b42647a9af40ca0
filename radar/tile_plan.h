// How an image is cut into tiles and how the range to a tile's pixels is computed: decided from the device, the image,
// the collection's geometry and the interpolation, before any kernel is written.
//
// The range is expanded about the centre of each tile, so what a float has to hold is a few metres, not the stand-off.
// With rho = (half diagonal of a tile) / (nearest antenna), |A - e| / |A| = sum rho^n (P_{n-2} - P_n)(t) / (2 n - 1)
// (generating function of the Legendre polynomials P_n), so stopping after order N errs by less than
// |A| 2 / (2 N + 1) rho^(N + 1) / (1 - rho). The lowest order whose error is below that of float rounding is taken;
// where none is, and for heights and sinc interpolation, the exact difference form.
#pragma once

#include "radar/backprojection.h"
#include "rtcg/compile/source.h"

namespace rtcg::radar {

struct TilePlan {
  enum class Form { exact = 0, second_order = 2, third_order = 3 };
  Form form = Form::second_order;
  bool cpu = false;                    ///< one work-item per tile with vector lanes; else one group per tile
  bool lanes_along_y = false;          ///< lanes lie where ranges change less; runs on the other axis
  std::size_t tile_x = 0, tile_y = 0;  ///< pixels
  int lanes = 1;                       ///< CPU: pixels in one vector
  int run = 0;                         ///< pixels one item keeps in registers; even
  int stage = 0;                       ///< pulses staged in local memory at a time; 0: straight from global memory
  int unroll = 1;
  int groups_per_unit = 1;  ///< resident groups the compiler is asked to allow for
  int window = 0;           ///< bins a tile can reach, even; also the guard at both ends of a table row
  int taps = 0;             ///< 0: linear
  bool heights = false;
  double phase_error_bound = 0;  ///< rad

  std::size_t tiles_x = 0, tiles_y = 0, tiles_z = 0;
  std::size_t tiles() const { return tiles_x * tiles_y * tiles_z; }
  std::size_t tile_pixels() const { return tile_x * tile_y; }
  std::size_t lane_extent() const { return lanes_along_y ? tile_y : tile_x; }
  std::size_t run_extent() const { return lanes_along_y ? tile_x : tile_y; }
  /// Where pixel (u along x, v along y) of a tile is stored: lanes are contiguous.
  std::size_t place(std::size_t u, std::size_t v) const { return lanes_along_y ? u * tile_y + v : v * tile_x + u; }
  int parameter_quads() const { return form == Form::third_order || taps > 0 ? 3 : 2; }
  std::size_t row(std::size_t nfft) const { return nfft + 2 * static_cast<std::size_t>(window); }
  std::string describe() const;
};

inline constexpr int sinc_phases = 256;

/// What may be tuned; 0: the rule's own choice.
struct TileTuning {
  int lines = 0;     ///< GPU: rows of items in a group, which is 32 lanes wide
  int run = 0;       ///< pixels one item keeps in registers; even
  int resident = 0;  ///< GPU: TilePlan::groups_per_unit
  int tile = 0;      ///< CPU: side of a tile, pixels
  int lanes = 0;     ///< CPU: pixels in one vector, for linear interpolation
};
/// The rule for planes of width x height pixels, the width along the lanes.
TileTuning standard_tiles(const DeviceProperties& device, const ImagingOptions& options, std::size_t width,
                          std::size_t height, std::size_t planes = 1);
/// Whether ranges change more from pixel to pixel along x than along y, on average over the pulses: lanes then lie
/// along y.
bool lanes_lie_along_y(const Collection& collection, const ImageGrid& grid);

/// For Precision::reference only the tiling. Throws UsageError where single precision would lose the phase (pixels so
/// coarse that a tile spans a few hundred thousand radians) or the CPU's loops are asked of CUDA.
TilePlan plan_tiles(const DeviceProperties& device, const Collection& collection, const ImageGrid& grid,
                    const ImagingOptions& options, std::size_t nfft, const TileTuning& tuning = {});

/// Defines the layout of tiles for any kernel that addresses their pixels.
void define_tiles(Source& source, const TilePlan& plan);

/// The main kernel's text for a plan. Also serves compile checks: plan and device may be made up.
Source tile_kernel(const TilePlan& plan, const ImageGrid& grid, std::size_t nfft);

/// All a plan needs, in the order range_table, tile_parameters, backproject_tiles.
std::vector<Source> tile_sources(const TilePlan& plan, const ImageGrid& grid, std::size_t nfft);

}  // namespace rtcg::radar
