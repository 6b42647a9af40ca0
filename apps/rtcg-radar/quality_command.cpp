#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "apps/common/json_output.h"
#include "apps/common/logging.h"
#include "apps/common/options.h"
#include "apps/rtcg-radar/commands.h"
#include "apps/rtcg-radar/outputs.h"
#include "apps/rtcg-radar/values.h"
#include "radar/io/image_file.h"
#include "radar/quality.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

struct QualityArguments {
  CommonOptions common;
  std::string input, reference;
  std::vector<std::string> at;
  std::optional<double> azimuth;
  double search = 1;
};

double range_azimuth(const QualityArguments& arguments, const radar::Parameters& parameters) {
  if (arguments.azimuth) return *arguments.azimuth;
  if (const auto found = parameters.find("range_azimuth_deg"); found != parameters.end())
    if (const double* degrees = std::get_if<double>(&found->second)) return *degrees;
  throw UsageError(
      fmt::format("{}: does not say from where the radar looked; give --azimuth DEG, the direction to the antenna from "
                  "+x towards +y",
                  arguments.input));
}

nlohmann::ordered_json to_json(const radar::ImpulseResponse& response) {
  return {{"irw_m", response.irw},
          {"pslr_db", response.pslr_db},
          {"islr_db", response.islr_db},
          {"position_m", response.position},
          {"lobes", response.lobes}};
}

void print(const char* name, const radar::ImpulseResponse& response) {
  fmt::print("  {:<12} width {:.4f} m, PSLR {:.2f} dB, ISLR {:.2f} dB ({} lobes a side)\n", name, response.irw,
             response.pslr_db, response.islr_db, response.lobes);
}

nlohmann::ordered_json measure_point(const radar::Image& image, const std::string& place, double azimuth_deg,
                                     double search, bool prints_text) {
  const auto xy = parse_numbers("--at", place, 2, 2);
  const double azimuth = azimuth_deg * std::numbers::pi / 180;
  const radar::PointQuality point =
      radar::point_quality(image, xy[0], xy[1], {std::cos(azimuth), std::sin(azimuth), 0}, search);
  if (prints_text) {
    fmt::print("point at ({:.3f}, {:.3f}, {:.3f}) m: magnitude {:.6g}\n", point.peak.x(), point.peak.y(),
               point.peak.z(), std::abs(point.value));
    print("range", point.range);
    print("cross range", point.cross_range);
  }
  return {{"asked_m", {xy[0], xy[1]}},          {"peak_m", app::to_json(point.peak)},
          {"magnitude", std::abs(point.value)}, {"phase_rad", std::arg(point.value)},
          {"range", to_json(point.range)},      {"cross_range", to_json(point.cross_range)}};
}

bool same_place(const radar::ImageGrid& a, const radar::ImageGrid& b) {
  const double tolerance = 1e-6 * std::min(a.dx, a.dy);
  return std::abs(a.x(0) - b.x(0)) < tolerance && std::abs(a.y(0) - b.y(0)) < tolerance &&
         std::abs(a.x(a.nx - 1) - b.x(b.nx - 1)) < tolerance && std::abs(a.y(a.ny - 1) - b.y(b.ny - 1)) < tolerance &&
         std::abs(a.z(0) - b.z(0)) < tolerance;
}

void run(const QualityArguments& arguments) {
  for (const std::string& place : arguments.at) parse_numbers("--at", place, 2, 2);
  if (arguments.azimuth && !std::isfinite(*arguments.azimuth))
    throw UsageError("--azimuth: expected a finite number of degrees");
  if (!(arguments.search > 0) || !std::isfinite(arguments.search))
    throw UsageError(fmt::format("--search {}: expected metres above 0", arguments.search));
  check_radar_outputs({{"--json", arguments.common.json_to_stdout() ? "" : arguments.common.json}},
                      {arguments.input, arguments.reference});

  const radar::StoredImage stored = radar::read_image(arguments.input);
  const radar::Image& image = stored.image;
  const bool text = arguments.common.prints_text();
  nlohmann::ordered_json result{{"command", "quality"}, {"image", arguments.input}, {"grid", app::to_json(image.grid)}};
  const double entropy = radar::image_entropy(image), contrast = radar::image_contrast(image);
  const Peak peak = peak_of(image);
  result["peak"] = {{"magnitude", peak.magnitude}, {"at_m", app::to_json(peak.position)}};
  result["entropy"] = entropy, result["contrast"] = contrast;
  if (text)
    fmt::print("image {} x {} x {}: entropy {:.4f}, contrast {:.4f}, peak {:.6g} at ({:.2f}, {:.2f}, {:.2f}) m\n",
               image.grid.nx, image.grid.ny, image.grid.nz, entropy, contrast, peak.magnitude, peak.position.x(),
               peak.position.y(), peak.position.z());

  if (!arguments.at.empty()) {
    const double azimuth = range_azimuth(arguments, stored.parameters);
    result["range_azimuth_deg"] = azimuth;
    result["points"] = nlohmann::ordered_json::array();
    for (const std::string& place : arguments.at)
      result["points"].push_back(measure_point(image, place, azimuth, arguments.search, text));
  }
  if (!arguments.reference.empty()) {
    const radar::Image reference = radar::read_image(arguments.reference).image;
    const double ser = radar::signal_to_error_db(image, reference);
    const radar::Coherence coherence = radar::coherence(image, reference);
    if (!same_place(image.grid, reference.grid))
      log_warning("{} covers another place than {}: pixels are compared by number", arguments.reference,
                  arguments.input);
    result["reference"] = {{"image", arguments.reference},
                           {"ser_db", ser},
                           {"identical", std::isinf(ser)},
                           {"coherence_minimum", coherence.minimum},
                           {"coherence_percentile_1", coherence.percentile_1}};
    if (text) {
      const std::string error = std::isinf(ser) ? "identical" : fmt::format("signal to error {:.2f} dB", ser);
      fmt::print("against {}: {}, coherence of 3 x 3 pixels at least {:.6f}, 99 % above {:.6f}\n", arguments.reference,
                 error, coherence.minimum, coherence.percentile_1);
    }
  }
  write_json(arguments.common.json, result);
}

}  // namespace

void add_quality_command(CLI::App& app) {
  const auto arguments = std::make_shared<QualityArguments>();
  CLI::App& command =
      *app.add_subcommand("quality", "Measure an image: points, entropy, contrast, errors against another image");
  command.add_option("image", arguments->input, "The image, HDF5")->required()->type_name("FILE");
  command.add_option("--at", arguments->at, "Measure the point near X,Y (metres); may be given several times")
      ->type_name("X,Y")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--search", arguments->search, "How far from X,Y the point may be in metres")
      ->type_name("M")
      ->capture_default_str();
  command
      .add_option("--azimuth", arguments->azimuth,
                  "Direction to the antenna in degrees from +x towards +y; default: as the image says")
      ->type_name("DEG");
  command
      .add_option("--reference", arguments->reference,
                  "Another image of the same grid for the signal-to-error ratio and the coherence")
      ->type_name("FILE");
  add_output_options(command, arguments->common);
  command.callback([arguments] { run(*arguments); });
}

}  // namespace rtcg::app
