#include "rtcg/compile/includes.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "rtcg/compile/tokens.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_text = std::size_t{64} << 20;

/// File contents, read again when size, inode or time of change do. Not the time of modification, which tools that copy
/// or sync files set back.
class FileMemo {
 public:
  /// nullptr when there is no such regular file.
  std::shared_ptr<const std::string> read(const std::string& path) {
    struct stat now {};
    if (::stat(path.c_str(), &now) != 0 || !S_ISREG(now.st_mode)) return nullptr;
    const Stamp stamp{now.st_size, now.st_ino, now.st_dev, now.st_ctim.tv_sec, now.st_ctim.tv_nsec};
    {
      const std::scoped_lock lock(mutex_);
      const auto found = files_.find(path);
      if (found != files_.end() && found->second.stamp == stamp) return found->second.text;
    }
    std::optional<std::string> text = read_text_file(path);
    if (!text) throw InputError(fmt::format("cannot read header {}", path));
    auto contents = std::make_shared<const std::string>(std::move(*text));
    // A file written within the clock's grain of its last reading would keep its time stamp: remember only older ones.
    const std::int64_t age =
        std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) - now.st_ctim.tv_sec;
    const std::scoped_lock lock(mutex_);
    if (age > 2)
      files_[path] = {stamp, contents};
    else
      files_.erase(path);
    return contents;
  }

 private:
  struct Stamp {
    std::int64_t size, inode, device, seconds, nanoseconds;
    Stamp(auto a, auto b, auto c, auto d, auto e)
        : size(static_cast<std::int64_t>(a)),
          inode(static_cast<std::int64_t>(b)),
          device(static_cast<std::int64_t>(c)),
          seconds(static_cast<std::int64_t>(d)),
          nanoseconds(static_cast<std::int64_t>(e)) {}
    Stamp() = default;
    bool operator==(const Stamp&) const = default;
  };
  struct File {
    Stamp stamp;
    std::shared_ptr<const std::string> text;
  };
  std::mutex mutex_;
  std::map<std::string, File> files_;
};

/// Never destroyed: other threads may compile while the process ends.
FileMemo& file_memo() {
  static auto* const memo = new FileMemo;
  return *memo;
}

struct Directive {
  std::string name;  ///< of the header; empty for #pragma once
  bool quoted = false;
  std::size_t end = 0;  ///< one past the name in the line
};

/// `code` is a line without comments.
std::optional<Directive> read_directive(std::string_view code) {
  std::size_t at = code.find_first_not_of(" \t");
  if (at == std::string_view::npos || code[at] != '#') return std::nullopt;
  at = code.find_first_not_of(" \t", at + 1);
  if (at == std::string_view::npos) return std::nullopt;
  if (code.substr(at, 6) == "pragma") {
    const std::vector<std::string> words = tokenise(code.substr(at));
    if (words.size() == 2 && words[1] == "once") return Directive{};
    return std::nullopt;
  }
  if (code.substr(at, 7) != "include") return std::nullopt;
  at = code.find_first_not_of(" \t", at + 7);
  if (at == std::string_view::npos || (code[at] != '"' && code[at] != '<')) return std::nullopt;
  const bool quoted = code[at] == '"';
  const std::size_t close = code.find(quoted ? '"' : '>', at + 1);
  if (close == std::string_view::npos || close == at + 1) return std::nullopt;
  return Directive{std::string(code.substr(at + 1, close - at - 1)), quoted, close + 1};
}

std::string escaped(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '\\' || c == '"') result += '\\';
    result += c;
  }
  return result;
}

class Resolver {
 public:
  explicit Resolver(const Source& source) : source_(source), directories_(source.include_directories()) {
    const std::vector<std::string>& options = source.options();
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (options[i] == "-I" && i + 1 < options.size())
        directories_.emplace_back(options[i + 1]);
      else if (options[i].starts_with("-I") && options[i].size() > 2)
        directories_.emplace_back(options[i].substr(options[i].find_first_not_of(' ', 2)));
    }
  }

  IncludedText run() && {
    result_.files.push_back({source_.name(), source_.text()});
    append(0, source_.text(), std::nullopt);
    return std::move(result_);
  }

 private:
  struct Found {
    std::string name;  ///< as messages show it
    std::shared_ptr<const std::string> text;
    std::optional<fs::path> directory;  ///< of a file on disk
  };

  std::optional<Found> in_memory(const std::string& name) const {
    for (const auto& [own, text] : source_.headers())
      if (own == name)
        return Found{own, std::shared_ptr<const std::string>(std::shared_ptr<void>(), &text), std::nullopt};
    return std::nullopt;
  }

  std::optional<Found> on_disk(const fs::path& path) const {
    auto text = file_memo().read(path.string());
    if (!text) return std::nullopt;
    return Found{path.lexically_normal().string(), std::move(text), path.parent_path()};
  }

  std::optional<Found> find(const Directive& directive, std::size_t from,
                            const std::optional<fs::path>& own_directory) const {
    if (auto found = in_memory(directive.name)) return found;
    if (directive.quoted) {
      if (own_directory) {
        if (auto found = on_disk(*own_directory / directive.name)) return found;
      } else if (from != 0) {
        const fs::path beside = fs::path(result_.files[from].name).parent_path() / directive.name;
        if (auto found = in_memory(beside.lexically_normal().string())) return found;
      }
    }
    for (const fs::path& directory : directories_)
      if (auto found = on_disk(directory / directive.name)) return found;
    return std::nullopt;
  }

  std::size_t number_of(const Found& found) {
    for (std::size_t i = 1; i < result_.files.size(); ++i)
      if (result_.files[i].name == found.name) return i;
    result_.files.push_back({found.name, *found.text});
    return result_.files.size() - 1;
  }

  void emit(std::string_view text) {
    result_.text += text;
    result_.anonymous += text;
    if (result_.text.size() > largest_text)
      throw InputError(fmt::format("{}: the text with its headers passes {} MiB; a header without an include guard?",
                                   source_.name(), largest_text >> 20));
  }

  void emit_line(std::size_t line, std::size_t file) {
    result_.text += fmt::format("#line {} \"{}\"\n", line, escaped(result_.files[file].name));
    result_.anonymous += fmt::format("#line {} \"{}\"\n", line, file);
  }

  void append(std::size_t file, std::string_view text, const std::optional<fs::path>& directory) {
    if (const std::size_t nul = text.find('\0'); nul != text.npos)
      throw InputError(
          fmt::format("{}:{}: a NUL byte; compilers would read the text only as far as that", result_.files[file].name,
                      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n')));
    const std::string code = blank_comments(text);
    bool once = false;
    std::vector<std::pair<std::size_t, Directive>> directives;  // by offset of the line
    for (std::size_t start = 0; start < code.size();) {
      const std::size_t end = std::min(code.find('\n', start), code.size());
      if (auto directive = read_directive(std::string_view(code).substr(start, end - start))) {
        if (directive->name.empty()) once = once || file != 0;
        if (!directive->name.empty() || file != 0) directives.emplace_back(start, std::move(*directive));
      }
      start = end + 1;
    }
    if (once) emit(fmt::format("#ifndef RTCG_ONCE_{0}\n#define RTCG_ONCE_{0}\n", file));
    emit_line(1, file);
    open_.push_back(file);
    std::size_t at = 0, line = 1;
    for (const auto& [start, directive] : directives) {
      emit(text.substr(at, start - at));
      line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                  text.begin() + static_cast<std::ptrdiff_t>(start), '\n'));
      at = start;
      if (directive.name.empty()) {
        at = std::min(code.find('\n', start), code.size());
        continue;
      }
      const std::optional<Found> found = find(directive, file, directory);
      if (!found) {
        const std::string spelled = directive.quoted ? '"' + directive.name + '"' : '<' + directive.name + '>';
        if (std::find(result_.missing.begin(), result_.missing.end(), spelled) == result_.missing.end())
          result_.missing.push_back(spelled);
        continue;
      }
      at = start + directive.end;  // what follows the name (a comment, perhaps an open one) stays
      const std::size_t number = number_of(*found);
      if (std::find(open_.begin(), open_.end(), number) == open_.end()) {
        append(number, *found->text, found->directory);
        emit_line(line, file);
      }
    }
    emit(text.substr(at));
    if (text.empty() || text.back() != '\n') emit("\n");
    open_.pop_back();
    if (once) emit("#endif\n");
  }

  const Source& source_;
  std::vector<fs::path> directories_;
  std::vector<std::size_t> open_;
  IncludedText result_;
};

}  // namespace

std::optional<std::string> read_text_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  if (!stream) return std::nullopt;
  try {
    text.assign(std::istreambuf_iterator<char>(stream), {});
  } catch (const std::ios_base::failure&) {  // a directory
    return std::nullopt;
  }
  if (stream.bad()) return std::nullopt;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

IncludedText resolve_includes(const Source& source) {
  return Resolver(source).run();
}

}  // namespace rtcg
