#include "rtcg/compile/source.h"

#include <fmt/format.h>

#include <climits>
#include <cmath>

#include "rtcg/compile/includes.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

/// A NUL ends a text as some compilers read it.
constexpr std::string_view line_ends("\n\r\0", 3);

// A minus sign is kept inside parentheses: `x -${value}` must not become a decrement.
std::string signed_literal(bool negative, std::string magnitude) {
  return negative ? fmt::format("(-{})", magnitude) : magnitude;
}

std::string real_literal(double value, const char* suffix) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return signed_literal(value < 0, "INFINITY");
  return signed_literal(std::signbit(value), fmt::format("{:a}{}", std::fabs(value), suffix));
}

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (name.empty() || !is_letter(name[0])) return false;
  for (const char c : name)
    if (!is_letter(c) && !is_digit(c)) return false;
  return true;
}

}  // namespace

Source::Source(std::string name, std::string text, Dialect dialect)
    : name_(std::move(name)), text_(std::move(text)), dialect_(dialect) {
  if (name_.empty()) throw UsageError("a Source needs a name: it is what error messages point at");
  if (name_.find_first_of(line_ends) != std::string::npos) throw UsageError("the name of a Source must be one line");
}

Source Source::file(const std::filesystem::path& path) {
  std::optional<std::string> text = read_text_file(path.string());
  if (!text) throw InputError(fmt::format("cannot read kernel text {}", path.string()));
  Source source(path.string(), std::move(*text), path.extension() == ".cu" ? Dialect::cuda : Dialect::portable);
  source.include_directory(path.has_parent_path() ? path.parent_path() : ".");
  return source;
}

Source& Source::define(std::string name, std::string value) {
  // `name(arguments)` defines a function-like macro.
  if (!is_identifier(std::string_view(name).substr(0, name.find('('))))
    throw UsageError(fmt::format("{}: \"{}\" cannot be defined: it is not an identifier", name_, name));
  if ((name + value).find_first_of(line_ends) != std::string::npos)
    throw UsageError(fmt::format("{}: the value of define {} must be one line", name_, name));
  // Some compilers join lines over blanks too.
  const std::size_t last = value.find_last_not_of(" \t\v\f");
  if (last != std::string::npos && value[last] == '\\')
    throw UsageError(
        fmt::format("{}: the value of define {} ends in a backslash and would take in the line after it", name_, name));
  defines_.emplace_back(std::move(name), std::move(value));
  return *this;
}

Source& Source::include_directory(std::filesystem::path directory) {
  include_directories_.push_back(std::move(directory));
  return *this;
}

Source& Source::header(std::string name, std::string text) {
  headers_.emplace_back(std::move(name), std::move(text));
  return *this;
}

Source& Source::option(std::string option) {
  if (option.find('\0') != std::string::npos)
    throw UsageError(fmt::format("{}: a NUL byte in the compiler option {}", name_, option.c_str()));
  options_.push_back(std::move(option));
  return *this;
}

Source& Source::fast_math(bool on) {
  fast_math_ = on;
  return *this;
}

std::string Source::literal(float value) {
  return real_literal(value, "f");
}
std::string Source::literal(double value) {
  return real_literal(value, "");
}

std::string Source::literal(long long value) {
  if (value == LLONG_MIN) return "(-9223372036854775807l - 1)";
  if (value == INT_MIN) return "(-2147483647 - 1)";
  const unsigned long long magnitude = static_cast<unsigned long long>(value < 0 ? -value : value);
  return signed_literal(value < 0, fmt::format("{}{}", magnitude, magnitude > INT_MAX ? "l" : ""));
}

std::string Source::literal(unsigned long long value) {
  return fmt::format("{}{}", value, value > UINT_MAX ? "ul" : "u");
}

}  // namespace rtcg
