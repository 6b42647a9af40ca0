// What is known about tuned kernels, and the choice made from it. Asking never tunes, never fails for want of wisdom,
// and after the first time costs less than a microsecond: the answers stay in memory until this process records
// something of the family. What other processes record is seen by the next process.
#pragma once

#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "rtcg/tune/tunable.h"
#include "rtcg/tune/wisdom_lookup.h"
#include "rtcg/tune/wisdom_tiers.h"

namespace rtcg {

class Wisdom {
 public:
  using Files = std::vector<TierFile>;

  explicit Wisdom(std::vector<WisdomTier> tiers);
  ~Wisdom();
  /// The process's own, of wisdom_tiers().
  static Wisdom& standard();

  const std::vector<WisdomTier>& tiers() const { return tiers_; }
  /// What each tier knows of a family; read once, with a warning for each file that has bad lines.
  std::shared_ptr<const Files> files(const std::string& family);

  /// The chain of wisdom_lookup.h. The answer is kept for the device, family, version, traits and sizes.
  Selection select(const Device& device, const Tunable& tunable);

  bool can_record() const;
  /// Appends to the first writable tier. UsageError when there is none (RTCG_WISDOM=0, or no home directory),
  /// InputError when it cannot be written.
  void record(const WisdomRecord& record);
  /// The file that records of a family go to; empty when there is none.
  std::filesystem::path file_of(const std::string& family) const;
  /// Reads the files again when asked next, for one whose files were changed through wisdom_file.h.
  void forget_answers();
  /// How often that has happened: an answer kept elsewhere is good as long as this is the same.
  std::size_t changes() const;

 private:
  struct Memory;
  std::vector<WisdomTier> tiers_;
  std::unique_ptr<Memory> memory_;
};

/// The best configuration known for this problem on this device: Wisdom::standard().select.
Selection select(const Device& device, const Tunable& tunable);

/// What select() asks. Its objection holds a configuration against the space and the device's limits; it refers to both
/// arguments.
WisdomQuestion question_of(const Device& device, const Tunable& tunable);

}  // namespace rtcg
