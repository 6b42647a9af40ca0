// One kernel of a Fourier plan: transforms of one length along the lines of batched rows, all their radix passes fused
// (kernels/fft.cl). A plan is one stage where a line fits into a group's local memory, and two or three otherwise, with
// the transposition done in how a stage addresses its lines.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rtcg/compile/source.h"
#include "rtcg/device/properties.h"

namespace rtcg::detail {

/// Where the lines of a stage lie in a row: line j has element n at (j / divisor) major + (j % divisor) minor + n step.
struct FftPlace {
  int divisor = 1, major = 0, minor = 0, step = 1;
};

enum class FftLoad {
  complex,
  real,       ///< imaginary part 0
  hermitian,  ///< of `load_count` elements only the first half + 1 are there
  pairs,      ///< two reals are one complex element
  spectrum,   ///< half spectrum of twice as many reals; `load_table` holds exp(sign pi i e / length)
};
enum class FftStore {
  complex,
  real,    ///< real part
  pairs,   ///< one complex element as two reals
  unpack,  ///< length + 1 elements of the spectrum of twice as many reals; `store_table` as for `spectrum`
};

struct FftStage {
  int length = 1;  ///< of this stage's transforms; smooth
  int whole = 1;   ///< elements of a row, length x count
  int count = 1;   ///< transforms in a row
  int sign = -1;   ///< of the exponent
  bool double_precision = false;
  FftPlace in, out;
  FftLoad load = FftLoad::complex;
  FftStore store = FftStore::complex;
  int load_count = 1, store_count = 1;                        ///< elements beyond are 0, and not stored
  std::vector<std::complex<double>> load_table, store_table;  ///< factors of the elements; empty for none
  bool scaled = false;
  /// Element n of part m, the rest of j / out.step, is turned by exp(sign 2 pi i n m / turn_order); 0: not.
  int turn_order = 0;

  // What the kernel may rely on in the rows' layout.
  bool in_unit = true, out_unit = true;            ///< step between elements is 1
  bool in_by_lines = false, out_by_lines = false;  ///< neighbouring lines are closer in memory than elements
  bool has_inner = false;                          ///< rows are numbered (outer, inner)
  bool wide = false;                               ///< 2^31 lines or more
};

/// How a stage is spread over work-items.
struct FftTile {
  int threads = 1;     ///< work-items a line
  int lines = 1;       ///< lines a group, or vector lanes on a CPU
  int values = 1;      ///< complex values in registers
  int resident = 0;    ///< groups that a multiprocessor shall hold at least; 0: as the compiler likes
  bool split = false;  ///< real and imaginary parts cross one after the other, in half the memory
  bool stage_in = false, stage_out = false;  ///< elements come and go through local memory
  bool lines_inside = false;                 ///< local memory is [position][line]
  int stride = 1, shift = 0;      ///< of a line in local memory; one element is skipped after 2^shift (0: none)
  std::size_t dynamic_bytes = 0;  ///< of local memory asked for at launch; 0: it is in the kernel
  std::size_t exchanged = 0;      ///< elements of local memory
  std::vector<int> radices;
};

/// Longest stage whose lines lie one after the other (`by_lines`: side by side) in memory.
std::size_t longest_stage(const DeviceProperties& device, bool double_precision, bool by_lines);

FftTile tile_of(const DeviceProperties& device, const FftStage& stage);
Source source_of(const DeviceProperties& device, const FftStage& stage, const FftTile& tile);
/// Twiddle factors of the passes, then load_table, store_table and the factors between stages.
std::vector<std::complex<double>> tables_of(const FftStage& stage, const FftTile& tile);

}  // namespace rtcg::detail
