// The file of one cache entry: magic, format version, four lengths, a 128-bit checksum of everything else, then
// manifest, metadata, log and binary. Numbers are little-endian. A file is treated as hostile: every length is checked
// against the real size before anything is allocated, and whatever is not exactly an entry is refused with a reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rtcg/compile/cache.h"

namespace rtcg::detail {

inline constexpr std::uint32_t entry_format = 1;
/// Larger files are refused unread: no kernel comes near, and a sparse file costs its maker nothing.
inline constexpr std::uint64_t largest_entry = std::uint64_t{1} << 31;

std::string encode_entry(std::string_view manifest, const CompileCache::Entry& entry);

struct EntryReading {
  enum class Outcome { read, absent, refused, failed };
  Outcome outcome = Outcome::absent;
  std::string reason;    ///< of refused (not an intact entry) and failed (the disk's own error)
  std::string manifest;  ///< serialised
  CompileCache::Entry entry;
  std::uint64_t bytes = 0;
  std::int64_t used = 0;  ///< modification time, seconds since 1970
};

/// Never throws but for want of memory.
/// With `expected`, an entry of another manifest is refused before its binary is read.
/// With `touch`, a file that was read intact is marked as used today.
EntryReading read_entry(const std::filesystem::path& path, const std::string* expected, bool touch);

}  // namespace rtcg::detail
