#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>

#include "apps/common/json_output.h"
#include "apps/common/logging.h"
#include "apps/common/options.h"
#include "apps/rtcg-radar/commands.h"
#include "apps/rtcg-radar/outputs.h"
#include "apps/rtcg-radar/values.h"
#include "radar/geometry.h"
#include "radar/io/pulse_file.h"
#include "radar/simulate.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

struct SimulateArguments {
  CommonOptions common;
  std::string output, targets, trajectory = "circular", azimuth = "-2:2";
  std::size_t pulses = 469, samples = 424;
  double frequency = 9.6e9, bandwidth = 620e6, ground_range = 7100, height = 7270, length = 500;
  std::optional<double> snr;
  std::uint64_t seed = 1;
};

std::vector<radar::Vec3> trajectory_of(const SimulateArguments& arguments) {
  if (arguments.trajectory == "straight")
    return radar::straight_trajectory(arguments.pulses, arguments.ground_range, arguments.height, arguments.length);
  if (arguments.trajectory != "circular") return radar::read_trajectory(arguments.trajectory);
  std::string ends = arguments.azimuth;
  if (const auto colon = ends.find(':'); colon != ends.npos) ends[colon] = ',';
  const auto degrees = parse_numbers("--azimuth", ends, 2, 2);
  constexpr double degree = std::numbers::pi / 180;
  return radar::circular_trajectory(arguments.pulses, arguments.ground_range, arguments.height, degrees[0] * degree,
                                    degrees[1] * degree);
}

void run(const SimulateArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::filesystem::path> inputs;
  if (!arguments.targets.empty()) inputs.emplace_back(arguments.targets);
  if (arguments.trajectory != "straight" && arguments.trajectory != "circular")
    inputs.emplace_back(arguments.trajectory);
  const auto trajectory = trajectory_of(arguments);
  check_radar_outputs(
      {{"-o", arguments.output}, {"--json", arguments.common.json_to_stdout() ? "" : arguments.common.json}}, inputs);
  const auto targets = arguments.targets.empty() ? radar::built_in_scene() : radar::read_targets(arguments.targets);

  const Device device = select_device(arguments.common);
  log_info("{} targets, {} pulses of {} samples on {} ({})", targets.size(), trajectory.size(), arguments.samples,
           device.id(), device.properties().name);
  radar::StoredPulses pulses = radar::simulate(Stream(device), trajectory, targets,
                                               {.samples = arguments.samples,
                                                .centre_frequency = arguments.frequency,
                                                .bandwidth = arguments.bandwidth,
                                                .snr_db = arguments.snr,
                                                .seed = arguments.seed});
  radar::write_pulses(arguments.output, pulses);

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const radar::Geometry geometry = radar::geometry_of(pulses.collection());
  if (arguments.common.prints_text()) {
    fmt::print("written   {}: {} targets, {} pulses of {} samples\n", arguments.output, targets.size(),
               trajectory.size(), arguments.samples);
    fmt::print("expect    range {:.3g} m, cross range {:.3g} m between points; unambiguous over {:.3g} m by {:.3g} m\n",
               geometry.range_resolution, geometry.cross_range_resolution, geometry.ground_swath,
               geometry.cross_range_swath);
  }
  write_json(arguments.common.json, {{"command", "simulate"},
                                     {"device", {{"id", device.id()}, {"name", device.properties().name}}},
                                     {"targets", targets.size()},
                                     {"pulses", trajectory.size()},
                                     {"samples", arguments.samples},
                                     {"seed", arguments.seed},
                                     {"geometry", to_json(geometry)},
                                     {"seconds", seconds},
                                     {"files", {{"pulses", arguments.output}}}});
}

}  // namespace

void add_simulate_command(CLI::App& app) {
  const auto arguments = std::make_shared<SimulateArguments>();
  CLI::App& command = *app.add_subcommand("simulate", "Make the pulses that point targets would return");
  command.add_option("-o,--output", arguments->output, "The pulses, HDF5")->required()->type_name("FILE");
  command.add_option("--targets", arguments->targets, "CSV with the header x,y,z,re,im; default: a built-in scene")
      ->type_name("FILE");
  command.add_option("--trajectory", arguments->trajectory, "straight, circular, or a CSV with the header x,y,z")
      ->type_name("KIND")
      ->capture_default_str();
  command.add_option("--pulses", arguments->pulses, "Number of pulses of a straight or circular flight")
      ->type_name("N")
      ->check(whole_number(1))
      ->capture_default_str();
  command.add_option("--samples", arguments->samples, "Frequencies a pulse")
      ->type_name("K")
      ->check(whole_number(1))
      ->capture_default_str();
  command.add_option("--frequency", arguments->frequency, "Centre of the band in Hz")
      ->type_name("HZ")
      ->capture_default_str();
  command.add_option("--bandwidth", arguments->bandwidth, "From the first to the last frequency in Hz")
      ->type_name("HZ")
      ->capture_default_str();
  command.add_option("--ground-range", arguments->ground_range, "From the scene centre to below the antenna in metres")
      ->type_name("M")
      ->capture_default_str();
  command.add_option("--height", arguments->height, "Of the antenna in metres")->type_name("M")->capture_default_str();
  command.add_option("--length", arguments->length, "Of a straight flight in metres")
      ->type_name("M")
      ->capture_default_str();
  command.add_option("--azimuth", arguments->azimuth, "First and last azimuth of a circular flight in degrees")
      ->type_name("A:B")
      ->capture_default_str();
  command
      .add_option("--snr", arguments->snr,
                  "Of one sample of the strongest target over white noise in dB; default: no noise")
      ->type_name("DB");
  command.add_option("--seed", arguments->seed, "Of the noise")
      ->type_name("N")
      ->check(whole_number(0))
      ->capture_default_str();
  add_device_option(command, arguments->common);
  add_output_options(command, arguments->common);
  command.callback([arguments] { run(*arguments); });
}

}  // namespace rtcg::app
