// One choice of values for a kernel's parameters: what a tuner tries, a record remembers and a generator reads.
// The order of the parameters is kept for reading; two configurations are equal when they hold the same pairs, in
// whatever order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rtcg {

using ParameterValue = std::variant<bool, std::int64_t, std::string>;

/// "true", "128", "rows".
std::string to_text(const ParameterValue& value);

class Configuration {
 public:
  using Pair = std::pair<std::string, ParameterValue>;

  Configuration() = default;
  /// UsageError for a name that is given twice.
  explicit Configuration(std::vector<Pair> values);

  /// Replaces the value of a parameter or adds one at the end.
  void set(std::string_view name, ParameterValue value);
  /// Null when there is none.
  const ParameterValue* find(std::string_view name) const;
  // UsageError naming the parameter when there is none or it is of another type.
  std::int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  const std::string& word(std::string_view name) const;

  const std::vector<Pair>& values() const { return values_; }
  bool empty() const { return values_.empty(); }
  std::string text() const;  ///< "group=128 unrolled=true kernel=rows"
  std::size_t hash() const;  ///< the same for equal ones

  friend bool operator==(const Configuration& a, const Configuration& b);

 private:
  std::vector<Pair> values_;
};

}  // namespace rtcg

template <>
struct std::hash<rtcg::Configuration> {
  std::size_t operator()(const rtcg::Configuration& configuration) const { return configuration.hash(); }
};
