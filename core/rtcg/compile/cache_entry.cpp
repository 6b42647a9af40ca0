#include "rtcg/compile/cache_entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>

namespace rtcg::detail {

namespace {

using Outcome = EntryReading::Outcome;

constexpr std::string_view magic = "RTCGKRNL";
constexpr std::size_t lengths_at = 16, checksum_at = lengths_at + 4 * 8, header_bytes = checksum_at + 16;
constexpr std::int64_t day = 24 * 60 * 60;

void put(std::string& bytes, std::size_t at, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t get(std::string_view bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)])} << (8 * i);
  return value;
}

/// Of everything but the checksum itself.
class Checksum {
 public:
  Checksum() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    XXH3_128bits_reset(state_);
  }
  ~Checksum() { XXH3_freeState(state_); }
  Checksum(const Checksum&) = delete;
  Checksum& operator=(const Checksum&) = delete;
  void add(const void* data, std::size_t bytes) { XXH3_128bits_update(state_, data, bytes); }
  XXH128_hash_t value() const { return XXH3_128bits_digest(state_); }

 private:
  XXH3_state_t* state_;
};

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

/// False when the file ends early (someone truncated it since fstat) or the disk fails, errno 0 for the former.
bool read_exactly(int descriptor, void* target, std::size_t bytes) {
  auto* at = static_cast<char*>(target);
  while (bytes > 0) {
    const ssize_t count = read(descriptor, at, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      if (count == 0) errno = 0;
      return false;
    }
    at += count;
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

void mark_used(int descriptor, std::int64_t used) {
  // Daily is exact enough for "oldest first" and spares the disk a write per hit. A time far ahead comes from a clock
  // that was wrong. Failing (a file of another user) is harmless.
  const std::int64_t age = static_cast<std::int64_t>(std::time(nullptr)) - used;
  if (age > day || age < -day) futimens(descriptor, nullptr);
}

}  // namespace

std::string encode_entry(std::string_view manifest, const CompileCache::Entry& entry) {
  std::string bytes(header_bytes, '\0');
  bytes.reserve(header_bytes + manifest.size() + entry.metadata.size() + entry.log.size() + entry.binary.size());
  std::copy(magic.begin(), magic.end(), bytes.begin());
  put(bytes, 8, entry_format, 4);
  put(bytes, lengths_at, manifest.size(), 8);
  put(bytes, lengths_at + 8, entry.metadata.size(), 8);
  put(bytes, lengths_at + 16, entry.log.size(), 8);
  put(bytes, lengths_at + 24, entry.binary.size(), 8);
  bytes.append(manifest).append(entry.metadata).append(entry.log);
  bytes.append(reinterpret_cast<const char*>(entry.binary.data()), entry.binary.size());

  Checksum checksum;
  checksum.add(bytes.data(), checksum_at);
  checksum.add(bytes.data() + header_bytes, bytes.size() - header_bytes);
  const XXH128_hash_t hash = checksum.value();
  put(bytes, checksum_at, hash.low64, 8);
  put(bytes, checksum_at + 8, hash.high64, 8);
  return bytes;
}

EntryReading read_entry(const std::filesystem::path& path, const std::string* expected, bool touch) {
  EntryReading reading;
  const auto refuse = [&](std::string reason) {
    reading.outcome = Outcome::refused, reading.reason = std::move(reason);
    return reading;
  };
  const auto fail = [&] {
    reading.outcome = errno == ENOENT || errno == ENOTDIR ? Outcome::absent : Outcome::failed;
    reading.reason = std::strerror(errno);
    return reading;
  };

  // O_NONBLOCK: a FIFO in the entry's place must not hang us.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0) return errno == ELOOP ? refuse("is a symbolic link") : fail();
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return fail();
  if (!S_ISREG(status.st_mode)) return refuse("is not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  reading.bytes = size, reading.used = status.st_mtime;
  if (size < header_bytes) return refuse("is shorter than an entry's header");
  if (size > largest_entry) return refuse("is larger than any entry");

  std::array<char, header_bytes> header_data;
  if (!read_exactly(file.get(), header_data.data(), header_bytes)) return errno == 0 ? refuse("was truncated") : fail();
  const std::string_view header(header_data.data(), header_bytes);
  if (header.substr(0, magic.size()) != magic) return refuse("is not a cache entry");
  if (const std::uint64_t format = get(header, 8, 4); format != entry_format)
    return refuse("has format " + std::to_string(format) + ", not " + std::to_string(entry_format));

  std::array<std::uint64_t, 4> lengths;
  std::uint64_t left = size - header_bytes;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lengths[i] = get(header, lengths_at + 8 * i, 8);
    if (lengths[i] > left) return refuse("is truncated");
    left -= lengths[i];
  }
  if (left != 0) return refuse("has bytes after its end");
  if (expected && lengths[0] != expected->size()) return refuse("belongs to another manifest");

  Checksum checksum;
  checksum.add(header.data(), checksum_at);
  const auto read_part = [&](auto& part, std::size_t index) {
    part.resize(static_cast<std::size_t>(lengths[index]));
    if (!read_exactly(file.get(), part.data(), part.size())) return false;
    checksum.add(part.data(), part.size());
    return true;
  };
  if (!read_part(reading.manifest, 0)) return errno == 0 ? refuse("was truncated") : fail();
  if (expected && reading.manifest != *expected) return refuse("belongs to another manifest");
  if (!read_part(reading.entry.metadata, 1) || !read_part(reading.entry.log, 2) || !read_part(reading.entry.binary, 3))
    return errno == 0 ? refuse("was truncated") : fail();
  const XXH128_hash_t hash = checksum.value();
  if (hash.low64 != get(header, checksum_at, 8) || hash.high64 != get(header, checksum_at + 8, 8))
    return refuse("has a wrong checksum");

  if (touch) mark_used(file.get(), reading.used);
  reading.outcome = Outcome::read;
  return reading;
}

}  // namespace rtcg::detail
