#include "rtcg/io/toml_table.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <vector>

#include <fmt/format.h>

namespace rtcg {

namespace {

/// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j] ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// Files are not trusted to hold printable keys.
std::string shown(std::string_view text) {
  std::string result(text.substr(0, 200));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return result;
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("{}:{}: {}", name, error.source().begin.line, shown(error.description())));
  }
}

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream content;
  if (!in || !(content << in.rdbuf())) throw InputError(fmt::format("{}: cannot be read", file));
  return std::move(content).str();
}

void TomlTable::fail(std::string_view key, std::string_view what) const {
  const auto found = table_->find(key);
  auto line = (found != table_->end() ? found->second.source() : table_->source()).begin.line;
  // Copies of nodes forget where they stood; their keys do not.
  if (line == 0 && found != table_->end()) line = found->first.source().begin.line;
  if (line == 0 && !table_->empty()) line = table_->begin()->first.source().begin.line;
  const std::string place = fmt::format("{}{}{}", path_, path_.empty() || key.empty() ? "" : ".", shown(key));
  throw InputError(fmt::format("{}:{}: {}{}{}", file_, line, place, place.empty() ? "" : ": ", what));
}

void TomlTable::allow(std::span<const std::string_view> keys) const {
  for (const auto& [key, node] : *table_) {
    const std::string_view given = key.str();
    if (std::find(keys.begin(), keys.end(), given) != keys.end()) continue;
    const std::string_view nearest = *std::min_element(
        keys.begin(), keys.end(), [&](auto a, auto b) { return distance(given, a) < distance(given, b); });
    fail(given, fmt::format("there is no such key; the nearest is \"{}\", all are {}", nearest, fmt::join(keys, ", ")));
  }
}

void TomlTable::expect(bool right, std::string_view key, std::string_view needed) const {
  if (right) return;
  const bool is_list = (*table_)[key].is_array();
  fail(key, fmt::format("{} is needed{}", needed, is_list ? ", not a list" : ""));
}

std::optional<std::size_t> TomlTable::whole(std::string_view key, std::size_t least, std::size_t most) const {
  if (!has(key)) return std::nullopt;
  const std::optional<std::int64_t> value = (*table_)[key].value_exact<std::int64_t>();
  expect(value && *value >= 0 && static_cast<std::size_t>(*value) >= least && static_cast<std::size_t>(*value) <= most,
         key, fmt::format("a whole number from {} to {}", least, most));
  return static_cast<std::size_t>(*value);
}

std::optional<double> TomlTable::real(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const toml::node_view<const toml::node> node = (*table_)[key];
  expect(node.is_number(), key, "a number");
  return node.value<double>();
}

std::optional<bool> TomlTable::flag(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const std::optional<bool> value = (*table_)[key].value_exact<bool>();
  expect(value.has_value(), key, "true or false");
  return value;
}

std::optional<std::string> TomlTable::text(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const std::optional<std::string> value = (*table_)[key].value_exact<std::string>();
  expect(value.has_value(), key, "a text in quotes");
  return value;
}

std::vector<std::string> TomlTable::keys() const {
  std::vector<const toml::key*> found;
  for (const auto& [key, node] : *table_) found.push_back(&key);
  std::stable_sort(found.begin(), found.end(), [](const toml::key* a, const toml::key* b) {
    const toml::source_position x = a->source().begin, y = b->source().begin;
    return x.line != y.line ? x.line < y.line : x.column < y.column;
  });
  std::vector<std::string> names;
  for (const toml::key* key : found) names.emplace_back(key->str());
  return names;
}

std::optional<std::vector<std::string>> TomlTable::texts(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const toml::array* const list = (*table_)[key].as_array();
  if (!list) fail(key, "a list of texts is needed, such as [\"a\", \"b\"]");
  std::vector<std::string> values;
  for (const toml::node& node : *list) {
    const std::optional<std::string> value = node.value_exact<std::string>();
    if (!value) fail(key, "a list of texts is needed, such as [\"a\", \"b\"]");
    values.push_back(*value);
  }
  return values;
}

std::optional<std::vector<double>> TomlTable::reals(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const toml::array* const list = (*table_)[key].as_array();
  if (!list) fail(key, "a list of numbers is needed, such as [0.5, 1]");
  std::vector<double> values;
  for (const toml::node& node : *list) {
    if (!node.is_number()) fail(key, "a list of numbers is needed, such as [0.5, 1]");
    values.push_back(*node.value<double>());
  }
  return values;
}

std::optional<TomlTable> TomlTable::inner(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const toml::table* const table = (*table_)[key].as_table();
  if (!table) fail(key, "a table is needed, such as { size = 3 }");
  return TomlTable(*table, file_, fmt::format("{}{}{}", path_, path_.empty() ? "" : ".", key));
}

}  // namespace rtcg
