#include "apps/rtcg-radar/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "apps/common/vti.h"
#include "radar/io/cphd_reader.h"

namespace rtcg::app {

namespace {

constexpr double floor_db = -200;

double decibels(double power, double peak) {
  return power > 0 ? std::max(10 * std::log10(power / (peak * peak)), floor_db) : floor_db;
}

}  // namespace

void check_radar_outputs(const std::vector<Output>& outputs, std::vector<std::filesystem::path> inputs) {
  for (std::size_t k = inputs.size(); k-- > 0;) inputs.push_back(radar::CphdPath::parse(inputs[k]).file);
  check_outputs(outputs, inputs);
}

Peak peak_of(const radar::Image& image) {
  Peak peak;
  std::size_t at = 0;
  double most = -1;
  for (std::size_t n = 0; n < image.pixels.size(); ++n)
    if (const double power = std::norm(image.pixels[n]); power > most) most = power, at = n;
  const std::size_t nx = image.grid.nx, ny = image.grid.ny;
  peak.magnitude = std::sqrt(std::max(most, 0.0));
  peak.position = image.grid.position(at % nx, at / nx % ny, at / (nx * ny));
  return peak;
}

void write_picture(const std::filesystem::path& file, const radar::Image& image, const PictureStyle& style,
                   const std::string& title) {
  const radar::ImageGrid& grid = image.grid;
  const double peak = peak_of(image).magnitude;
  const std::size_t plane = grid.nx * grid.ny;
  std::vector<float> values(plane);
  for (std::size_t n = 0; n < plane; ++n) {
    double strongest = 0;
    for (std::size_t k = 0; k < grid.nz; ++k) strongest = std::max(strongest, std::norm(image.pixels[k * plane + n]));
    values[n] = static_cast<float>(decibels(strongest, peak));
  }
  write_picture(file, Picture{.decibels = values,
                              .nx = grid.nx,
                              .ny = grid.ny,
                              .x_first = grid.x(0),
                              .y_first = grid.y(0),
                              .dx = grid.dx,
                              .dy = grid.dy,
                              .range_db = style.range_db,
                              .colours = style.colours,
                              .title = title});
}

void write_vti(const std::filesystem::path& file, const radar::Image& image) {
  const radar::ImageGrid& grid = image.grid;
  const double peak = peak_of(image).magnitude;
  VtiImage fields{.points = {grid.nx, grid.ny, grid.nz},
                  .origin = {grid.x(0), grid.y(0), grid.z(0)},
                  .spacing = {grid.dx, grid.dy, grid.dz},
                  .fields = {}};
  const auto add = [&](const char* name, const auto& value) {
    std::vector<float> values(image.pixels.size());
    std::transform(image.pixels.begin(), image.pixels.end(), values.begin(),
                   [&](const std::complex<double>& pixel) { return static_cast<float>(value(pixel)); });
    fields.fields.push_back({name, std::move(values)});
  };
  add("magnitude_dB", [&](const auto& pixel) { return decibels(std::norm(pixel), peak); });
  add("magnitude", [](const auto& pixel) { return std::abs(pixel); });
  add("real", [](const auto& pixel) { return pixel.real(); });
  add("imaginary", [](const auto& pixel) { return pixel.imag(); });
  if (!grid.heights.empty()) fields.fields.push_back({"height", grid.heights});
  write_vti(file, fields);
}

nlohmann::ordered_json to_json(const radar::Vec3& vector) {
  return {vector.x(), vector.y(), vector.z()};
}

nlohmann::ordered_json to_json(const radar::Geometry& geometry) {
  constexpr double degrees = 180 / std::numbers::pi;
  return {{"slant_range_m", geometry.slant_range},
          {"elevation_deg", degrees * geometry.elevation},
          {"azimuth_deg", degrees * geometry.azimuth},
          {"aperture_deg", degrees * geometry.aperture},
          {"range_resolution_m", geometry.range_resolution},
          {"cross_range_resolution_m", geometry.cross_range_resolution},
          {"slant_swath_m", geometry.slant_swath},
          {"ground_swath_m", geometry.ground_swath},
          {"cross_range_swath_m", geometry.cross_range_swath}};
}

nlohmann::ordered_json to_json(const radar::ImageGrid& grid) {
  return {{"size", {grid.nx, grid.ny, grid.nz}},
          {"spacing_m", {grid.dx, grid.dy, grid.dz}},
          {"centre_m", to_json(grid.centre)},
          {"terrain", !grid.heights.empty()}};
}

}  // namespace rtcg::app
