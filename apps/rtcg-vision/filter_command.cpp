// rtcg-vision filter: images through one bank of filters, batch by batch into an HDF5 file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/common/json_output.h"
#include "apps/common/logging.h"
#include "apps/common/options.h"
#include "apps/common/outputs.h"
#include "apps/common/picture.h"
#include "apps/common/progress.h"
#include "apps/common/vti.h"
#include "apps/rtcg-vision/commands.h"
#include "apps/rtcg-vision/joined_images.h"
#include "apps/rtcg-vision/response_views.h"
#include "apps/rtcg-vision/values.h"
#include "rtcg/array/interchange/hdf5.h"
#include "rtcg/array/interchange/npy.h"
#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"
#include "vision/filterbank.h"
#include "vision/filterbank_tuning.h"
#include "vision/gabor.h"
#include "vision/image_reader.h"

namespace rtcg::app {

namespace {

using Json = nlohmann::ordered_json;

struct FilterArguments : CommonOptions {
  std::vector<std::string> images;
  std::string bank, output, png, vti, border = "valid", stride = "1", clip, bias, expression, allow = "exact";
  std::optional<float> threshold;
  std::size_t batch = 0;
};

std::size_t extent(const Array& array, int dimension) {
  return static_cast<std::size_t>(array.extent(dimension));
}

/// [filter, y, x, channel].
Array read_bank(const Stream& stream, const std::string& bank) {
  if (bank == "gabor" || bank.starts_with("gabor:")) return vision::gabor_bank(stream, vision::parse_gabor(bank));
  Array filters =
      std::filesystem::path(bank).extension() == ".npy" ? read_npy(stream, bank) : read_hdf5(stream, bank, "/bank");
  if (filters.dimensions() == 3)
    filters = filters.reshape({filters.extent(0), filters.extent(1), filters.extent(2), 1});
  if (filters.dimensions() != 4 || filters.size() == 0 || is_complex(filters.dtype()))
    throw InputError(fmt::format("{}: a bank is [filter, y, x, channel] of real numbers; this is {} of {}", bank,
                                 to_string(filters.shape()), dtype_name(filters.dtype())));
  return filters.astype(Dtype::f32);
}

/// Checks what does not need images.
vision::FilterbankOptions options_of(const FilterArguments& arguments, std::size_t filters) {
  vision::FilterbankOptions options;
  std::tie(options.stride_y, options.stride_x) = parse_stride(arguments.stride);
  options.border = vision::parse_border(arguments.border);
  options.allow = vision::parse_precision(arguments.allow);
  if (!arguments.clip.empty())
    std::tie(options.epilogue.minimum, options.epilogue.maximum) = parse_clip(arguments.clip);
  if (!arguments.bias.empty()) options.epilogue.bias = parse_bias(arguments.bias, filters);
  options.epilogue.threshold = arguments.threshold;
  options.epilogue.expression = arguments.expression;
  options.epilogue.check(filters);
  return options;
}

/// One filtering: reads, filters and writes batch by batch.
class Filtering {
 public:
  Filtering(const FilterArguments& arguments, const Stream& stream, const JoinedImages& images, const Array& bank)
      : arguments_(arguments),
        stream_(stream),
        images_(images),
        bank_(bank),
        options_(options_of(arguments, extent(bank, 0))),
        filterbank_(stream, bank, options_),
        aside_(arguments.output),
        file_(hdf5::File::create(aside_.path(), arguments.output)) {}

  void run();
  Json report() const;
  const vision::FilterbankShape& shape() const { return shape_; }
  const ResponseSample& sample() const { return sample_; }
  double seconds() const { return seconds_; }
  double error() const { return error_; }
  const Selection& selection() const { return *selection_; }

 private:
  void begin(const vision::HostImage& first);
  void filter(const std::vector<float>& pixels, std::size_t first, std::size_t count);
  void finish();

  const FilterArguments& arguments_;
  const Stream& stream_;
  const JoinedImages& images_;
  const Array& bank_;
  vision::FilterbankOptions options_;
  vision::Filterbank filterbank_;
  AsideFile aside_;
  hdf5::File file_;
  vision::FilterbankShape shape_;
  std::optional<Selection> selection_;
  ResponseSample sample_;
  std::size_t batch_ = 1;
  double seconds_ = 0, error_ = 0;
};

void Filtering::begin(const vision::HostImage& first) {
  if (first.channels != extent(bank_, 3))
    throw InputError(fmt::format("{}: {} channels; the bank {} has {}", images_.name(0), first.channels,
                                 arguments_.bank, extent(bank_, 3)));
  shape_ = filterbank_.shape(1, first.height, first.width);
  try {
    shape_.check();
  } catch (const UsageError& error) {
    throw InputError(fmt::format("{}: {}", images_.name(0), error.what()));
  }
  constexpr std::size_t batch_bytes = std::size_t{256} << 20;
  batch_ = arguments_.batch != 0 ? arguments_.batch
                                 : std::max<std::size_t>(1, batch_bytes / (sizeof(float) * shape_.outputs()));
  batch_ = std::min(batch_, images_.size());
  shape_.images = images_.size();
  selection_ = filterbank_.selection(batch_, shape_.height, shape_.width);
  file_.create_dataset("/responses", hdf5::Element::float32,
                       {images_.size(), shape_.output_height(), shape_.output_width(), shape_.filters});
  sample_.height = shape_.output_height(), sample_.width = shape_.output_width(), sample_.filters = shape_.filters;
}

void Filtering::filter(const std::vector<float>& pixels, std::size_t first, std::size_t count) {
  const Array input =
      Array::from(stream_, pixels,
                  Shape{static_cast<std::int64_t>(count), static_cast<std::int64_t>(shape_.height),
                        static_cast<std::int64_t>(shape_.width), static_cast<std::int64_t>(shape_.channels)});
  stream_.synchronize();
  const auto start = std::chrono::steady_clock::now();
  const Array responses = filterbank_(input);
  stream_.synchronize();
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::vector<float> values = responses.to_vector<float>();
  file_.write_rows("/responses", first, count, std::span<const float>(values));
  sample_.take(values, count, arguments_.vti.empty() ? 1 : ResponseSample::most_images);
  if (first == 0 && options_.allow != vision::Precision::exact) {
    vision::FilterbankOptions exact = options_;
    exact.allow = vision::Precision::exact;
    const std::vector<float> expected = vision::Filterbank(stream_, bank_, exact)(input).to_vector<float>();
    double largest = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      error_ = std::max(error_, std::abs(static_cast<double>(values[k]) - expected[k]));
      largest = std::max(largest, std::abs(static_cast<double>(expected[k])));
    }
    if (largest > 0) error_ /= largest;
  }
}

void Filtering::finish() {
  const std::vector<float> filters = bank_.to_vector<float>();
  file_.write("/bank", {extent(bank_, 0), extent(bank_, 1), extent(bank_, 2), extent(bank_, 3)},
              std::span<const float>(filters));
  file_.set_attribute("/bank", "axes", std::string("filter y x channel"));
  file_.set_attribute("/bank", "source", arguments_.bank);
  file_.set_attribute("/responses", "axes", std::string("image y x filter"));
  file_.set_attribute("/responses", "border", std::string(name_of(options_.border)));
  file_.set_attribute("/responses", "stride_y", static_cast<double>(options_.stride_y));
  file_.set_attribute("/responses", "stride_x", static_cast<double>(options_.stride_x));
  file_.set_attribute("/responses", "epilogue", options_.epilogue.text());
  file_.set_attribute("/responses", "precision", std::string(name_of(options_.allow)));
  file_.set_attribute("/responses", "device", stream_.device().properties().name);
  file_.set_attribute("/responses", "kernel", selection_->configuration.text());
  // Where in the image, in pixels, the filter's first row and column lay for each response.
  const auto places = [&](std::size_t count, std::size_t stride, std::size_t filter) {
    const double before = options_.border == vision::Border::valid ? 0 : static_cast<double>((filter - 1) / 2);
    std::vector<double> found;
    for (std::size_t k = 0; k < count; ++k) found.push_back(static_cast<double>(k * stride) - before);
    return found;
  };
  const auto y = places(shape_.output_height(), shape_.stride_y, shape_.filter_height),
             x = places(shape_.output_width(), shape_.stride_x, shape_.filter_width);
  file_.write("/y", {y.size()}, std::span<const double>(y));
  file_.write("/x", {x.size()}, std::span<const double>(x));
  for (const char* axis : {"/y", "/x"})
    file_.set_attribute(axis, "meaning", std::string("image pixel under the first row or column of the filter"));
  std::vector<std::string> names;
  for (std::size_t k = 0; k < images_.size(); ++k) names.push_back(images_.name(k));
  file_.write_texts("/files", names);
  file_.close();
  aside_.commit();
}

void Filtering::run() {
  vision::ImageReader reader(images_, 64);
  Progress progress("filtering", images_.size(), "images");
  vision::HostImage image = reader.take();
  begin(image);
  std::vector<float> pixels;
  for (std::size_t first = 0; first < images_.size();) {
    const std::size_t count = std::min(batch_, images_.size() - first);
    pixels.clear();
    for (std::size_t k = 0; k < count; ++k) {
      if (first + k != 0) image = reader.take();
      if (image.height != shape_.height || image.width != shape_.width || image.channels != shape_.channels)
        throw InputError(fmt::format("{}: {} x {} x {}; the images before it are {} x {} x {}", images_.name(first + k),
                                     image.height, image.width, image.channels, shape_.height, shape_.width,
                                     shape_.channels));
      pixels.insert(pixels.end(), image.pixels.begin(), image.pixels.end());
    }
    filter(pixels, first, count);
    first += count;
    progress.update(first);
  }
  finish();
}

Json Filtering::report() const {
  const DeviceProperties& properties = stream_.device().properties();
  Json result{{"command", "filter"},
              {"device", {{"id", properties.id}, {"name", properties.name}, {"driver", properties.driver}}},
              {"images", images_.size()},
              {"image", {shape_.height, shape_.width, shape_.channels}},
              {"bank", {shape_.filters, shape_.filter_height, shape_.filter_width, shape_.channels}},
              {"responses", {shape_.images, shape_.output_height(), shape_.output_width(), shape_.filters}},
              {"border", name_of(options_.border)},
              {"stride", {options_.stride_y, options_.stride_x}},
              {"epilogue", options_.epilogue.text()},
              {"precision", name_of(options_.allow)},
              {"kernel", selection_->configuration.text()},
              {"kernel_from", to_text(selection_->link)},
              {"seconds", seconds_},
              {"gflop", 1e-9 * shape_.flops()}};
  if (options_.allow != vision::Precision::exact) result["error_against_exact"] = error_;
  result["output"] = arguments_.output;
  return result;
}

void run(const FilterArguments& arguments) {
  std::vector<std::filesystem::path> inputs(arguments.images.begin(), arguments.images.end());
  inputs.emplace_back(arguments.bank);
  check_outputs({{"-o", arguments.output},
                 {"--png", arguments.png},
                 {"--vti", arguments.vti},
                 {"--json", arguments.json_to_stdout() ? "" : arguments.json}},
                inputs);
  if (!arguments.png.empty() && !pictures_available())
    throw UsageError("--png: this build has no OpenCV and writes no pictures");
  if (!arguments.vti.empty() && !vti_available()) throw UsageError("--vti: this build has no VTK and writes no .vti");
  const Stream stream(select_device(arguments));
  const Array bank = read_bank(stream, arguments.bank);
  const std::size_t channels = extent(bank, 3);
  const JoinedImages images(arguments.images, {.channels = channels});
  log_info("{} images by {} filters of {} x {} x {} on {} ({})", images.size(), extent(bank, 0), extent(bank, 1),
           extent(bank, 2), channels, stream.device().id(), stream.device().properties().name);
  Filtering filtering(arguments, stream, images, bank);
  filtering.run();
  if (!arguments.png.empty()) write_response_picture(arguments.png, bank, filtering.sample(), images.name(0));
  if (!arguments.vti.empty()) write_response_stack(arguments.vti, filtering.sample(), images);
  if (arguments.prints_text()) {
    const vision::FilterbankShape& shape = filtering.shape();
    fmt::print("responses {} x {} x {} x {} (image, y, x, filter)\n", shape.images, shape.output_height(),
               shape.output_width(), shape.filters);
    fmt::print("kernel    {} ({})\n", filtering.selection().configuration.text(), to_text(filtering.selection().link));
    if (arguments.allow != "exact")
      fmt::print("accuracy  {} differs by at most {:.2g} of the largest exact response\n", arguments.allow,
                 filtering.error());
    fmt::print("time      {:.3g} s filtering, {:.3g} GFLOP\n", filtering.seconds(), 1e-9 * shape.flops());
    fmt::print("written   {}{}{}\n", arguments.output, arguments.png.empty() ? "" : " " + arguments.png,
               arguments.vti.empty() ? "" : " " + arguments.vti);
  }
  write_json(arguments.json, filtering.report());
}

}  // namespace

void add_filter_command(CLI::App& app) {
  const auto arguments = std::make_shared<FilterArguments>();
  CLI::App& command = *app.add_subcommand("filter", "Correlate images with a bank of filters");
  command.footer(
      "OUT.h5 holds /responses [image, y, x, filter] and /bank [filter, y, x, channel]. Pictures become grey for a "
      "bank\n"
      "of one channel and colour for one of three.\n"
      "Example: rtcg-vision filter photo.png --bank gabor:size=21,frequencies=1/4 -o responses.h5 --png look.png");
  command.add_option("images", arguments->images, "Pictures, folders of pictures, stacks in .npy files; of one size")
      ->type_name("IMG")
      ->required();
  command
      .add_option("--bank", arguments->bank,
                  "A file with /bank [filter, y, x, channel] (.h5), such an array (.npy), or gabor:SPEC")
      ->type_name("BANK")
      ->required();
  command.add_option("-o,--output", arguments->output, "The responses, HDF5")->type_name("FILE")->required();
  command.add_option("--border", arguments->border, "valid, zero, reflect, replicate or wrap")
      ->type_name("BORDER")
      ->capture_default_str();
  command.add_option("--stride", arguments->stride, "Pixels between responses, N or NYxNX")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--bias", arguments->bias, "Added to responses: one number, or one for each filter")
      ->type_name("B,...");
  command.add_option("--threshold", arguments->threshold, "Responses below it become 0")->type_name("T");
  command.add_option("--clip", arguments->clip, "Bounds of responses, either of them none")->type_name("MIN,MAX");
  command
      .add_option("--expression", arguments->expression,
                  "A formula of the response x and the filter's number n, applied last: \"x / (1 + abs(x))\"")
      ->type_name("FORMULA");
  command
      .add_option("--allow", arguments->allow,
                  "exact, or tf32 or fp16: faster kernels that round the factors; their error is reported")
      ->type_name("PRECISION")
      ->capture_default_str();
  command.add_option("--batch", arguments->batch, "Images at a time; default: as many as 256 MiB of responses hold")
      ->type_name("N")
      ->check(whole_number(1));
  command.add_option("--png", arguments->png, "A picture of the filters and the first image's responses")
      ->type_name("FILE");
  command
      .add_option("--vti", arguments->vti,
                  "Responses for ParaView, filters along z, a field for each of the first 16 images")
      ->type_name("FILE");
  add_device_option(command, *arguments);
  add_output_options(command, *arguments);
  command.callback([arguments] { run(*arguments); });
}

}  // namespace rtcg::app
