#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>

#include "apps/common/json_output.h"
#include "apps/common/options.h"
#include "apps/rtcg-radar/commands.h"
#include "apps/rtcg-radar/outputs.h"
#include "radar/geometry.h"
#include "radar/pulses.h"

namespace rtcg::app {

namespace {

struct InfoArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
};

std::string metres(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g} m", value) : "not defined";
}

void run(const InfoArguments& arguments) {
  const std::vector<std::filesystem::path> inputs(arguments.inputs.begin(), arguments.inputs.end());
  check_radar_outputs({{"--json", arguments.common.json_to_stdout() ? "" : arguments.common.json}}, inputs);
  const auto source = radar::open_pulses(inputs);
  const radar::Collection& collection = source->collection();
  collection.check();
  const radar::Geometry geometry = radar::geometry_of(collection);
  const radar::ImageGrid grid = radar::suggested_grid(geometry);
  const double lowest = collection.first_frequency.front(),
               highest = lowest + static_cast<double>(collection.samples - 1) * collection.frequency_step.front();
  constexpr double degrees = 180 / std::numbers::pi;
  std::string corrections;
  if (!collection.range_correction.empty()) corrections += "range ";
  if (!collection.phase_correction.empty()) corrections += "phase ";
  if (corrections.empty()) corrections = "none ";
  corrections.pop_back();

  if (arguments.common.prints_text()) {
    fmt::print("source       {}\n", collection.description);
    for (const std::string& remark : collection.remarks) fmt::print("remark       {}\n", remark);
    fmt::print("pulses       {} of {} samples\n", collection.pulses(), collection.samples);
    fmt::print("band         {:.4f} to {:.4f} GHz in steps of {:.6f} MHz\n", lowest * 1e-9, highest * 1e-9,
               collection.frequency_step.front() * 1e-6);
    fmt::print("corrections  {}\n", corrections);
    fmt::print("geometry     slant range {:.1f} m, elevation {:.2f} deg, azimuth {:.2f} deg, aperture {:.3f} deg\n",
               geometry.slant_range, degrees * geometry.elevation, degrees * geometry.azimuth,
               degrees * geometry.aperture);
    fmt::print("resolution   range {}, cross range {} (on the ground, no weighting)\n",
               metres(geometry.range_resolution), metres(geometry.cross_range_resolution));
    fmt::print("swath        range {} ({} in slant range), cross range {}\n", metres(geometry.ground_swath),
               metres(geometry.slant_swath), metres(geometry.cross_range_swath));
    fmt::print("suggested    --size {}x{} --spacing {:g}\n", grid.nx, grid.ny, grid.dx);
  }
  write_json(arguments.common.json, {{"command", "info"},
                                     {"source", collection.description},
                                     {"remarks", collection.remarks},
                                     {"pulses", collection.pulses()},
                                     {"samples", collection.samples},
                                     {"first_frequency_hz", lowest},
                                     {"last_frequency_hz", highest},
                                     {"frequency_step_hz", collection.frequency_step.front()},
                                     {"bandwidth_hz", collection.bandwidth()},
                                     {"corrections", corrections},
                                     {"geometry", to_json(geometry)},
                                     {"suggested", {{"size", {grid.nx, grid.ny}}, {"spacing_m", grid.dx}}}});
}

}  // namespace

void add_info_command(CLI::App& app) {
  const auto arguments = std::make_shared<InfoArguments>();
  CLI::App& command = *app.add_subcommand("info", "Say what pulse files hold and what images to expect of them");
  command.add_option("inputs", arguments->inputs, "Pulse files of one collection")->required()->type_name("FILE");
  add_output_options(command, arguments->common);
  command.callback([arguments] { run(*arguments); });
}

}  // namespace rtcg::app
