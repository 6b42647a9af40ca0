#include "rtcg/compile/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "rtcg/compile/cache_entry.h"
#include "rtcg/compile/cache_state.h"
#include "rtcg/environment.h"
#include "rtcg/warning.h"

namespace rtcg {

namespace fs = std::filesystem;

namespace {

/// Every missing directory of the path, for this user alone. 0, or the errno.
int make_directories(const fs::path& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return 0;
  if (errno != ENOENT || !path.has_relative_path()) return errno;
  if (const int error = make_directories(path.parent_path())) return error;
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// Writes aside in the target's own directory and renames. 0, or the errno.
/// No fsync: after a power cut an entry may be empty or partial, but then its checksum makes it a miss, and a compiled
/// kernel is not worth the milliseconds that every store would wait for the disk.
int publish(const fs::path& target, std::string_view bytes) {
  static std::atomic<unsigned> counter{0};
  const fs::path temporary =
      target.parent_path() / fmt::format(".{}.{}-{}-{}.tmp", target.filename().string(), getpid(), counter++,
                                         std::chrono::steady_clock::now().time_since_epoch().count());
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  int descriptor = open(temporary.c_str(), flags, 0644);
  if (descriptor < 0 && errno == ENOENT) {
    if (const int error = make_directories(target.parent_path())) return error;
    descriptor = open(temporary.c_str(), flags, 0644);
  }
  if (descriptor < 0) return errno;
  int error = write_all(descriptor, bytes) ? 0 : errno;
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) unlink(temporary.c_str());
  return error;
}

/// Empty when the directory can be trusted with locks, else the reason why not. Someone else's directory or a link
/// planted under /tmp would let another user hold our locks or make us create files in his place.
std::string prepare_lock_directory(const fs::path& directory) {
  if (directory.empty()) return "there is no lock directory";
  if (const int error = make_directories(directory)) return std::strerror(error);
  struct stat status {};
  if (lstat(directory.c_str(), &status) != 0) return std::strerror(errno);
  if (!S_ISDIR(status.st_mode)) return "is not a directory";
  if (status.st_uid != geteuid()) return "belongs to another user";
  if (status.st_mode & (S_IWGRP | S_IWOTH)) return "can be written by other users";
  return {};
}

}  // namespace

CompileCache::CompileCache(Options options) : state_(std::make_unique<State>(std::move(options))) {}
CompileCache::~CompileCache() = default;

CompileCache& CompileCache::standard() {
  // Never destroyed: background stores may run while the process ends.
  static auto* const instance = [] {
    const Environment& from = environment();
    Options options;
    if (from.cache_enabled) {
      options.directory = from.cache_directory;
      options.readonly_tiers = from.shared_caches;
    }
    options.lock_directory = from.lock_directory;
    options.limit_bytes = from.cache_limit;
    options.warn = warn;
    return new CompileCache(std::move(options));
  }();
  return *instance;
}

std::optional<CompileCache::Entry> CompileCache::find(const Manifest& manifest) {
  std::optional<Entry> entry = state_->look(manifest.key(), manifest.serialise());
  ++(entry ? state_->hits : state_->misses);
  return entry;
}

CompileCache::Entry CompileCache::find_or_make(const Manifest& manifest, const std::function<Entry()>& make,
                                               bool* made) {
  if (made) *made = false;
  const CacheKey key = manifest.key();
  const std::string expected = manifest.serialise();
  std::optional<Entry> entry = state_->look(key, expected);
  if (!entry && !state_->options.directory.empty()) {
    const KeyLock held = lock(key);
    entry = state_->look(key, expected);
    if (!entry) {
      ++state_->misses;
      if (made) *made = true;
      entry = make();
      store(manifest, *entry);
      return std::move(*entry);
    }
  }
  if (entry) {
    ++state_->hits;
    return std::move(*entry);
  }
  ++state_->misses;
  if (made) *made = true;
  return make();
}

CompileCache::KeyLock CompileCache::lock(const CacheKey& key) {
  if (state_->options.directory.empty()) return {};
  return KeyLock(state_->lock_byte("kernels.lock", key.words[0], state_->options.lock_timeout));
}

CompileCache::KeyLock::~KeyLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

void CompileCache::store(const Manifest& manifest, const Entry& entry) noexcept try {
  if (state_->options.directory.empty()) return;
  const std::string bytes = detail::encode_entry(manifest.serialise(), entry);
  if (bytes.size() > std::min<std::uint64_t>(state_->options.limit_bytes, detail::largest_entry)) {
    state_->trouble(State::writing,
                    fmt::format("kernel cache: a kernel of {} bytes is over the limit of {} bytes and is not kept",
                                bytes.size(), state_->options.limit_bytes));
    return;
  }
  const fs::path path = state_->place(state_->options.directory, manifest.key());
  if (const int error = publish(path, bytes)) {
    state_->trouble(State::writing,
                    fmt::format("kernel cache: {}: cannot be written: {}; kernels are compiled anew in every run",
                                state_->options.directory.string(), std::strerror(error)));
    return;
  }
  ++state_->stores;
  state_->sweep_when_due(bytes.size());
} catch (const std::exception& error) {
  ++state_->errors;
}

const fs::path& CompileCache::directory() const {
  return state_->options.directory;
}

void CompileCache::State::trouble(Trouble kind, const std::string& message) {
  ++errors;
  if (!warned[kind].exchange(true) && options.warn) options.warn(message);
}

fs::path CompileCache::State::place(const fs::path& directory, const CacheKey& key) const {
  const std::string name = key.hex();
  return directory / name.substr(0, 1) / name.substr(1, 1) / (name + std::string(detail::entry_suffix));
}

std::optional<CompileCache::Entry> CompileCache::State::look(const CacheKey& key, const std::string& manifest) {
  const auto look_in = [&](const fs::path& directory, bool touch) -> std::optional<Entry> {
    const fs::path path = place(directory, key);
    detail::EntryReading found = detail::read_entry(path, &manifest, touch);
    switch (found.outcome) {
      case detail::EntryReading::Outcome::read:
        return std::move(found.entry);
      case detail::EntryReading::Outcome::absent:
        break;
      case detail::EntryReading::Outcome::refused:
        ++corrupt;
        break;
      case detail::EntryReading::Outcome::failed:
        trouble(State::reading, fmt::format("kernel cache: {}: cannot be read: {}", path.string(), found.reason));
        break;
    }
    return std::nullopt;
  };
  if (!options.directory.empty())
    if (auto entry = look_in(options.directory, true)) return entry;
  for (const fs::path& tier : options.readonly_tiers)
    if (auto entry = look_in(tier, false)) return entry;
  return std::nullopt;
}

int CompileCache::State::lock_byte(const char* file, std::uint64_t number, double timeout) {
  using Clock = std::chrono::steady_clock;
  const auto unusable = [&](const std::string& reason) {
    trouble(locking, fmt::format("kernel cache: no locks in {}: {}; processes may compile the same kernel twice",
                                 options.lock_directory.string(), reason));
    return -1;
  };
  if (const std::string reason = prepare_lock_directory(options.lock_directory); !reason.empty())
    return unusable(reason);
  const int descriptor =
      open((options.lock_directory / file).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (descriptor < 0) return unusable(std::strerror(errno));

  // Of an open file, not of the process, so that threads exclude each other too.
  struct flock range {};
  range.l_type = F_WRLCK, range.l_whence = SEEK_SET, range.l_start = static_cast<off_t>(number / 4), range.l_len = 1;
  // File locks know no timeout, hence the polling: quick at first, because most kernels compile in milliseconds.
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout));
  for (std::chrono::microseconds pause{500};; pause = std::min(pause * 3 / 2, std::chrono::microseconds{25000})) {
    if (fcntl(descriptor, F_OFD_SETLK, &range) == 0) return descriptor;
    const int error = errno;
    if (error != EAGAIN && error != EACCES && error != EINTR) {
      close(descriptor);
      return unusable(std::strerror(error));
    }
    if (Clock::now() >= end) {
      close(descriptor);
      if (timeout > 0)
        trouble(locking, fmt::format("kernel cache: waited {:g} s for another process to compile; going on without it",
                                     timeout));
      return -1;
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace rtcg
