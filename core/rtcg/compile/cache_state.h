// What CompileCache's two halves share: cache.cpp finds and stores, cache_sweep.cpp lists, verifies and evicts.
#pragma once

#include <array>
#include <atomic>
#include <string_view>

#include "rtcg/compile/cache.h"

namespace rtcg {

struct CompileCache::State {
  explicit State(Options chosen) : options(std::move(chosen)) {}

  enum Trouble : std::size_t { reading, writing, locking, troubles };

  Options options;
  std::atomic<std::size_t> hits{0}, misses{0}, stores{0}, corrupt{0}, errors{0};
  std::atomic<std::size_t> bytes_since_sweep{0};
  std::array<std::atomic<bool>, troubles> warned{};

  /// Counts an error; speaks at the first of its kind.
  void trouble(Trouble kind, const std::string& message);

  std::filesystem::path place(const std::filesystem::path& directory, const CacheKey& key) const;
  /// Searches the directory and the read-only tiers; counts corrupt entries and errors, not hits and misses.
  std::optional<Entry> look(const CacheKey& key, const std::string& manifest);

  /// Locks byte `number` / 4 of a file of the lock directory: one file has room for every key, so that none accumulate
  /// and no two keys meet. Its descriptor, or -1 when locks are not to be had or `timeout` seconds passed.
  int lock_byte(const char* file, std::uint64_t number, double timeout);
  /// After every store: keeps the directory below its limit without looking at all of it every time.
  void sweep_when_due(std::size_t stored_bytes);
  SweepReport sweep(std::size_t limit_bytes, double lock_timeout);
};

namespace detail {

/// 32 hexadecimal digits and the suffix of an entry.
bool is_entry_name(std::string_view name);
/// ".<entry name>.<anything>.tmp"
bool is_temporary_name(std::string_view name);
inline constexpr std::string_view entry_suffix = ".kernel";

}  // namespace detail

}  // namespace rtcg
