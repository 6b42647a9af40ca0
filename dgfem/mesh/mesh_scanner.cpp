#include "dgfem/mesh/mesh_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fstream>

#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string shown(std::string_view token) {
  std::string result(token.substr(0, 40));
  for (char& c : result)
    if (!std::isprint(static_cast<unsigned char>(c))) c = '?';
  return result;
}

}  // namespace

void MeshScanner::fail(const std::string& what) const {
  fail_at(token_, what);
}

void MeshScanner::fail_at(std::size_t position, const std::string& what) const {
  if (binary_) throw InputError(fmt::format("{}: byte {}: {}", name_, position, what));
  const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(position), '\n');
  throw InputError(fmt::format("{}:{}: {}", name_, line, what));
}

void MeshScanner::skip_blanks() {
  while (position_ < text_.size() && blank(text_[position_])) ++position_;
  token_ = position_;
}

bool MeshScanner::next_line(std::string_view& line) {
  token_ = position_;
  if (position_ == text_.size()) return false;
  const std::size_t end = std::min(text_.find('\n', position_), text_.size());
  line = trimmed(text_.substr(position_, end - position_));
  position_ = std::min(end + 1, text_.size());
  return true;
}

std::string_view MeshScanner::line(const char* what) {
  std::string_view result;
  if (!next_line(result)) fail(fmt::format("the file ends where {} should stand", what));
  return result;
}

std::string_view MeshScanner::word(const char* what) {
  skip_blanks();
  if (position_ == text_.size()) fail(fmt::format("the file ends where {} should stand", what));
  while (position_ < text_.size() && !blank(text_[position_])) ++position_;
  return text_.substr(token_, position_ - token_);
}

std::int64_t MeshScanner::integer(const char* what) {
  const std::string_view token = word(what);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size())
    fail(fmt::format("{} should be a whole number, not \"{}\"", what, shown(token)));
  return value;
}

double MeshScanner::real(const char* what) {
  std::string_view token = word(what);
  const std::string_view whole = token;
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  // A number too small for a double is as good as zero; one too large is not a coordinate.
  const bool tiny = token.find("e-") != std::string_view::npos || token.find("E-") != std::string_view::npos;
  if (error == std::errc::result_out_of_range && end == token.data() + token.size() && tiny) return 0;
  if (error != std::errc() || end != token.data() + token.size())
    fail(fmt::format("{} should be a number, not \"{}\"", what, shown(whole)));
  return value;
}

void MeshScanner::skip_line_of(std::string_view word) {
  std::size_t first = position_;
  while (first < text_.size() && blank(text_[first])) ++first;
  if (!text_.substr(first).starts_with(word)) return;
  position_ = first;
  line("a line");
}

std::size_t MeshScanner::count(const char* what, std::size_t bytes) {
  const std::int64_t value = integer(what);
  if (value < 0) fail(fmt::format("{} should not be negative, as {} is", what, value));
  check_count(static_cast<std::uint64_t>(value), what, bytes);
  return static_cast<std::size_t>(value);
}

void MeshScanner::check_count(std::uint64_t value, const char* what, std::size_t bytes) const {
  if (value > remaining() / bytes + 1)
    fail(fmt::format("{} is {}, but only {} bytes follow", what, value, remaining()));
}

void MeshScanner::raw(void* target, std::size_t bytes, const char* what) {
  token_ = position_;
  if (bytes > remaining()) fail(fmt::format("the file ends where {} should stand", what));
  std::memcpy(target, text_.data() + position_, bytes);
  position_ += bytes;
}

void MeshScanner::swap(void* value, std::size_t bytes) {
  auto* first = static_cast<unsigned char*>(value);
  std::reverse(first, first + bytes);
}

bool MeshScanner::skip_past(std::string_view text) {
  const std::size_t found = text_.find(text, position_);
  if (found == std::string_view::npos) return false;
  position_ = found + text.size();
  return true;
}

std::string mesh_file_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  std::error_code ignored;
  const std::streamoff size = in ? static_cast<std::streamoff>(in.tellg()) : -1;
  if (size < 0 || !std::filesystem::is_regular_file(file, ignored))
    throw InputError(fmt::format("{}: cannot be read", file.string()));
  std::string text(static_cast<std::size_t>(size), '\0');
  in.seekg(0);
  if (!in.read(text.data(), size)) throw InputError(fmt::format("{}: cannot be read to its end", file.string()));
  return text;
}

std::string_view next_word(std::string_view& line) {
  line = trimmed(line);
  std::size_t length = 0;
  while (length < line.size() && !blank(line[length])) ++length;
  const std::string_view word = line.substr(0, length);
  line.remove_prefix(length);
  return word;
}

}  // namespace rtcg::dgfem
