#include "radar/terrain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rtcg/error.h"

namespace rtcg::radar {

namespace {

/// Blank-separated words of a text.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  std::string_view next() {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    while (!rest_.empty() && blank(rest_.front())) rest_.remove_prefix(1);
    std::size_t length = 0;
    while (length < rest_.size() && !blank(rest_[length])) ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

 private:
  std::string_view rest_;
};

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace

double Terrain::height(double x, double y) const {
  const double u = (x - x_first) / cell, v = (y - y_first) / cell;
  const auto last_u = static_cast<double>(nx - 1), last_v = static_cast<double>(ny - 1);
  constexpr double slack = 1e-9;
  if (!(u >= -slack && v >= -slack && u <= last_u + slack && v <= last_v + slack))
    return std::numeric_limits<double>::quiet_NaN();
  const auto i = static_cast<std::size_t>(std::clamp(std::floor(u), 0.0, std::max(last_u - 1, 0.0)));
  const auto j = static_cast<std::size_t>(std::clamp(std::floor(v), 0.0, std::max(last_v - 1, 0.0)));
  const double a = std::clamp(u - static_cast<double>(i), 0.0, 1.0),
               b = std::clamp(v - static_cast<double>(j), 0.0, 1.0);
  double sum = 0;
  // A neighbour of weight zero does not count, not even when it is missing.
  const auto add = [&](double weight, std::size_t column, std::size_t row) {
    if (weight > 0) sum += weight * static_cast<double>(heights[row * nx + column]);
  };
  add((1 - a) * (1 - b), i, j), add(a * (1 - b), i + 1, j), add((1 - a) * b, i, j + 1), add(a * b, i + 1, j + 1);
  return sum;
}

Terrain read_terrain(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) throw InputError(fmt::format("{}: cannot be opened", file.string()));
  const std::string text{std::istreambuf_iterator<char>(input), {}};
  const auto refuse = [&](const std::string& what) { return InputError(fmt::format("{}: {}", file.string(), what)); };

  Words words(text);
  std::map<std::string, double, std::less<>> header;
  std::string_view word = words.next();
  for (; !word.empty() && std::isalpha(static_cast<unsigned char>(word.front())); word = words.next()) {
    std::string key(word);
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (key == "nan") break;
    const std::string_view value = words.next();
    const auto parsed = number(value);
    if (!parsed) throw refuse(fmt::format("{} is '{}', expected a number", key, value));
    header[key] = *parsed;
  }
  const auto need = [&](const char* key) {
    const auto found = header.find(key);
    if (found == header.end())
      throw refuse(fmt::format(
          "the header lacks {}; expected an ESRI ASCII grid with ncols, nrows, xllcorner, yllcorner, cellsize", key));
    return found->second;
  };
  const auto count = [&](const char* key) {
    const double value = need(key);
    // Each value takes at least two characters, so a larger count cannot be true.
    if (!(value >= 1) || value != std::floor(value) || value > static_cast<double>(text.size()))
      throw refuse(fmt::format("{} is {:g}, which the file cannot hold", key, value));
    return static_cast<std::size_t>(value);
  };
  Terrain terrain;
  terrain.nx = count("ncols"), terrain.ny = count("nrows"), terrain.cell = need("cellsize");
  if (!(terrain.cell > 0)) throw refuse(fmt::format("cellsize is {:g}, expected more than 0", terrain.cell));
  terrain.x_first = header.count("xllcenter") ? header["xllcenter"] : need("xllcorner") + 0.5 * terrain.cell;
  terrain.y_first = header.count("yllcenter") ? header["yllcenter"] : need("yllcorner") + 0.5 * terrain.cell;
  const double missing = header.count("nodata_value") ? header["nodata_value"] : -9999;
  if (terrain.nx > text.size() / terrain.ny)
    throw refuse(fmt::format("{} x {} heights do not fit the file's size", terrain.nx, terrain.ny));

  terrain.heights.resize(terrain.nx * terrain.ny);
  for (std::size_t n = 0; n < terrain.heights.size(); ++n, word = words.next()) {
    const auto value = number(word);
    if (word.empty()) throw refuse(fmt::format("ends after {} of {} heights", n, terrain.heights.size()));
    if (!value) throw refuse(fmt::format("height {} is '{}', expected a number", n + 1, word));
    const std::size_t row = terrain.ny - 1 - n / terrain.nx;  // the file starts in the north
    terrain.heights[row * terrain.nx + n % terrain.nx] =
        *value == missing ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(*value);
  }
  if (!word.empty()) throw refuse(fmt::format("more than {} heights", terrain.heights.size()));
  return terrain;
}

std::vector<float> heights_on(const Terrain& terrain, const ImageGrid& grid) {
  std::vector<float> heights(grid.nx * grid.ny);
  for (std::size_t j = 0; j < grid.ny; ++j)
    for (std::size_t i = 0; i < grid.nx; ++i) {
      const double height = terrain.height(grid.x(i), grid.y(j));
      if (!std::isfinite(height))
        throw InputError(fmt::format(
            "the terrain has no height at ({:g}, {:g}); it covers x {:g} .. {:g} m, y {:g} .. {:g} m", grid.x(i),
            grid.y(j), terrain.x_first, terrain.x_first + static_cast<double>(terrain.nx - 1) * terrain.cell,
            terrain.y_first, terrain.y_first + static_cast<double>(terrain.ny - 1) * terrain.cell));
      heights[j * grid.nx + i] = static_cast<float>(height - grid.centre.z());
    }
  return heights;
}

}  // namespace rtcg::radar
