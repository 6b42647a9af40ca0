#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "apps/common/json_output.h"
#include "apps/common/logging.h"
#include "apps/common/options.h"
#include "apps/common/picture.h"
#include "apps/common/progress.h"
#include "apps/common/vti.h"
#include "apps/rtcg-radar/commands.h"
#include "apps/rtcg-radar/outputs.h"
#include "apps/rtcg-radar/pulse_range.h"
#include "apps/rtcg-radar/values.h"
#include "radar/backprojection.h"
#include "radar/geometry.h"
#include "radar/io/dem.h"
#include "radar/io/image_file.h"
#include "radar/quality.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

struct ImageArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string output, png, vti, size, spacing, centre = "0,0,0", window = "none", azimuth_window = "none",
                                               interpolation = "linear", precision = "accurate", pulses, terrain,
                                               colours = "grey";
  std::size_t nfft = 0, block_pulses = 0;
  double png_range = 50;
  bool ramp = false, no_autofocus = false;
};

/// What was asked for, checked.
struct ImageJob {
  std::vector<std::filesystem::path> inputs;
  radar::ImagingOptions imaging;
  std::optional<std::array<std::size_t, 3>> size;
  std::optional<std::array<double, 3>> spacing;
  radar::Vec3 centre;
  PictureStyle style;
  std::string terrain;
};

radar::Precision parse_precision(const std::string& text) {
  if (text == "accurate") return radar::Precision::accurate;
  if (text == "double") return radar::Precision::reference;
  throw UsageError(fmt::format("--precision '{}': expected accurate or double", text));
}

ImageJob check(const ImageArguments& arguments) {
  ImageJob job;
  job.inputs.assign(arguments.inputs.begin(), arguments.inputs.end());
  job.imaging.range_window = radar::Window::parse(arguments.window);
  job.imaging.azimuth_window = radar::Window::parse(arguments.azimuth_window);
  job.imaging.ramp = arguments.ramp, job.imaging.autofocus = !arguments.no_autofocus;
  job.imaging.nfft = arguments.nfft, job.imaging.block_pulses = arguments.block_pulses;
  job.imaging.interpolation = radar::Interpolation::parse(arguments.interpolation);
  job.imaging.precision = parse_precision(arguments.precision);
  if (!arguments.size.empty()) job.size = parse_size("--size", arguments.size);
  if (!arguments.spacing.empty()) job.spacing = parse_spacing("--spacing", arguments.spacing);
  const auto centre = parse_numbers("--center", arguments.centre, 2, 3);
  job.centre = {centre[0], centre[1], centre.size() > 2 ? centre[2] : 0};
  job.style = {arguments.png_range, parse_colour_map(arguments.colours)};
  if (!(arguments.png_range > 0) || !std::isfinite(arguments.png_range))
    throw UsageError(fmt::format("--png-range {}: expected dB above 0", arguments.png_range));
  if (!arguments.png.empty() && !pictures_available())
    throw UsageError("--png: this build has no OpenCV and writes no pictures");
  if (!arguments.vti.empty() && !vti_available()) throw UsageError("--vti: this build has no VTK and writes no .vti");
  if (!arguments.terrain.empty() && job.size && (*job.size)[2] > 1)
    throw UsageError("--dem: a terrain is for a single layer; give --size NXxNY");
  std::vector<std::filesystem::path> read = job.inputs;
  if (!arguments.terrain.empty()) read.emplace_back(arguments.terrain.substr(0, arguments.terrain.find(":/", 1)));
  check_radar_outputs({{"-o", arguments.output},
                       {"--png", arguments.png},
                       {"--vti", arguments.vti},
                       {"--json", arguments.common.json_to_stdout() ? "" : arguments.common.json}},
                      read);
  job.terrain = arguments.terrain;
  return job;
}

radar::ImageGrid choose_grid(const ImageJob& job, const radar::Geometry& geometry) {
  radar::ImageGrid grid = radar::suggested_grid(geometry);
  const double extent = static_cast<double>(grid.nx) * grid.dx;
  if (job.spacing) {
    grid.dx = (*job.spacing)[0], grid.dy = (*job.spacing)[1], grid.dz = (*job.spacing)[2];
    const auto pixels = [&](double spacing) {
      return static_cast<std::size_t>(std::clamp(std::floor(extent / spacing), 1.0, 4001.0));
    };
    grid.nx = pixels(grid.dx), grid.ny = pixels(grid.dy);
  } else {
    grid.dz = grid.dx;
  }
  if (job.size) grid.nx = (*job.size)[0], grid.ny = (*job.size)[1], grid.nz = (*job.size)[2];
  grid.centre = job.centre;
  grid.check();
  if (!job.terrain.empty()) grid.heights = radar::read_heights(job.terrain, grid);
  grid.check();
  return grid;
}

/// What a user ought to know before waiting for an image that cannot be good.
std::vector<std::string> doubts(const radar::Collection& collection, const radar::Geometry& geometry,
                                const radar::ImageGrid& grid) {
  std::vector<std::string> found;
  const double finest = std::min(geometry.range_resolution, geometry.cross_range_resolution),
               coarsest = std::max(grid.nx > 1 ? grid.dx : 0, grid.ny > 1 ? grid.dy : 0);
  if (coarsest > finest)
    found.push_back(
        fmt::format("pixels of {:g} m are coarser than the resolution of {:.3g} m (range {:.3g} m, cross range {:.3g} "
                    "m): points may fall between pixels",
                    coarsest, finest, geometry.range_resolution, geometry.cross_range_resolution));
  const double reach = radar::slant_reach(collection, grid), half = 0.5 * geometry.slant_swath;
  if (reach > half)
    found.push_back(
        fmt::format("the image reaches {:.1f} m in slant range from the scene centre but the pulses hold {:.1f} m: "
                    "what lies beyond stays empty",
                    reach, half));
  const radar::Vec3 across{-geometry.range_direction.y(), geometry.range_direction.x(), 0};
  double width = 0;
  for (const double x : {grid.x(0), grid.x(grid.nx - 1)})
    for (const double y : {grid.y(0), grid.y(grid.ny - 1)})
      width = std::max(width, std::abs(x * across.x() + y * across.y()));
  if (width > 0.5 * geometry.cross_range_swath)
    found.push_back(
        fmt::format("the image reaches {:.1f} m across from the scene centre but pulses this far apart are unambiguous "
                    "to {:.1f} m: bright points repeat",
                    width, 0.5 * geometry.cross_range_swath));
  return found;
}

radar::Parameters parameters_of(const ImageArguments& arguments, const radar::Collection& collection,
                                const radar::Geometry& geometry, const radar::ImagingReport& report) {
  constexpr double degrees = 180 / std::numbers::pi;
  return {{"source", collection.description},
          {"pulses", static_cast<double>(report.pulses)},
          {"samples", static_cast<double>(collection.samples)},
          {"centre_frequency_hz", collection.centre_frequency()},
          {"bandwidth_hz", collection.bandwidth()},
          {"range_azimuth_deg", degrees * geometry.azimuth},
          {"elevation_deg", degrees * geometry.elevation},
          {"aperture_deg", degrees * geometry.aperture},
          {"range_window", arguments.window},
          {"azimuth_window", arguments.azimuth_window},
          {"ramp", arguments.ramp ? "yes" : "no"},
          {"autofocus", arguments.no_autofocus ? "no" : "where the data has it"},
          {"nfft", static_cast<double>(report.nfft)},
          {"interpolation", arguments.interpolation},
          {"precision", arguments.precision},
          {"kernel", report.kernel},
          {"phase_error_bound_rad", report.phase_error_bound}};
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run(const ImageArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  const ImageJob job = check(arguments);
  std::unique_ptr<radar::PulseSource> source = radar::open_pulses(job.inputs);
  source->collection().check();
  if (!arguments.pulses.empty()) {
    const Interval interval = parse_interval("--pulses", arguments.pulses, source->collection().pulses());
    source = std::make_unique<PulseRange>(std::move(source), interval);
  }
  const radar::Collection& collection = source->collection();
  for (const std::string& remark : collection.remarks) log_info("{}", remark);
  const radar::Geometry geometry = radar::geometry_of(collection);
  const radar::ImageGrid grid = choose_grid(job, geometry);
  std::vector<std::string> warnings = doubts(collection, geometry, grid);
  for (const std::string& warning : warnings) log_warning("{}", warning);
  const Device device = select_device(arguments.common);
  const Stream stream(device);
  log_info("{}: {} pulses of {} samples onto {} x {} x {} pixels on {} ({})", collection.description,
           collection.pulses(), collection.samples, grid.nx, grid.ny, grid.nz, device.id(), device.properties().name);
  const double open_seconds = seconds_since(start);

  radar::ImagingReport report;
  const auto forming = std::chrono::steady_clock::now();
  radar::Image image;
  {
    Progress progress("imaging", collection.pulses(), "pulses");
    image = radar::form_image(stream, *source, grid, job.imaging, &report, [&](double done) {
      progress.update(static_cast<std::size_t>(done * static_cast<double>(collection.pulses())));
    });
  }
  const double imaging_seconds = seconds_since(forming);
  const Peak peak = peak_of(image);
  if (peak.magnitude == 0) {
    warnings.emplace_back("the image is zero everywhere");
    log_warning("{}", warnings.back());
  }

  const auto writing = std::chrono::steady_clock::now();
  radar::write_image(
      arguments.output, image, parameters_of(arguments, collection, geometry, report),
      job.imaging.precision == radar::Precision::reference ? radar::ImageElement::full : radar::ImageElement::single);
  if (!arguments.png.empty()) {
    const std::string form = grid.nz > 1 ? ", largest along z" : "";
    write_picture(arguments.png, image, job.style,
                  fmt::format("{} pulses, {:.1f} deg of azimuth{}", collection.pulses(),
                              geometry.aperture * 180 / std::numbers::pi, form));
  }
  if (!arguments.vti.empty()) write_vti(arguments.vti, image);
  const double writing_seconds = seconds_since(writing);
  const double rate =
      report.backprojection_seconds > 0 ? report.backprojections / report.backprojection_seconds * 1e-9 : 0;

  if (arguments.common.prints_text()) {
    fmt::print("image     {} x {} x {} pixels of {:g} x {:g} m, peak {:.6g} at ({:.2f}, {:.2f}, {:.2f}) m\n", grid.nx,
               grid.ny, grid.nz, grid.dx, grid.dy, peak.magnitude, peak.position.x(), peak.position.y(),
               peak.position.z());
    fmt::print("kernel    {}\n", report.kernel);
    fmt::print("accuracy  phase error at most {:.2g} rad: signal to error about {:.0f} dB or better\n",
               report.phase_error_bound, report.ser_estimate_db);
    fmt::print("time      {:.3g} s range compression, {:.3g} s backprojection ({:.3g} Gbp/s), {:.3g} s in all\n",
               report.compression_seconds, report.backprojection_seconds, rate, seconds_since(start));
    fmt::print("written   {}{}{}\n", arguments.output, arguments.png.empty() ? "" : " " + arguments.png,
               arguments.vti.empty() ? "" : " " + arguments.vti);
  }
  const DeviceProperties& properties = device.properties();
  nlohmann::ordered_json files{{"image", arguments.output}};
  if (!arguments.png.empty()) files["png"] = arguments.png;
  if (!arguments.vti.empty()) files["vti"] = arguments.vti;
  write_json(arguments.common.json,
             {{"command", "image"},
              {"device", {{"id", properties.id}, {"name", properties.name}, {"driver", properties.driver}}},
              {"source", collection.description},
              {"remarks", collection.remarks},
              {"pulses", collection.pulses()},
              {"samples", collection.samples},
              {"geometry", to_json(geometry)},
              {"grid", to_json(grid)},
              {"processing",
               {{"window", arguments.window},
                {"azimuth_window", arguments.azimuth_window},
                {"ramp", arguments.ramp},
                {"autofocus", !arguments.no_autofocus &&
                                  (!collection.range_correction.empty() || !collection.phase_correction.empty())},
                {"nfft", report.nfft},
                {"interpolation", arguments.interpolation},
                {"precision", arguments.precision},
                {"block_pulses", report.block_pulses}}},
              {"kernel", report.kernel},
              {"phase_error_bound_rad", report.phase_error_bound},
              {"ser_estimate_db", report.ser_estimate_db},
              {"seconds",
               {{"opening", open_seconds},
                {"imaging", imaging_seconds},
                {"range_compression", report.compression_seconds},
                {"backprojection", report.backprojection_seconds},
                {"writing", writing_seconds},
                {"total", seconds_since(start)}}},
              {"backprojections", report.backprojections},
              {"gbp_per_s", rate},
              {"peak", {{"magnitude", peak.magnitude}, {"at_m", to_json(peak.position)}}},
              {"entropy", peak.magnitude > 0 ? nlohmann::ordered_json(radar::image_entropy(image)) : nullptr},
              {"contrast", peak.magnitude > 0 ? nlohmann::ordered_json(radar::image_contrast(image)) : nullptr},
              {"files", files},
              {"warnings", warnings}});
}

}  // namespace

void add_image_command(CLI::App& app) {
  const auto arguments = std::make_shared<ImageArguments>();
  CLI::App& command =
      *app.add_subcommand("image", "Form an image from pulse files (Gotcha .mat, CPHD, the suite's HDF5)");
  command.add_option("inputs", arguments->inputs, "Pulse files of one collection")->required()->type_name("FILE");
  command.add_option("-o,--output", arguments->output, "The image, HDF5")->required()->type_name("FILE");
  command
      .add_option("--size", arguments->size, "Pixels, NXxNY or NXxNYxNZ; default: what the swath holds, at most 1001")
      ->type_name("SIZE");
  command
      .add_option("--spacing", arguments->spacing,
                  "Metres between pixels, D, DXxDY or DXxDYxDZ; default: below half the resolution")
      ->type_name("M");
  command.add_option("--center", arguments->centre, "Centre of the image in metres, X,Y[,Z]")
      ->type_name("X,Y,Z")
      ->capture_default_str();
  command
      .add_option("--dem", arguments->terrain,
                  "Heights of the ground in the collection's frame: FILE.h5:/DATASET, FILE.npy or an ESRI ASCII grid")
      ->type_name("FILE");
  command.add_option("--window", arguments->window, "Weights over the band: none, hamming, taylor, taylor:NBAR,LEVEL")
      ->type_name("WINDOW")
      ->capture_default_str();
  command.add_option("--azimuth-window", arguments->azimuth_window, "Weights over the pulses, likewise")
      ->type_name("WINDOW")
      ->capture_default_str();
  command.add_flag("--ramp", arguments->ramp, "Weigh frequencies by |f| as filtered backprojection does");
  command.add_flag("--no-autofocus", arguments->no_autofocus, "Ignore the corrections that the data brings along");
  command
      .add_option("--nfft", arguments->nfft, "Range bins; default: eight times the next power of two of the samples")
      ->type_name("N")
      ->check(whole_number(0));
  command.add_option("--interp", arguments->interpolation, "Between range bins: linear, sinc, sinc:TAPS")
      ->type_name("KIND")
      ->capture_default_str();
  command
      .add_option("--precision", arguments->precision,
                  "accurate (single precision arithmetic with a stated bound) or double")
      ->type_name("KIND")
      ->capture_default_str();
  command.add_option("--pulses", arguments->pulses, "Only pulses FIRST to LAST - 1")->type_name("FIRST:LAST");
  command
      .add_option("--block-pulses", arguments->block_pulses,
                  "Pulses on the device at a time; default: as many as fit comfortably")
      ->type_name("N")
      ->check(whole_number(0));
  command.add_option("--png", arguments->png, "A picture in dB below the peak")->type_name("FILE");
  command.add_option("--png-range", arguments->png_range, "Extent of the picture's scale in dB")
      ->type_name("DB")
      ->capture_default_str();
  command.add_option("--colours", arguments->colours, "Colours of the picture: grey or viridis")
      ->type_name("MAP")
      ->capture_default_str();
  command.add_option("--vti", arguments->vti, "Fields for ParaView")->type_name("FILE");
  add_device_option(command, arguments->common);
  add_output_options(command, arguments->common);
  command.callback([arguments] { run(*arguments); });
}

}  // namespace rtcg::app
