#include "radar/io/dem.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "radar/io/npy.h"
#include "radar/terrain.h"
#include "rtcg/error.h"
#include "rtcg/io/hdf5.h"

namespace rtcg::radar {
namespace {

[[noreturn]] void fail(const std::string& source, const std::string& what) {
  throw InputError(fmt::format("{}: {}", source, what));
}

struct HeightArray {
  std::size_t nx = 0, ny = 0;
  std::vector<double> heights;  // [ny][nx]
  std::vector<double> x, y;     // empty: the image's own pixels
};

HeightArray read_hdf5(const std::string& source, const std::string& path, const std::string& dataset) {
  const hdf5::File file = hdf5::File::open(path);
  const hdf5::Shape shape = file.shape(dataset);
  if (shape.size() != 2) fail(source, fmt::format("heights have {} dimensions; [y][x] is needed", shape.size()));
  HeightArray terrain{shape[1], shape[0], file.read<double>(dataset), {}, {}};
  const std::string group = dataset.substr(0, dataset.rfind('/') + 1), x = group + "x", y = group + "y";
  if (!file.has(x) || !file.has(y)) return terrain;
  if (file.shape(x) != hdf5::Shape{terrain.nx} || file.shape(y) != hdf5::Shape{terrain.ny})
    fail(source, fmt::format("the axes {} and {} do not have {} and {} values as the heights need", x, y, terrain.nx,
                             terrain.ny));
  terrain.x = file.read<double>(x);
  terrain.y = file.read<double>(y);
  return terrain;
}

/// Evenly ascending axis as first value and spacing.
struct Axis {
  double first = 0, spacing = 1;
  std::size_t n = 0;

  Axis(const std::string& source, const char* name, const std::vector<double>& values)
      : first(values.front()), n(values.size()) {
    if (n < 2) fail(source, fmt::format("the {} axis has one value; at least two are needed to interpolate", name));
    spacing = (values.back() - first) / static_cast<double>(n - 1);
    for (std::size_t i = 0; i < n; ++i)
      if (!(spacing > 0) || !(std::abs(values[i] - first - static_cast<double>(i) * spacing) <= 1e-3 * spacing))
        fail(source, fmt::format("the {} axis is not evenly ascending at element {}", name, i));
  }
  /// Index and fraction; rounding at the last value is forgiven.
  std::pair<std::size_t, double> place(const std::string& source, const char* name, double at) const {
    const double position = (at - first) / spacing, last = static_cast<double>(n - 1);
    if (!(position >= -1e-6 && position <= last + 1e-6))
      fail(source, fmt::format("a pixel at {} = {} m lies outside the terrain, {} to {} m", name, at, first,
                               first + last * spacing));
    const double clamped = std::min(std::max(position, 0.0), last);
    const std::size_t index = std::min(static_cast<std::size_t>(clamped), n - 2);
    return {index, clamped - static_cast<double>(index)};
  }
};

/// By name or by content: a damaged .npy is told as such, not as a bad text.
bool is_npy(const std::string& path) {
  if (path.ends_with(".npy")) return true;
  char magic[6] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic) == "\x93NUMPY";
}

std::vector<float> interpolate(const std::string& source, const HeightArray& terrain, const ImageGrid& grid) {
  const Axis x(source, "x", terrain.x), y(source, "y", terrain.y);
  std::vector<float> heights(grid.nx * grid.ny);
  for (std::size_t j = 0; j < grid.ny; ++j) {
    const auto [row, v] = y.place(source, "y", grid.y(j));
    for (std::size_t i = 0; i < grid.nx; ++i) {
      const auto [column, u] = x.place(source, "x", grid.x(i));
      const double* low = &terrain.heights[row * terrain.nx + column];
      const double* high = low + terrain.nx;
      heights[j * grid.nx + i] = static_cast<float>((1 - v) * ((1 - u) * low[0] + u * low[1]) +
                                                    v * ((1 - u) * high[0] + u * high[1]) - grid.centre.z());
    }
  }
  return heights;
}

}  // namespace

std::vector<float> read_heights(const std::string& source, const ImageGrid& grid) {
  if (grid.nz != 1)
    throw UsageError(fmt::format("{}: terrain is for a plane, but the image has {} layers", source, grid.nz));
  const std::size_t colon = source.find(":/", 1);
  const std::string path = source.substr(0, colon);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    fail(path, "no such file; FILE.h5:/DATASET, FILE.npy or an ESRI ASCII grid is needed");
  HeightArray terrain;
  if (colon != std::string::npos) {
    terrain = read_hdf5(source, path, source.substr(colon + 1));
  } else {
    if (hdf5::is_hdf5(path)) fail(path, "an HDF5 file; name the dataset with the heights as FILE.h5:/DATASET");
    if (!is_npy(path)) return heights_on(read_terrain(path), grid);
    NpyArray array = read_npy(path);
    terrain = {array.columns, array.rows, std::move(array.values), {}, {}};
  }
  for (std::size_t i = 0; i < terrain.heights.size(); ++i)
    if (!std::isfinite(static_cast<float>(terrain.heights[i])))
      fail(source, fmt::format("the height in row {}, column {} is not finite; fill gaps first", i / terrain.nx,
                               i % terrain.nx));
  if (!terrain.x.empty() && !terrain.y.empty()) return interpolate(source, terrain, grid);
  if (terrain.nx != grid.nx || terrain.ny != grid.ny)
    fail(source, fmt::format("{} x {} heights (x by y) for an image of {} x {}; without axes x and y they must agree",
                             terrain.nx, terrain.ny, grid.nx, grid.ny));
  std::vector<float> heights;
  heights.reserve(terrain.heights.size());
  for (const double height : terrain.heights) heights.push_back(static_cast<float>(height - grid.centre.z()));
  return heights;
}

}  // namespace rtcg::radar
