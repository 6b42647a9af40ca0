#include "radar/io/image_file.h"

#include <fmt/format.h>

#include <cmath>

#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"
#include "rtcg/io/hdf5.h"

namespace rtcg::radar {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw InputError(fmt::format("{}: {}", file.string(), what));
}

void write_axis(hdf5::File& file, const std::string& path, std::size_t n, double spacing,
                const std::function<double(std::size_t)>& at) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = at(i);
  file.write<double>(path, {n}, values);
  file.set_attribute(path, "units", "m");
  file.set_attribute(path, "spacing", spacing);
}

struct Axis {
  std::size_t n = 1;
  double centre = 0, spacing = 1;
};

Axis read_axis(const std::filesystem::path& path, const hdf5::File& file, const std::string& name, std::size_t n) {
  if (const hdf5::Shape shape = file.shape(name); shape != hdf5::Shape{n})
    fail(path, fmt::format("{} does not have the {} values that /image needs", name, n));
  const std::vector<double> values = file.read<double>(name);
  for (double value : values)
    if (!std::isfinite(value)) fail(path, fmt::format("{} holds {}; it must be finite (metres)", name, value));
  Axis axis{n, 0.5 * (values.front() + values.back()), 1};
  if (n > 1) {
    axis.spacing = (values.back() - values.front()) / static_cast<double>(n - 1);
    for (std::size_t i = 0; i < n; ++i)
      if (!(axis.spacing > 0) ||
          std::abs(values[i] - values[0] - static_cast<double>(i) * axis.spacing) > 1e-3 * axis.spacing)
        fail(path, fmt::format("{} is not evenly ascending at element {}", name, i));
    return axis;
  }
  const hdf5::Attributes attributes = file.attributes(name);
  if (const auto found = attributes.find("spacing"); found != attributes.end())
    if (const double* spacing = std::get_if<double>(&found->second)) axis.spacing = *spacing;
  return axis;
}

}  // namespace

void write_image(const std::filesystem::path& path, const Image& image, const Parameters& parameters,
                 ImageElement element) {
  const ImageGrid& grid = image.grid;
  grid.check();
  if (image.pixels.size() != grid.pixels())
    throw UsageError(fmt::format("{}: {} pixels for a grid of {}", path.string(), image.pixels.size(), grid.pixels()));
  AsideFile aside(path);
  hdf5::File file = hdf5::File::create(aside.path(), path);
  file.set_attribute("/", "format", "rtcg image");
  file.set_attribute("/", "version", 1.0);
  hdf5::Shape shape{grid.ny, grid.nx};
  if (grid.nz > 1) shape.insert(shape.begin(), grid.nz);
  if (element == ImageElement::full)
    file.write<std::complex<double>>("/image", shape, image.pixels);
  else
    file.write<std::complex<float>>("/image", shape,
                                    std::vector<std::complex<float>>(image.pixels.begin(), image.pixels.end()));
  file.set_attribute("/image", "units", "1");
  file.set_attribute("/image", "axes", grid.nz > 1 ? "z,y,x" : "y,x");
  for (const auto& [name, value] : parameters) file.set_attribute("/image", name, value);
  write_axis(file, "/x", grid.nx, grid.dx, [&](std::size_t i) { return grid.x(i); });
  write_axis(file, "/y", grid.ny, grid.dy, [&](std::size_t j) { return grid.y(j); });
  write_axis(file, "/z", grid.nz, grid.dz, [&](std::size_t k) { return grid.z(k); });
  if (!grid.heights.empty()) {
    file.write<float>("/heights", {grid.ny, grid.nx}, grid.heights);
    file.set_attribute("/heights", "units", "m");
  }
  file.close();
  aside.commit();
}

StoredImage read_image(const std::filesystem::path& path) {
  const hdf5::File file = hdf5::File::open(path);
  const hdf5::Shape shape = file.shape("/image");
  if (shape.size() != 2 && shape.size() != 3)
    fail(path, fmt::format("/image has {} dimensions; [z,]y,x are needed", shape.size()));
  const std::size_t nx = shape.back(), ny = shape[shape.size() - 2], nz = shape.size() == 3 ? shape[0] : 1;
  if (nx == 0 || ny == 0 || nz == 0) fail(path, "/image has no pixels");
  StoredImage stored;
  const Axis x = read_axis(path, file, "/x", nx), y = read_axis(path, file, "/y", ny),
             z = read_axis(path, file, "/z", nz);
  ImageGrid& grid = stored.image.grid;
  grid = {nx, ny, nz, x.spacing, y.spacing, z.spacing, {x.centre, y.centre, z.centre}, {}};
  if (file.has("/heights")) {
    if (file.shape("/heights") != hdf5::Shape{ny, nx})
      fail(path, fmt::format("/heights is not [{}][{}] as /image is", ny, nx));
    grid.heights = file.read<float>("/heights");
  }
  try {
    grid.check();
  } catch (const UsageError& error) {
    fail(path, error.what());
  }
  stored.image.pixels = file.read<std::complex<double>>("/image");
  for (std::size_t i = 0; i < stored.image.pixels.size(); ++i)
    if (const std::complex<double> value = stored.image.pixels[i];
        !std::isfinite(value.real()) || !std::isfinite(value.imag()))
      fail(path, fmt::format("/image holds a value that is not finite at x {}, y {}, z {}", i % nx, i / nx % ny,
                             i / nx / ny));
  for (auto& [name, value] : file.attributes("/image"))
    if (name != "units" && name != "axes") stored.parameters.emplace(name, value);
  return stored;
}

}  // namespace rtcg::radar
