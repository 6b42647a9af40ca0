// rtcg-vision features: many images through one model.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/common/json_output.h"
#include "apps/common/logging.h"
#include "apps/common/options.h"
#include "apps/common/outputs.h"
#include "apps/common/progress.h"
#include "apps/rtcg-vision/commands.h"
#include "apps/rtcg-vision/joined_images.h"
#include "vision/features.h"

namespace rtcg::app {

namespace {

struct FeatureArguments : CommonOptions {
  std::string model, output;
  std::vector<std::string> images;
  std::size_t batch = 0;
};

void run(const FeatureArguments& arguments) {
  std::vector<std::filesystem::path> inputs(arguments.images.begin(), arguments.images.end());
  inputs.emplace_back(arguments.model);
  check_outputs({{"-o", arguments.output}, {"--json", arguments.json_to_stdout() ? "" : arguments.json}}, inputs);
  const vision::ModelDescription description = vision::read_model(arguments.model);
  const JoinedImages images(arguments.images, description.input);
  const Device device = select_device(arguments);
  const vision::Model model(Stream(device), description);
  log_info("{} images through {} on {} ({})", images.size(), arguments.model, device.id(), device.properties().name);
  vision::FeatureReport report;
  {
    Progress progress("features", images.size(), "images");
    report = vision::write_features(model, images, arguments.output,
                                    {arguments.batch, 0, [&](std::size_t done) { progress.update(done); }});
  }
  const double rate = static_cast<double>(report.images) / report.seconds,
               busy = report.device_seconds / report.seconds;
  if (arguments.prints_text()) {
    fmt::print("features  {} x {} x {} x {} (image, y, x, feature)\n", report.images, report.height, report.width,
               report.channels);
    fmt::print("time      {:.3g} s, {:.4g} images/s; device busy {:.0f} %, host {:.3g} s waiting for images\n",
               report.seconds, rate, 100 * busy, report.waited_seconds);
    fmt::print("written   {}\n", arguments.output);
  }
  const DeviceProperties& properties = device.properties();
  write_json(arguments.json,
             {{"command", "features"},
              {"device", {{"id", properties.id}, {"name", properties.name}, {"driver", properties.driver}}},
              {"model", description.name},
              {"images", report.images},
              {"features", {report.height, report.width, report.channels}},
              {"seconds", report.seconds},
              {"device_seconds", report.device_seconds},
              {"waited_seconds", report.waited_seconds},
              {"written_seconds", report.written_seconds},
              {"images_per_s", rate},
              {"output", arguments.output}});
}

}  // namespace

void add_features_command(CLI::App& app) {
  const auto arguments = std::make_shared<FeatureArguments>();
  CLI::App& command = *app.add_subcommand("features", "Compute a model's features of many images");
  command.footer(
      "F.h5 holds /features [image, y, x, feature], with the model as attribute, and /files, the images' names.\n"
      "Example: rtcg-vision features --model data/models/v1s.toml pictures/ -o features.h5");
  command.add_option("images", arguments->images, "Folders of pictures, pictures, stacks in .npy files")
      ->type_name("DIR")
      ->required();
  command.add_option("--model", arguments->model, "The model, TOML; see docs/vision.md")->type_name("FILE")->required();
  command.add_option("-o,--output", arguments->output, "The features, HDF5")->type_name("FILE")->required();
  command.add_option("--batch", arguments->batch, "Images at a time; default: what fills the device")
      ->type_name("N")
      ->check(whole_number(1));
  add_device_option(command, *arguments);
  add_output_options(command, *arguments);
  command.callback([arguments] { run(*arguments); });
}

}  // namespace rtcg::app
