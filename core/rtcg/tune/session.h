// Tuning: time the variants of a kernel on the user's problem and device, verify each, remember the winner.
// Variants that the device cannot run are dropped before anything is compiled; the rest compile in parallel, run one at
// a time, and count only when their results were right. The finalists are timed again in turn, and the default wins
// unless it is beaten by more than the noise. Nothing that a variant does wrong ends the search.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rtcg/tune/measure.h"
#include "rtcg/tune/search.h"
#include "rtcg/tune/wisdom.h"

namespace rtcg {

/// One variant that was looked at.
struct VariantResult {
  Configuration configuration;
  Timing timing;        ///< seconds 0 when it failed
  std::string failure;  ///< what went wrong; empty when it worked

  bool works() const { return failure.empty(); }
};

struct TuneProgress {
  std::size_t variants = 0;  ///< looked at so far
  double seconds = 0;        ///< since the start
  const VariantResult* latest = nullptr;
  double best_seconds = 0;  ///< 0: none works yet
};

struct TuneOptions {
  double seconds = 60;       ///< of the whole search; the variant under way is finished, and the finals come after
  std::size_t variants = 0;  ///< that are compiled and run at most; 0: as many as the seconds allow
  std::optional<Strategy> strategy = {};  ///< none: exhaustive for spaces of up to 200 variants, model beyond
  std::uint64_t seed = 1;
  bool cold = false;  ///< time with the cache swept before each execution
  /// Every result is appended here at once; what an earlier search with the same seed, strategy and problem left is
  /// taken up without being run again. Empty: none. InputError when it is another search's.
  std::filesystem::path journal = {};
  std::function<void(const TuneProgress&)> progress = {};
  Wisdom* wisdom = &Wisdom::standard();  ///< asked for starts, and given the winner when it can record; null: neither
};

struct TuneReport {
  std::vector<VariantResult> variants;  ///< in the order of the search, the default first
  VariantResult standard;               ///< the default, as timed in the finals
  VariantResult winner;                 ///< likewise; the default itself unless it is beaten
  Strategy strategy = Strategy::exhaustive;
  std::size_t failed = 0;    ///< of the variants
  std::size_t beyond = 0;    ///< configurations that the device's limits ruled out, not among the variants
  std::size_t resumed = 0;   ///< variants that the journal knew
  bool is_complete = false;  ///< the search came to its end before the budget did
  double seconds = 0;
  WisdomRecord record;         ///< of the winner
  std::filesystem::path file;  ///< where it was recorded; empty when it was not
};

/// UsageError for a description without trial or options that make no sense; NumericalError when no variant works.
/// Where the winner cannot be recorded, there is a warning and the report all the same.
TuneReport tune(const Stream& stream, const Tunable& tunable, const TuneOptions& options = {});

/// One configuration alone: what its failure or its time is, as in a search.
VariantResult try_variant(Trial& trial, const Stream& stream, const Configuration& configuration,
                          const TimingRule& rule);

}  // namespace rtcg
