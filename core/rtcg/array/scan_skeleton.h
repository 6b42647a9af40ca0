// Scans (prefix sums and their kin) of values computed where they are needed: plan, kernel text and launch of
// kernels/scan_*.cl. Whoever scans (cumulative sums, filters, the user's Scan) brings fragments that compute element i
// and a ScanText that says how elements combine and what is done with the prefixes.
//
// Elements are combined in the order of their indices (backward: in falling order), so the operation has to be
// associative but not commutative. How they are bracketed depends only on device, length and text: the same input gives
// the same bits. Three loops: `lookback`, one pass over memory, on CUDA; `groups`, two launches that assume nothing of
// the scheduler, on other GPUs; `chunks`, two launches of long serial loops, on a CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "rtcg/array/loop_body.h"
#include "rtcg/compile/compiler.h"

namespace rtcg {

struct ScanText {
  std::string name = "scan";  ///< start of the kernels' names, an identifier
  std::string functions;      ///< in front of the kernels
  std::string value_type;     ///< as kernel texts spell it; any type that can be assigned
  std::size_t value_bytes = 0;
  std::string value;          ///< expression of an element, after `compute`
  std::string combine;        ///< expression of two values `a` and `b`, a before b
  std::string neutral;        ///< expression; combining with it changes nothing
  std::string segment_start;  ///< expression, after `compute`: non-zero where nothing before is combined; may be empty
  std::string output;         ///< statements run once for each element, see below
  std::string parameters;     ///< of value, start and output: "global uint* count, ", a comma after each; may be empty
  struct Carried {
    std::string type, name, value;  ///< the value is an expression after `compute`
  };
  std::vector<Carried> carried;  ///< what `output` uses of the element, under this name
  bool backward = false;

  /// A selection: elements whose value is not zero are stored to `target[prev_item]`. `value` is then a condition, the
  /// operation a sum of counts in `value_type` (uint or ulong), there are no segments, and only `finish` sees a result.
  struct Selected {
    Dtype type = Dtype::unknown;
    std::string value, target;  ///< an expression after `compute`; a parameter that points to memory of this type
  };
  std::vector<Selected> selected;
  std::string finish;  ///< statements run once, after the last element; they see `last_count`

  // In `value`, `segment_start` and carried values $0, $1 ... are the body's results. `output` sees the element's index
  // `i`, its lane `k`, the number of elements `N`, `item` (combination of the elements up to this one), `prev_item` (of
  // those before it; neutral where a segment starts) and, on the last element in scan order, `last_item` (the same as
  // `item` there).
};

enum class ScanLoop : std::uint8_t { chunks, groups, lookback };

/// What is compiled depends on the first block alone.
struct ScanPlan {
  ScanLoop loop = ScanLoop::chunks;
  unsigned lanes = 1;     ///< V
  unsigned threads = 1;   ///< items of a group
  unsigned rows = 1;      ///< GPU: runs of V elements of an item in a tile
  unsigned streams = 1;   ///< CPU: segments that an item walks at the same time
  unsigned resident = 1;  ///< lookback: groups that a multiprocessor shall hold, where elements are cheap
  bool parked = false;    ///< lookback: a tile waits in local memory, not in registers

  std::size_t groups = 1;
  std::size_t tiles = 1;        ///< GPU
  std::size_t share = 1;        ///< tiles of a group, or runs of a segment
  std::size_t local_bytes = 0;  ///< of a group, where parked
  std::size_t scratch = 0;      ///< bytes: tile states (cleared before the launch) or totals

  std::string key() const;
};

/// What may be tuned of plain scans, those without selection and segments; 0: the rule's own choice.
struct ScanTuning {
  unsigned threads = 0, rows = 0;  ///< GPU
  unsigned groups_per_unit = 0;    ///< groups and chunks
  unsigned streams = 0;            ///< CPU
};

/// `lanes`: V of the body.
ScanPlan plan_scan(ScanLoop loop, const DeviceProperties& device, std::size_t count, unsigned lanes,
                   const ScanText& text, const ScanTuning& tuning = {});
/// The device's own loop.
ScanLoop scan_loop(const Device& device);

Source scan_source(const ScanPlan& plan, const BodyText& body, const ScanText& text);

/// What computes the elements, from a LoopBody or otherwise.
struct ScanBody {
  std::size_t count = 0;
  unsigned lanes = 1;              ///< V
  std::string_view key;            ///< names everything in the text
  std::function<BodyText()> text;  ///< called when no kernel is known for the key
  std::span<const Argument> arguments;
  std::function<void(const Source&)> compile = {};  ///< where given, compiles first: to show errors in a user's text
};

/// Queues the scan. Kernels take the body's arguments, then those of ScanText::parameters. Nothing is launched for no
/// elements.
void run_scan(const Stream& stream, ScanLoop loop, const ScanText& text, const ScanBody& body,
              std::span<const Argument> output_arguments = {});
void run_scan(const Stream& stream, const ScanText& text, const LoopBody& body,
              std::span<const Argument> output_arguments = {});

}  // namespace rtcg
