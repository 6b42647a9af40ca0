#include "rtcg/compile/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "rtcg/compile/prelude.h"

namespace rtcg {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

std::optional<Diagnostic::Severity> severity_of(std::string_view word) {
  if (word == "error" || word == "fatal error" || word == "catastrophic error") return Diagnostic::Severity::error;
  if (word == "warning") return Diagnostic::Severity::warning;
  if (word == "note" || word == "remark") return Diagnostic::Severity::note;
  return std::nullopt;
}

/// Reads a whole number that ends right before `end`; moves `end` to its start.
std::optional<int> number_before(std::string_view text, std::size_t& end) {
  std::size_t start = end;
  while (start > 0 && text[start - 1] >= '0' && text[start - 1] <= '9') --start;
  int value = 0;
  if (start == end || std::from_chars(text.data() + start, text.data() + end, value).ec != std::errc{})
    return std::nullopt;
  end = start;
  return value;
}

/// "name(3)" or "name:3:5" or "name:3" into file, line and column.
bool read_place(std::string_view place, Diagnostic& result) {
  std::size_t end = place.size();
  if (end > 0 && place[end - 1] == ')') {
    --end;
    const auto line = number_before(place, end);
    if (!line || end == 0 || place[end - 1] != '(') return false;
    result.line = *line;
    result.file = place.substr(0, end - 1);
    return !result.file.empty();
  }
  const auto last = number_before(place, end);
  if (!last || end < 2 || place[end - 1] != ':') return false;
  std::size_t before = end - 1;
  const auto first = number_before(place, before);
  if (first && before >= 2 && place[before - 1] == ':') {
    result.line = *first, result.column = *last;
    result.file = place.substr(0, before - 1);
  } else {
    result.line = *last;
    result.file = place.substr(0, end - 1);
  }
  return true;
}

/// "place: error: message", "place: error #20: message" or PoCL's "error: place: message".
std::optional<Diagnostic> read_header(std::string_view line) {
  for (std::size_t at = 0; (at = line.find(": ", at)) != std::string_view::npos; at += 2) {
    Diagnostic result;
    const std::string_view head = line.substr(0, at), rest = line.substr(at + 2);
    std::size_t colon = rest.find(": ");
    if (const auto severity = severity_of(trimmed(head))) {
      if (colon == std::string_view::npos || !read_place(rest.substr(0, colon), result)) return std::nullopt;
      result.severity = *severity;
      result.message = trimmed(rest.substr(colon + 2));
      return result;
    }
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view kind = rest.substr(0, colon);
    const auto severity = severity_of(trimmed(kind.substr(0, kind.find('#'))));
    if (!severity || !read_place(head, result)) continue;
    result.severity = *severity;
    result.message = trimmed(rest.substr(colon + 2));
    return result;
  }
  return std::nullopt;
}

bool is_caret(std::string_view line) {
  const std::string_view mark = trimmed(line);
  return !mark.empty() && mark.find_first_not_of("^~ ") == std::string_view::npos &&
         mark.find('^') != std::string_view::npos;
}

/// Line `number` of `file` in a text with `#line` directives.
std::optional<std::string_view> find_line(std::string_view text, std::string_view file, int number) {
  bool inside = false;
  int line = 0;
  for (const std::string_view candidate : lines_of(text)) {
    if (candidate.starts_with("#line ")) {
      const std::size_t quote = candidate.find('"');
      if (quote == std::string_view::npos) continue;
      std::string name;
      for (std::size_t i = quote + 1; i < candidate.size() && candidate[i] != '"'; ++i) {
        if (candidate[i] == '\\' && i + 1 < candidate.size()) ++i;
        name += candidate[i];
      }
      inside = name == file;
      std::from_chars(candidate.data() + 6, candidate.data() + candidate.size(), line);
      continue;
    }
    if (inside && line == number) return candidate;
    ++line;
  }
  return std::nullopt;
}

std::string_view name_of(Diagnostic::Severity severity) {
  switch (severity) {
    case Diagnostic::Severity::note:
      return "note";
    case Diagnostic::Severity::warning:
      return "warning";
    case Diagnostic::Severity::error:
      break;
  }
  return "error";
}

struct Excerpt {
  std::string text;
  std::size_t caret = 0;  ///< where the column lies in it
};

/// The part of a line round its column that can be shown: generated lines may be of any length, and no control
/// character of a text shall reach a terminal.
Excerpt excerpt_of(std::string_view line, std::size_t column) {
  constexpr std::size_t widest = 160;
  constexpr std::string_view left_out = "...";
  const auto inside_character = [&](std::size_t at) {
    return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80;
  };
  std::size_t first = 0, last = line.size();
  if (line.size() > widest) {
    first = std::min(column > widest / 2 ? column - widest / 2 : 0, line.size() - widest);
    last = first + widest;
    for (int i = 0; i < 3 && first > 0 && inside_character(first); ++i) --first;
    for (int i = 0; i < 3 && inside_character(last); ++i) ++last;
  }
  Excerpt result;
  if (first > 0) result.text = left_out;
  result.caret = result.text.size() + (column > first ? column - 1 - first : 0);
  result.text += line.substr(first, last - first);
  if (last < line.size()) result.text += left_out;
  for (char& c : result.text)
    if ((static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f') c = ' ';
  return result;
}

std::string show_one(const Diagnostic& diagnostic, const CompileRequest& request) {
  std::string result = diagnostic.file.empty() ? request.name : diagnostic.file;
  if (diagnostic.line > 0) result += fmt::format(":{}", diagnostic.line);
  if (diagnostic.line > 0 && diagnostic.column > 0) result += fmt::format(":{}", diagnostic.column);
  result += fmt::format(": {}: {}\n", name_of(diagnostic.severity), diagnostic.message);
  if (diagnostic.line <= 0 || diagnostic.file == prelude_name) return result;

  auto line = find_line(request.text, diagnostic.file, diagnostic.line);
  if (!line) return result;
  if (line->ends_with('\r')) line->remove_suffix(1);
  const auto column = static_cast<std::size_t>(std::max(diagnostic.column, 0));
  const Excerpt excerpt = excerpt_of(*line, column);
  result += fmt::format("  {}\n", excerpt.text);
  if (column > 0 && column <= line->size() + 1) {
    std::string margin = excerpt.text.substr(0, excerpt.caret);
    for (char& c : margin)
      if (c != '\t') c = ' ';  // a tab keeps the caret below its character however wide it is shown
    result += fmt::format("  {}^\n", margin);
  }
  return result;
}

}  // namespace

std::vector<Diagnostic> parse_log(std::string_view log) {
  std::vector<Diagnostic> result;
  const std::vector<std::string_view> lines = lines_of(log);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto diagnostic = read_header(lines[i]);
    if (!diagnostic) continue;
    // Both compilers may follow with more of the message, then the line and a caret.
    std::size_t end = i + 1, caret = 0;
    while (end < lines.size() && !trimmed(lines[end]).empty() && !read_header(lines[end])) {
      if (caret == 0 && end > i + 1 && is_caret(lines[end])) caret = end;
      ++end;
    }
    if (caret != 0) {
      if (diagnostic->column == 0) {
        // NVRTC indents line and caret by two.
        const std::size_t at = lines[caret].find('^');
        if (at >= 2) diagnostic->column = static_cast<int>(at) - 1;
      }
      for (std::size_t k = i + 1; k + 1 < caret; ++k) diagnostic->message += fmt::format("; {}", trimmed(lines[k]));
      i = caret;
    }
    result.push_back(std::move(*diagnostic));
  }
  return result;
}

std::string show(std::span<const Diagnostic> diagnostics, const CompileRequest& request, std::size_t most) {
  const auto is_error = [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; };
  const auto is_own = [&](const Diagnostic& d) { return is_error(d) && d.file != prelude_name; };
  // An error seen only inside the prelude still has to be told; it is shown without the prelude's line.
  const bool any_own = std::any_of(diagnostics.begin(), diagnostics.end(), is_own);
  std::string result;
  std::size_t shown = 0, left = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (any_own ? !is_own(diagnostic) : !is_error(diagnostic)) continue;
    if (shown == most) {
      ++left;
      continue;
    }
    result += show_one(diagnostic, request);
    ++shown;
  }
  if (left > 0) result += fmt::format("... and {} more\n", left);
  if (!result.empty()) result.pop_back();
  return result;
}

CompileError::CompileError(const std::string& message, std::vector<Diagnostic> diagnostics, std::string log,
                           std::vector<std::string> options)
    : DeviceError(message), diagnostics_(std::move(diagnostics)), log_(std::move(log)), options_(std::move(options)) {}

void throw_compile_error(const std::string& log, const CompileRequest& request, const std::string& target) {
  std::vector<Diagnostic> diagnostics = parse_log(log);
  std::string message = show(diagnostics, request);
  if (message.empty()) {
    // Not one line of a known form: a refused option, or the compiler itself failed.
    const std::vector<std::string_view> lines = lines_of(log);
    const auto first =
        std::find_if(lines.begin(), lines.end(), [](std::string_view line) { return !trimmed(line).empty(); });
    message = fmt::format("{}: error: {}", request.name,
                          first == lines.end() ? "the compiler gave no reason" : trimmed(*first));
  }
  throw CompileError(
      fmt::format("{}\n  compiled for {}{}", message, target,
                  request.options.empty() ? "" : fmt::format(" with {}", fmt::join(request.options, " "))),
      std::move(diagnostics), log, request.options);
}

}  // namespace rtcg
