// The list of everything that can change a binary, in order, each part length-prefixed so that no two lists read the
// same. Its 128-bit hash names the cache entry; the whole list is stored there and compared on a hit, and two lists
// can be set against each other to answer "why was this compiled again?".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rtcg {

struct CacheKey {
  std::array<std::uint64_t, 2> words{};
  std::string hex() const;  ///< 32 lower-case digits
  friend bool operator==(const CacheKey&, const CacheKey&) = default;
  friend auto operator<=>(const CacheKey&, const CacheKey&) = default;
};

/// XXH3-128 of a text, as CacheKey::hex writes it.
std::string digest(std::string_view text);

class Manifest {
 public:
  void add(std::string label, std::string value);
  const std::vector<std::pair<std::string, std::string>>& parts() const { return parts_; }

  std::string serialise() const;
  static Manifest parse(std::string_view bytes);  ///< InputError when it is not one
  CacheKey key() const;                           ///< XXH3-128 of serialise()

  /// One line per difference, long values shown by their first differing line; empty when equal.
  std::vector<std::string> differences(const Manifest& other) const;

 private:
  std::vector<std::pair<std::string, std::string>> parts_;
};

}  // namespace rtcg
