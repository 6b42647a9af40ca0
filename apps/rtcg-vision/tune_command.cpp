// rtcg-vision tune: the fastest filterbank for images and filters of given sizes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/common/tuning.h"
#include "apps/rtcg-vision/commands.h"
#include "apps/rtcg-vision/values.h"
#include "vision/filterbank_tuning.h"

namespace rtcg::app {

namespace {

struct TuneArguments : TuningOptions {
  std::string input, bank, border = "valid", stride = "1", allow = "exact";
  std::size_t images = 1;
};

void run(const TuneArguments& arguments) {
  vision::FilterbankShape shape = vision::parse_shape(arguments.input, arguments.bank);
  shape.images = arguments.images;
  shape.border = vision::parse_border(arguments.border);
  std::tie(shape.stride_y, shape.stride_x) = parse_stride(arguments.stride);
  shape.check();
  const vision::Precision allow = vision::parse_precision(arguments.allow);
  const Device device = select_device(arguments);
  run_tuning(device, vision::filterbank::describe(device, shape, allow), arguments);
}

}  // namespace

void add_tune_command(CLI::App& app) {
  const auto arguments = std::make_shared<TuneArguments>();
  CLI::App& command = *app.add_subcommand("tune", "Find the fastest filterbank for images and filters of given sizes");
  command.footer(
      "Every variant is checked against integer sums before it counts. What is found serves filter, features and "
      "search\n"
      "from then on; 'rtcg tune list' shows it.\n"
      "Example: rtcg-vision tune --input 256x256x8 --bank 64x9x9x8 --seconds 60 --png search.png");
  command.add_option("--input", arguments->input, "Images, as height, width and channels")
      ->type_name("HxWxD")
      ->required();
  command.add_option("--bank", arguments->bank, "Filters, as their number, height, width and channels")
      ->type_name("NxHxWxD")
      ->required();
  command.add_option("--images", arguments->images, "Images at a time")
      ->type_name("N")
      ->check(whole_number(1))
      ->capture_default_str();
  command.add_option("--border", arguments->border, "valid, zero, reflect, replicate or wrap")
      ->type_name("BORDER")
      ->capture_default_str();
  command.add_option("--stride", arguments->stride, "Pixels between responses, N or NYxNX")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--allow", arguments->allow, "exact, or tf32 or fp16: kernels that round the factors may win too")
      ->type_name("PRECISION")
      ->capture_default_str();
  add_tuning_options(command, *arguments);
  add_device_option(command, *arguments);
  add_output_options(command, *arguments);
  command.callback([arguments] { run(*arguments); });
}

}  // namespace rtcg::app
