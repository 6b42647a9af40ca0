// How the code of a family comes by its configuration at a launch: what a trial forces on this thread, else what wisdom
// knows of the problem. The answer is kept under a few numbers, so that asking again costs some tens of nanoseconds.
// Where nothing is known there is no answer, and the family's own rule decides: without wisdom everything runs as if
// there were no tuner.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rtcg/tune/wisdom.h"

namespace rtcg {

/// While it lives, the code of a family uses this configuration wherever it is asked on this thread.
class ForcedConfiguration {
 public:
  ForcedConfiguration(std::string_view family, const Configuration& configuration);
  ~ForcedConfiguration();
  ForcedConfiguration(const ForcedConfiguration&) = delete;
  ForcedConfiguration& operator=(const ForcedConfiguration&) = delete;

  /// Null when none is forced.
  static const Configuration* of(std::string_view family) { return innermost == nullptr ? nullptr : found(family); }

 private:
  static const Configuration* found(std::string_view family);
  static inline thread_local const ForcedConfiguration* innermost = nullptr;
  std::string_view family_;
  const Configuration& configuration_;
  const ForcedConfiguration* outer_;
};

/// Binary logarithm, rounded: sizes of one class share their tuning. 0 counts as 1.
unsigned size_class(double size);
/// What a size of the class is described as.
double size_of_class(unsigned size_class);

/// The values of a parameter.
std::vector<ParameterValue> integers(std::initializer_list<std::int64_t> values);

/// Records of sizes farther away than this do not count (size_distance): the rules know the sizes too.
inline constexpr double farthest_choice = 1.5;

/// What a family's code reads from configurations, by problem; safe to share between threads.
template <class Value>
class Choices {
 public:
  explicit Choices(std::string_view family) : family_(family) {}

  /// `problem` tells the family's problems apart on a device: traits and size classes, packed. `describe` makes its
  /// Tunable and `read` a Value of a Configuration; both are called once. Nothing when no wisdom fits.
  template <class Describe, class Read>
  std::optional<Value> find(const Device& device, std::uint64_t problem, const Describe& describe, const Read& read) {
    if (const Configuration* forced = ForcedConfiguration::of(family_)) return read(*forced);
    const Key key{&device.driver(), problem};
    const std::size_t changes = Wisdom::standard().changes();
    {
      const std::shared_lock lock(mutex_);
      if (const auto known = known_.find(key); known != known_.end() && changes_ == changes) return known->second;
    }
    const Selection selection = select(device, describe());
    std::optional<Value> value;
    if (selection.link != WisdomLink::standard && selection.distance <= farthest_choice)
      value = read(selection.configuration);
    const std::unique_lock lock(mutex_);
    if (changes_ != changes) known_.clear();
    changes_ = changes;
    known_.insert_or_assign(key, value);
    return value;
  }

 private:
  struct Key {
    const Driver* driver;
    std::uint64_t problem;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (std::hash<const void*>{}(key.driver) ^ key.problem) * 0x9e3779b97f4a7c15u;
    }
  };
  std::string_view family_;
  std::shared_mutex mutex_;
  std::unordered_map<Key, std::optional<Value>, Hash> known_;
  std::size_t changes_ = 0;  ///< of the wisdom that the answers are from
};

}  // namespace rtcg
