// Models on stacks of images: how many images a second the device takes, which operators the time goes to, and how much
// of it is left when images are streamed from a file and features to one.
#include <filesystem>
#include <random>

#include <fmt/format.h>

#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/vision/topics.h"
#include "rtcg/array/expression.h"
#include "rtcg/array/interchange/npy.h"
#include "rtcg/array/random.h"
#include "vision/features.h"

namespace rtcg::bench {

namespace {

using namespace vision;

/// The layers of fg11 and of zstone12 (data/models), and two layers for images of 25 x 25 such as a search tries.
constexpr const char* fg11 = R"(name = "fg11"
[[layers]]
normalise = { size = 9, stretch = 10, threshold = 1 }
[[layers]]
filter = { count = 64, size = 3 }
clip = { min = 0 }
pool = { size = 7, order = 1, stride = 2 }
normalise = { size = 5, stretch = 0.1, threshold = 1 }
[[layers]]
filter = { count = 128, size = 5 }
clip = { min = 0 }
pool = { size = 5, order = 1, stride = 2 }
normalise = { size = 7, stretch = 1, threshold = 1 }
[[layers]]
filter = { count = 256, size = 5 }
clip = { min = 0 }
pool = { size = 7, order = 10, stride = 2 }
normalise = { size = 3, stretch = 10, threshold = 1 }
)";
constexpr const char* zstone12 = R"(name = "zstone12"
[[layers]]
normalise = { size = 9, stretch = 0.1, threshold = 1 }
[[layers]]
filter = { count = 128, size = 9 }
clip = { min = 0 }
pool = { size = 9, order = 2, stride = 2 }
normalise = { size = 5, stretch = 0.1, threshold = 10 }
[[layers]]
filter = { count = 256, size = 3 }
clip = { min = 0 }
pool = { size = 5, order = 1, stride = 2 }
normalise = { size = 3, stretch = 10, threshold = 1 }
[[layers]]
filter = { count = 512, size = 3 }
clip = { min = 0 }
pool = { size = 9, order = 10, stride = 2 }
normalise = { size = 5, stretch = 0.1, threshold = 0.1, remove_mean = true }
)";
constexpr const char* small_model = R"(name = "two layers"
[[layers]]
normalise = { size = 3, remove_mean = true }
[[layers]]
filter = { count = 64, size = 5 }
clip = { min = 0 }
pool = { size = 3, order = 2, stride = 2 }
normalise = { size = 3 }
[[layers]]
filter = { count = 128, size = 3 }
clip = { min = 0 }
pool = { size = 3, order = 10, stride = 1 }
normalise = { size = 3 }
)";

/// The same model up to one operator of one layer, to see what each adds.
ModelDescription up_to(const ModelDescription& whole, std::size_t layer, std::string_view operation) {
  ModelDescription part = whole;
  part.layers.resize(layer + 1);
  Layer& last = part.layers.back();
  if (operation != "normalise") last.normalise.reset();
  if (operation == "filter") last.pool.reset();
  return part;
}

void model_lines(Suite& suite, const Context& context, const char* text, std::size_t edge, std::size_t streamed) {
  const Stream& stream = context.stream;
  const ModelDescription description = parse_model(text);
  const ModelPlan plan = plan_model(description, edge, edge);
  const Model model(stream, description);
  const std::size_t batch = context.quick ? 2 : model.batch(edge, edge);
  const auto side = static_cast<std::int64_t>(edge);
  Random random(1);
  const Array images = random.uniform(stream, {static_cast<std::int64_t>(batch), side, side, 1});
  const std::string name = fmt::format("{}, {} x {} grey", description.name, edge, edge);

  const double preparation = seconds_of([&] { model.prepare(batch, edge, edge); });
  const Measurement time = measure(
      stream, [&] { model(images); }, context.budget());
  const double rate = static_cast<double>(batch) / time.median;
  Result result{name, rate, "images/s", time, {}, {}, "on the device"};
  result.figures["TFLOP/s of filters"] = rate * plan.flops / 1e12;
  result.figures["images a batch"] = static_cast<double>(batch);
  result.figures["s to prepare"] = preparation;  // from the disk cache unless it is off or cold
  double before = 0;
  for (const PlannedStep& step : plan.steps) {
    const Model part(stream, up_to(description, step.layer, step.operation));
    const double seconds = measure(
                               stream, [&] { part(images); }, context.turn_budget())
                               .median;
    result.figures[fmt::format("{}.{}, us an image", step.layer, step.operation)] =
        1e6 * (seconds - before) / static_cast<double>(batch);
    before = seconds;
  }
  suite.add(std::move(result));

  const auto count = context.quick ? 8 : streamed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::filesystem::path from = folder / fmt::format("rtcg-bench-{}.npy", edge);
  const std::filesystem::path to = folder / fmt::format("rtcg-bench-{}.h5", edge);
  write_npy(from, random.integers(stream, {static_cast<std::int64_t>(count), side, side}, 0, 256, Dtype::u8));
  write_features(model, *open_images(from, {}), to);  // compiled, files in the system's cache
  const FeatureReport report = write_features(model, *open_images(from, {}), to);
  std::filesystem::remove(from), std::filesystem::remove(to);
  Result line{name + ", streamed",
              static_cast<double>(report.images) / report.seconds,
              "images/s",
              {},
              {},
              {},
              "uint8 from .npy, features to HDF5"};
  line.figures["device busy, %"] = 100 * report.device_seconds / report.seconds;
  line.figures["waited for images, %"] = 100 * report.waited_seconds / report.seconds;
  line.figures["wrote features, %"] = 100 * report.written_seconds / report.seconds;
  line.figures["images"] = static_cast<double>(report.images);
  suite.add(std::move(line));
}

}  // namespace

void models_topic(Suite& suite, const Context& context) {
  const bool gpu = context.on_gpu();
  model_lines(suite, context, small_model, 25, gpu ? 65536 : 512);
  if (gpu) {
    model_lines(suite, context, fg11, 200, 4096);
    model_lines(suite, context, zstone12, 200, 2048);
  } else {
    model_lines(suite, context, fg11, 121, 8);
  }
}

}  // namespace rtcg::bench
