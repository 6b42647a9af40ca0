// The slow half of CompileCache: everything that walks the whole directory.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <tuple>

#include "rtcg/compile/cache_entry.h"
#include "rtcg/compile/cache_state.h"
#include "rtcg/error.h"

namespace rtcg {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t hour = 60 * 60, day = 24 * hour;

struct File {
  fs::path path;
  std::size_t bytes = 0;
  timespec modified{};
  bool is_entry = true;  ///< else a temporary
};

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

template <class Visit>
void for_each_name(const fs::path& directory, const Visit& visit) {
  DIR* stream = opendir(directory.c_str());
  if (!stream) return;
  while (const dirent* item = readdir(stream)) visit(std::string(item->d_name));
  closedir(stream);
}

/// Entries and temporaries of the fan-out; anything else is not ours and is left alone.
std::vector<File> scan(const fs::path& directory) {
  std::vector<File> files;
  if (directory.empty()) return files;
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char first : digits)
    for (const char second : digits) {
      const fs::path branch = directory / std::string(1, first) / std::string(1, second);
      for_each_name(branch, [&](const std::string& name) {
        const bool is_entry = detail::is_entry_name(name);
        if (!is_entry && !detail::is_temporary_name(name)) return;
        struct stat status {};
        const fs::path path = branch / name;
        if (lstat(path.c_str(), &status) != 0) return;
        const std::size_t bytes = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
        files.push_back({path, bytes, status.st_mtim, is_entry});
      });
    }
  return files;
}

/// Times further ahead than a day come from a clock that was wrong; they must not make an entry immortal.
std::int64_t plausible_time(const File& file, std::int64_t now) {
  return file.modified.tv_sec > now + day ? 0 : file.modified.tv_sec;
}

/// Removes the file unless it changed since it was scanned. True when it is gone afterwards.
bool remove_unchanged(const File& file, CompileCache::SweepReport& report) {
  struct stat status {};
  if (lstat(file.path.c_str(), &status) != 0) return errno == ENOENT;
  if (!same_time(status.st_mtim, file.modified)) return false;
  if (unlink(file.path.c_str()) != 0) {
    if (errno == ENOENT) return true;
    report.problems.push_back(fmt::format("{}: cannot be removed: {}", file.path.string(), std::strerror(errno)));
    return false;
  }
  ++report.removed;
  report.freed_bytes += file.bytes;
  return true;
}

void remove_stale_temporaries(const std::vector<File>& files, std::int64_t now, CompileCache::SweepReport& report) {
  for (const File& file : files) {
    const std::int64_t age = now - file.modified.tv_sec;
    if (!file.is_entry && (age > hour || age < -day)) remove_unchanged(file, report);
  }
}

}  // namespace

bool detail::is_entry_name(std::string_view name) {
  return name.size() == 32 + entry_suffix.size() && name.ends_with(entry_suffix) &&
         std::all_of(name.begin(), name.begin() + 32, is_hex);
}

bool detail::is_temporary_name(std::string_view name) {
  const std::size_t entry_size = 32 + entry_suffix.size();
  return name.size() > entry_size + 2 && name.front() == '.' && name.ends_with(".tmp") &&
         is_entry_name(name.substr(1, entry_size));
}

void CompileCache::State::sweep_when_due(std::size_t stored_bytes) {
  // A process looks when it has stored a sixty-fourth of the limit, or at its first store when nobody looked for an
  // hour, so that many short runs are noticed too.
  const bool first = stores == 1;
  const std::size_t stored = bytes_since_sweep += stored_bytes;
  bool due = stored > options.limit_bytes / 64;
  if (!due && first) {
    struct stat status {};
    const std::int64_t now = std::time(nullptr);
    due = stat((options.directory / "swept").c_str(), &status) != 0 || std::abs(now - status.st_mtime) > hour;
  }
  if (!due) return;
  bytes_since_sweep = 0;
  sweep(options.limit_bytes, 0);
}

CompileCache::SweepReport CompileCache::State::sweep(std::size_t limit_bytes, double lock_timeout) {
  SweepReport report;
  if (options.directory.empty()) return report;
  // Two sweepers would be harmless, for both begin with the same oldest files, but the second is wasted work.
  const std::string place = options.directory.string();
  const KeyLock held(lock_byte("sweep.lock", XXH3_64bits(place.data(), place.size()), lock_timeout));
  if (!held.is_held() && lock_timeout == 0 && !warned[locking]) return report;

  std::vector<File> files = scan(options.directory);
  const std::int64_t now = std::time(nullptr);
  remove_stale_temporaries(files, now, report);
  std::erase_if(files, [](const File& file) { return !file.is_entry; });
  report.checked = files.size();

  std::size_t total = 0;
  for (const File& file : files) total += file.bytes;
  if (total > limit_bytes) {
    std::sort(files.begin(), files.end(), [&](const File& a, const File& b) {
      return std::tuple(plausible_time(a, now), a.modified.tv_nsec, a.path) <
             std::tuple(plausible_time(b, now), b.modified.tv_nsec, b.path);
    });
    // A tenth of room, so that not every later store sweeps again.
    const std::size_t target = limit_bytes - limit_bytes / 10;
    for (const File& file : files) {
      if (total <= target) break;
      if (remove_unchanged(file, report)) total -= file.bytes;
    }
  }
  if (const int descriptor =
          open((options.directory / "swept").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
      descriptor >= 0) {
    futimens(descriptor, nullptr);
    close(descriptor);
  }
  return report;
}

CompileCache::Statistics CompileCache::statistics() const {
  Statistics result;
  for (const File& file : scan(directory())) {
    if (!file.is_entry) continue;
    ++result.entries;
    result.bytes += file.bytes;
  }
  result.hits = state_->hits, result.misses = state_->misses, result.stores = state_->stores;
  result.corrupt = state_->corrupt, result.errors = state_->errors;
  return result;
}

std::vector<CompileCache::Listing> CompileCache::list() const {
  std::vector<Listing> result;
  for (const File& file : scan(directory())) {
    if (!file.is_entry) continue;
    Listing listing;
    const std::string name = file.path.filename().string();
    for (std::size_t word = 0; word < 2; ++word)
      listing.key.words[word] = std::stoull(name.substr(16 * word, 16), nullptr, 16);
    listing.path = file.path, listing.bytes = file.bytes, listing.used = file.modified.tv_sec;
    detail::EntryReading reading = detail::read_entry(file.path, nullptr, false);
    if (reading.outcome == detail::EntryReading::Outcome::absent) continue;
    listing.intact = reading.outcome == detail::EntryReading::Outcome::read;
    if (listing.intact) {
      try {
        listing.manifest = Manifest::parse(reading.manifest);
        listing.intact = listing.manifest.key() == listing.key;
      } catch (const InputError&) {
        listing.intact = false;
      }
    }
    result.push_back(std::move(listing));
  }
  std::sort(result.begin(), result.end(),
            [](const Listing& a, const Listing& b) { return std::tuple(b.used, a.key) < std::tuple(a.used, b.key); });
  return result;
}

std::optional<CompileCache::Listing> CompileCache::nearest(const Manifest& manifest) const {
  std::optional<Listing> best;
  std::size_t fewest = 0;
  for (Listing& listing : list()) {  // newest first, so that the newest wins a tie
    if (!listing.intact) continue;
    const std::size_t differences = listing.manifest.differences(manifest).size();
    if (!best || differences < fewest) best = std::move(listing), fewest = differences;
  }
  return best;
}

CompileCache::SweepReport CompileCache::verify(bool remove_corrupt) {
  SweepReport report;
  for (const File& file : scan(directory())) {
    if (!file.is_entry) continue;
    const detail::EntryReading reading = detail::read_entry(file.path, nullptr, false);
    if (reading.outcome == detail::EntryReading::Outcome::absent) continue;
    ++report.checked;
    std::string reason = reading.reason;
    if (reading.outcome == detail::EntryReading::Outcome::read) {
      try {
        if (file.path.stem().string() != Manifest::parse(reading.manifest).key().hex())
          reason = "lies under another entry's name";
      } catch (const InputError& error) {
        reason = error.what();
      }
    }
    if (reason.empty()) continue;
    report.problems.push_back(file.path.string() + ": " + reason);
    if (remove_corrupt) remove_unchanged(file, report);
  }
  return report;
}

CompileCache::SweepReport CompileCache::trim(std::size_t limit_bytes) {
  return state_->sweep(limit_bytes, state_->options.lock_timeout);
}

CompileCache::SweepReport CompileCache::clear() {
  SweepReport report;
  const std::vector<File> files = scan(directory());
  remove_stale_temporaries(files, std::time(nullptr), report);
  for (const File& file : files) {
    if (!file.is_entry) continue;
    ++report.checked;
    remove_unchanged(file, report);
  }
  return report;
}

}  // namespace rtcg
