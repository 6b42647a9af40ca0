// Compiled kernels on disk. A hit opens one file, verifies it and takes no lock; a miss is compiled once however many
// processes ask; whatever goes wrong with the disk, the caller gets a correct binary and at most one warning.
// One entry is one file, written aside and renamed, so that a reader sees all of it or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rtcg/compile/manifest.h"

namespace rtcg {

class CompileCache {
 public:
  struct Options {
    std::filesystem::path directory;                    ///< empty: no cache
    std::vector<std::filesystem::path> readonly_tiers;  ///< asked after the directory, never written
    std::filesystem::path lock_directory;               ///< local to this machine
    std::size_t limit_bytes = std::size_t{1} << 30;
    double lock_timeout = 60;                      ///< seconds; then compile without the lock
    std::function<void(const std::string&)> warn;  ///< called at most once per process and kind of trouble
  };
  struct Entry {
    std::vector<std::byte> binary;
    std::string log;       ///< the compiler's warnings
    std::string metadata;  ///< the caller's own text (kernel signatures)
  };
  struct Statistics {
    std::size_t entries = 0, bytes = 0;                                     ///< on disk now
    std::size_t hits = 0, misses = 0, stores = 0, corrupt = 0, errors = 0;  ///< of this process
  };
  struct Listing {
    CacheKey key;
    std::filesystem::path path;
    std::size_t bytes = 0;
    std::int64_t used = 0;  ///< seconds since 1970, to a day
    Manifest manifest;
    bool intact = true;
  };
  struct SweepReport {
    std::size_t checked = 0, removed = 0, freed_bytes = 0;
    std::vector<std::string> problems;
  };

  explicit CompileCache(Options options);
  ~CompileCache();
  /// The process's own, after environment().
  static CompileCache& standard();

  /// Counts as a hit or a miss. A corrupt or foreign entry is a miss.
  std::optional<Entry> find(const Manifest& manifest);
  /// find, else under this key's lock: find again, else make() and store. What make throws passes through.
  Entry find_or_make(const Manifest& manifest, const std::function<Entry()>& make, bool* made = nullptr);
  /// While it lives, this process alone compiles the key (or the timeout has passed); releases at once in degraded
  /// mode.
  class KeyLock;
  KeyLock lock(const CacheKey& key);
  void store(const Manifest& manifest, const Entry& entry) noexcept;

  Statistics statistics() const;
  std::vector<Listing> list() const;
  /// The listed entry nearest to the manifest in its parts, for "why a miss?".
  std::optional<Listing> nearest(const Manifest& manifest) const;
  SweepReport verify(bool remove_corrupt);
  SweepReport trim(std::size_t limit_bytes);  ///< oldest first; also sweeps temporary files older than an hour
  SweepReport clear();
  const std::filesystem::path& directory() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Holds a lock on one byte of a file that is never deleted, the byte given by the key; or nothing when locking is not
/// to be had.
class CompileCache::KeyLock {
 public:
  KeyLock() = default;
  explicit KeyLock(int descriptor) : descriptor_(descriptor) {}
  ~KeyLock();
  KeyLock(KeyLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  KeyLock& operator=(KeyLock&&) = delete;
  bool is_held() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

}  // namespace rtcg
