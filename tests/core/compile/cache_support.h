// What the tests of the kernel cache share: a cache in a scratch directory, small manifests, entries with known bytes.
#pragma once

#include <cstring>
#include <mutex>

#include "rtcg/compile/cache.h"
#include "support/scratch_directory.h"

namespace rtcg::test {

inline Manifest manifest_of(const std::string& source) {
  Manifest manifest;
  manifest.add("compiler", "test 1");
  manifest.add("source", source);
  return manifest;
}

/// Its bytes follow from the name alone, so that any process can tell whether an entry is the right one.
inline CompileCache::Entry entry_of(const std::string& name, std::size_t bytes = 200) {
  CompileCache::Entry entry{std::vector<std::byte>(bytes), "log of " + name, "metadata of " + name};
  for (std::size_t i = 0; i < bytes; ++i)
    entry.binary[i] = static_cast<std::byte>(name[i % name.size()] + static_cast<char>(i / name.size()));
  return entry;
}

inline bool same_entry(const CompileCache::Entry& a, const CompileCache::Entry& b) {
  return a.binary == b.binary && a.log == b.log && a.metadata == b.metadata;
}

class CacheTest : public testing::Test {
 protected:
  CompileCache::Options options() {
    CompileCache::Options result;
    result.directory = scratch_ / "cache";
    result.lock_directory = scratch_ / "locks";
    result.warn = [this](const std::string& message) {
      const std::lock_guard guard(mutex_);
      warnings_.push_back(message);
    };
    return result;
  }
  /// The files of the cache: entries and temporaries.
  std::vector<std::filesystem::path> files(const std::string& suffix = ".kernel") const {
    std::vector<std::filesystem::path> result;
    std::error_code ignored;
    for (const auto& item : std::filesystem::recursive_directory_iterator(scratch_ / "cache", ignored))
      if (item.path().string().ends_with(suffix)) result.push_back(item.path());
    return result;
  }
  std::size_t bytes_on_disk() const {
    std::size_t total = 0;
    for (const auto& file : files()) {
      std::error_code ignored;
      const std::uintmax_t size = std::filesystem::file_size(file, ignored);
      if (!ignored) total += static_cast<std::size_t>(size);
    }
    return total;
  }

  ScratchDirectory scratch_;
  std::mutex mutex_;
  std::vector<std::string> warnings_;
};

}  // namespace rtcg::test
