#include "rtcg/compile/manifest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <map>

#include "rtcg/error.h"

namespace rtcg {

namespace {

void append_number(std::string& bytes, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(value >> shift & 0xff));
}

std::string_view take(std::string_view& bytes) {
  if (bytes.size() < 8) throw InputError("manifest: ends inside a length");
  std::uint64_t length = 0;
  for (int i = 0; i < 8; ++i)
    length |= std::uint64_t{static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)])} << (8 * i);
  bytes.remove_prefix(8);
  if (length > bytes.size())
    throw InputError(fmt::format("manifest: a part of {} bytes where {} are left", length, bytes.size()));
  const std::string_view part = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return part;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 80;
  return text.size() <= most ? fmt::format("\"{}\"", text) : fmt::format("\"{}...\"", text.substr(0, most));
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return line;
}

std::string difference(const std::string& label, std::string_view mine, std::string_view theirs) {
  if (mine.find('\n') == mine.npos && theirs.find('\n') == theirs.npos)
    return fmt::format("{}: {} against {}", label, in_quotes(mine), in_quotes(theirs));
  for (int line = 1;; ++line) {
    if (mine.empty() || theirs.empty())
      return fmt::format("{}, line {}: {} against {}", label, line,
                         mine.empty() ? "the end" : in_quotes(take_line(mine)),
                         theirs.empty() ? "the end" : in_quotes(take_line(theirs)));
    const std::string_view a = take_line(mine), b = take_line(theirs);
    if (a != b) return fmt::format("{}, line {}: {} against {}", label, line, in_quotes(a), in_quotes(b));
    if (mine.empty() && theirs.empty()) return fmt::format("{}: differs in its last line end", label);
  }
}

// Labels repeat (one per option or header), so a part is known by its label and which of that label it is.
std::map<std::pair<std::string, int>, const std::string*> by_occurrence(const Manifest& manifest) {
  std::map<std::string, int> seen;
  std::map<std::pair<std::string, int>, const std::string*> result;
  for (const auto& [label, value] : manifest.parts()) result[{label, seen[label]++}] = &value;
  return result;
}

CacheKey key_of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {{hash.high64, hash.low64}};
}

}  // namespace

std::string digest(std::string_view text) {
  return key_of(text).hex();
}

std::string CacheKey::hex() const {
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

void Manifest::add(std::string label, std::string value) {
  parts_.emplace_back(std::move(label), std::move(value));
}

std::string Manifest::serialise() const {
  std::string bytes;
  for (const auto& [label, value] : parts_) {
    append_number(bytes, label.size());
    bytes += label;
    append_number(bytes, value.size());
    bytes += value;
  }
  return bytes;
}

Manifest Manifest::parse(std::string_view bytes) {
  Manifest manifest;
  while (!bytes.empty()) {
    const std::string_view label = take(bytes);
    manifest.add(std::string(label), std::string(take(bytes)));
  }
  return manifest;
}

CacheKey Manifest::key() const {
  return key_of(serialise());
}

std::vector<std::string> Manifest::differences(const Manifest& other) const {
  std::vector<std::string> result;
  const auto mine = by_occurrence(*this), theirs = by_occurrence(other);
  for (const auto& [part, value] : mine) {
    const auto found = theirs.find(part);
    if (found == theirs.end()) {
      result.push_back(fmt::format("{}: {} against nothing", part.first, in_quotes(*value)));
    } else if (*value != *found->second) {
      result.push_back(difference(part.first, *value, *found->second));
    }
  }
  for (const auto& [part, value] : theirs)
    if (!mine.contains(part)) result.push_back(fmt::format("{}: nothing against {}", part.first, in_quotes(*value)));
  if (result.empty() && parts_ != other.parts_) result.emplace_back("the same parts in another order");
  return result;
}

}  // namespace rtcg
