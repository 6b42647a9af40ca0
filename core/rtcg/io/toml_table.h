// A TOML table read key by key, with messages that name file, line and key. Included by .cpp files only.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "rtcg/error.h"

namespace rtcg {

/// InputError "NAME:LINE: ..." for what is not TOML.
toml::table parse_toml(std::string_view text, const std::string& name);
/// InputError when it cannot be read.
std::string read_text(const std::string& file);

class TomlTable {
 public:
  /// `file` is shown in messages; `path` is where the table stands ("layers[1].filter"), empty for the whole.
  TomlTable(const toml::table& table, std::string file, std::string path = {})
      : table_(&table), file_(std::move(file)), path_(std::move(path)) {}

  /// InputError for any other key, naming the nearest of these.
  void allow(std::initializer_list<std::string_view> keys) const { allow(std::span(keys.begin(), keys.size())); }
  void allow(std::span<const std::string_view> keys) const;
  /// Every key, as they stand in the file.
  std::vector<std::string> keys() const;
  bool has(std::string_view key) const { return table_->contains(key); }
  const toml::table& table() const { return *table_; }

  // The value, or nothing where the key is absent. InputError where it is of another type or out of range.
  std::optional<std::size_t> whole(std::string_view key, std::size_t least, std::size_t most) const;
  std::optional<double> real(std::string_view key) const;
  std::optional<bool> flag(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
  std::optional<std::vector<std::string>> texts(std::string_view key) const;  ///< a list of them
  std::optional<std::vector<double>> reals(std::string_view key) const;
  std::optional<TomlTable> inner(std::string_view key) const;

  /// InputError at the key, or at the table where it does not have the key.
  [[noreturn]] void fail(std::string_view key, std::string_view what) const;

 private:
  void expect(bool right, std::string_view key, std::string_view needed) const;

  const toml::table* table_;
  std::string file_, path_;
};

}  // namespace rtcg
