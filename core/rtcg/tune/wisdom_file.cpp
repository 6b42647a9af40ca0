#include "rtcg/tune/wisdom_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"
#include "rtcg/warning.h"

namespace rtcg {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds lock_timeout{10};
constexpr std::size_t largest_file = std::size_t{64} << 20;  // bytes; wisdom of a family is a few hundred lines

[[noreturn]] void fail(const fs::path& path, const char* what, int error = errno) {
  throw InputError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(error)));
}

/// The file opened for appending and locked, the one that the path names: a rewriter may have replaced it meanwhile.
class LockedFile {
 public:
  explicit LockedFile(const fs::path& path) {
    std::error_code error;
    if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
    if (error) fail(path, "its directory cannot be made", error.value());
    const Clock::time_point end = Clock::now() + lock_timeout;
    do {
      close_file();
      descriptor_ = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
      if (descriptor_ < 0) fail(path, "cannot be written");
      lock(path, end);
    } while (!is_named(path));
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) fail(path, "cannot be looked at");
    if (!S_ISREG(status.st_mode)) throw InputError(path.string() + ": not a regular file");
    bytes_ = status.st_size;
  }
  ~LockedFile() { close_file(); }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  int descriptor() const { return descriptor_; }
  off_t bytes() const { return bytes_; }

 private:
  void close_file() {
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }
  /// File locks know no timeout, hence the polling. A file system without locks is used without.
  void lock(const fs::path& path, Clock::time_point end) {
    while (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return;
      if (Clock::now() > end)
        throw InputError(
            fmt::format("{}: another process has kept it locked for {} s", path.string(), lock_timeout.count()));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  bool is_named(const fs::path& path) const {
    struct stat mine {
    }, named{};
    return fstat(descriptor_, &mine) == 0 && stat(path.c_str(), &named) == 0 && mine.st_dev == named.st_dev &&
           mine.st_ino == named.st_ino;
  }

  int descriptor_ = -1;
  off_t bytes_ = 0;
};

bool ends_inside_a_line(const LockedFile& file) {
  char last = '\n';
  return file.bytes() > 0 && pread(file.descriptor(), &last, 1, file.bytes() - 1) == 1 && last != '\n';
}

struct Line {
  std::string text;
  ParsedLine parsed;
  bool is_bad = false;
  std::string problem;
};

Line read_line(std::string text) {
  Line line;
  line.text = std::move(text);
  try {
    line.parsed = parse_wisdom_line(line.text);
  } catch (const InputError& error) {
    line.is_bad = true;
    line.problem = error.what();
  }
  return line;
}

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail(path, "cannot be read");
  std::error_code error;
  if (const auto bytes = fs::file_size(path, error); error || bytes > largest_file)
    throw InputError(error ? path.string() + ": not a regular file"
                           : fmt::format("{}: {} bytes, more than wisdom has", path.string(), bytes));
  std::string content{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) throw InputError(path.string() + ": cannot be read");
  return content;
}

/// Waits until no writer is at work, or for a second.
void wait_for_writers(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  for (int attempt = 0; attempt < 1000 && flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++attempt)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  close(descriptor);
}

std::vector<Line> lines_of(std::string_view content) {
  std::vector<Line> lines;
  while (!content.empty()) {
    const std::size_t end = content.find('\n');
    lines.push_back(read_line(std::string(content.substr(0, end))));
    content = end == content.npos ? std::string_view{} : content.substr(end + 1);
  }
  return lines;
}

/// Replaces the content while `lock` is held.
void rewrite(const fs::path& path, const std::vector<std::string>& lines) {
  std::string content;
  for (const std::string& line : lines) content += line + '\n';
  write_file(path, content);
}

struct Candidate {
  const WisdomRecord* record;
  std::string text;
  bool stays = true;
};

void keep_newest(std::vector<Candidate>& candidates) {
  for (std::size_t later = 0; later < candidates.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      Candidate &first = candidates[earlier], &second = candidates[later];
      if (!first.stays || !first.record->same_problem(*second.record)) continue;
      (first.record->date > second.record->date ? second : first).stays = false;
      break;  // of the earlier ones only one was left
    }
}

}  // namespace

WisdomFile read_wisdom(const fs::path& path) {
  WisdomFile file{.path = path, .entries = {}, .bad = {}, .foreign = {}};
  std::error_code error;
  if (!fs::exists(path, error) && !error) return file;
  try {
    std::size_t number = 0;
    std::string content = content_of(path);
    if (!content.empty() && content.back() != '\n') {  // a writer may be in the middle of it
      wait_for_writers(path);
      content = content_of(path);
    }
    for (Line& line : lines_of(content)) {
      ++number;
      if (line.is_bad)
        file.bad.push_back({number, line.problem});
      else if (line.parsed.kind == LineKind::foreign)
        file.foreign.push_back(
            {number, fmt::format("schema {}, where this version knows {}", line.parsed.schema, WisdomRecord::schema)});
      else if (line.parsed.kind == LineKind::record)
        file.entries.push_back({std::move(line.parsed.record), number});
    }
  } catch (const InputError& problem) {
    std::string what = problem.what();
    if (const std::string prefix = path.string() + ": "; what.starts_with(prefix)) what.erase(0, prefix.size());
    file.bad.push_back({0, what});
  }
  return file;
}

void warn_about(const WisdomFile& file) {
  if (file.bad.empty()) return;
  const WisdomFile::Remark& first = file.bad.front();
  const std::string place = first.line == 0 ? "" : fmt::format(":{}", first.line);
  const std::string more =
      file.bad.size() == 1 ? ""
                           : fmt::format(" (and {} more lines; 'rtcg tune verify' lists them)", file.bad.size() - 1);
  warn(fmt::format("{}{}: {}{}", file.path.string(), place, first.what, more));
}

void append_wisdom(const fs::path& path, const WisdomRecord& record) {
  std::string text = to_line(record) + '\n';
  try {
    parse_wisdom_line(text);
  } catch (const InputError& error) {
    throw UsageError(
        fmt::format("{}: not written, because no reader would take the record: {}", path.string(), error.what()));
  }
  const LockedFile file(path);
  if (file.bytes() == 0) text = wisdom_header(record.family) + "\n" + text;
  if (ends_inside_a_line(file)) text = "\n" + text;
  const ssize_t written = write(file.descriptor(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return;
  const int error = written < 0 ? errno : ENOSPC;
  // The lock is held, so that what follows the old end is a part of this line.
  if (written > 0 && ftruncate(file.descriptor(), file.bytes()) != 0) fail(path, "holds a part of a line");
  fail(path, "cannot be written", error);
}

std::size_t remove_wisdom(const fs::path& path, const std::function<bool(const WisdomEntry&)>& unwanted) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return 0;
  const LockedFile lock(path);
  std::vector<std::string> kept;
  std::size_t removed = 0, number = 0;
  for (Line& line : lines_of(content_of(path))) {
    ++number;
    if (!line.is_bad && line.parsed.kind == LineKind::record && unwanted({line.parsed.record, number}))
      ++removed;
    else
      kept.push_back(std::move(line.text));
  }
  if (removed > 0) rewrite(path, kept);
  return removed;
}

std::vector<WisdomRecord> newest_of(const std::vector<WisdomRecord>& records) {
  std::vector<Candidate> candidates;
  for (const WisdomRecord& record : records) candidates.push_back({&record, {}});
  keep_newest(candidates);
  std::vector<WisdomRecord> newest;
  for (const Candidate& candidate : candidates)
    if (candidate.stays) newest.push_back(*candidate.record);
  return newest;
}

std::size_t merge_wisdom(const fs::path& path, const std::vector<WisdomRecord>& added) {
  const LockedFile lock(path);
  std::vector<std::string> kept;
  std::vector<Candidate> candidates;
  const std::vector<Line> lines = lines_of(content_of(path));
  for (const Line& line : lines)
    if (line.is_bad || line.parsed.kind != LineKind::record)
      kept.push_back(line.text);
    else
      candidates.push_back({&line.parsed.record, line.text});
  const auto own = static_cast<std::ptrdiff_t>(candidates.size());
  for (const WisdomRecord& record : added) candidates.push_back({&record, to_line(record)});

  keep_newest(candidates);
  if (kept.empty() && !candidates.empty()) kept.push_back(wisdom_header(candidates.front().record->family));
  for (const Candidate& candidate : candidates)
    if (candidate.stays) kept.push_back(candidate.text);
  rewrite(path, kept);
  return static_cast<std::size_t>(std::count_if(candidates.begin() + own, candidates.end(),
                                                [](const Candidate& candidate) { return candidate.stays; }));
}

std::string wisdom_file_name(const std::string& family) {
  const bool plain = !family.empty() && std::all_of(family.begin(), family.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (!plain)
    throw UsageError(fmt::format("\"{}\" is no name of a tunable family: small letters, digits, _ and - only", family));
  return family + ".jsonl";
}

}  // namespace rtcg
