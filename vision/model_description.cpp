#include "vision/model_description.h"

#include <cmath>

#include <fmt/format.h>

#include "rtcg/io/hdf5.h"
#include "vision/gabor.h"
#include "vision/model_toml.h"

namespace rtcg::vision {

namespace {

constexpr std::size_t most_pixels = 65536, most_filters = 65536;

/// `size`, or `height` and `width`.
void read_window(const TomlTable& table, std::size_t& height, std::size_t& width) {
  if (const auto size = table.whole("size", 1, most_pixels)) {
    if (table.has("height") || table.has("width"))
      table.fail("size", "stands beside height or width; give one or the other");
    height = width = *size;
  } else if (table.has("height") && table.has("width")) {
    height = *table.whole("height", 1, most_pixels), width = *table.whole("width", 1, most_pixels);
  } else
    table.fail("", "size, or height and width, is missing");
}

Border read_border(const TomlTable& table) {
  const std::optional<std::string> name = table.text("border");
  if (!name) return Border::valid;
  try {
    return parse_border(*name);
  } catch (const UsageError& error) {
    table.fail("border", error.what());
  }
}

/// What an operator itself has to say about its values, at the table's line.
template <class Operator>
void check_operator(const TomlTable& table, const Operator& checked) {
  try {
    checked.check();
  } catch (const UsageError& error) {
    table.fail("", error.what());
  }
}

bool is_bank_file(std::string_view source) {
  return source.ends_with(".h5") || source.ends_with(".hdf5");
}

FilterStage read_filter(const TomlTable& table, const std::filesystem::path& directory) {
  table.allow({"count", "size", "height", "width", "source", "seed", "stride", "border", "flip"});
  FilterStage stage;
  stage.source = table.text("source").value_or(stage.source);
  stage.seed =
      static_cast<std::uint32_t>(table.whole("seed", 0, std::numeric_limits<std::uint32_t>::max()).value_or(42));
  stage.stride = table.whole("stride", 1, most_pixels).value_or(1);
  stage.border = read_border(table);
  stage.flip = table.flag("flip").value_or(false);
  if (stage.source == "uniform") {
    if (!table.has("count")) table.fail("", "count, the number of filters, is missing");
    stage.count = *table.whole("count", 1, most_filters);
    read_window(table, stage.height, stage.width);
    return stage;
  }
  for (const char* key : {"count", "size", "height", "width", "seed"})
    if (table.has(key)) table.fail(key, fmt::format("source \"{}\" says this already", stage.source));
  if (is_bank_file(stage.source)) {
    const std::filesystem::path file = directory / stage.source;
    stage.source = file.string();
    const hdf5::Shape shape = hdf5::File::open(file).shape("/bank");
    if (shape.size() != 4)
      table.fail("source", fmt::format("/bank of {} has {} dimensions; [filter, y, x, channel] is needed",
                                       file.string(), shape.size()));
    stage.count = shape[0], stage.height = shape[1], stage.width = shape[2];
    return stage;
  }
  try {
    const GaborBank bank = parse_gabor(stage.source);
    stage.count = bank.filters(), stage.height = stage.width = bank.size;
  } catch (const UsageError& error) {
    table.fail("source", fmt::format("\"uniform\", a file FILE.h5 or a Gabor bank is needed: {}", error.what()));
  }
  return stage;
}

Clip read_clip(const TomlTable& table) {
  table.allow({"min", "max"});
  const auto bound = [&](std::string_view key) -> std::optional<double> {
    if (table.has(key) && table.table()[key].is_string()) {
      if (table.text(key) != "none") table.fail(key, "a number or \"none\" is needed");
      return std::nullopt;
    }
    return table.real(key);
  };
  Clip clip{bound("min"), bound("max")};
  if ((clip.min && std::isnan(*clip.min)) || (clip.max && std::isnan(*clip.max)) ||
      (clip.min && clip.max && *clip.min > *clip.max))
    table.fail("", "min must not be above max");
  return clip;
}

Pooling read_pool(const TomlTable& table) {
  table.allow({"size", "height", "width", "order", "stride", "border"});
  Pooling pooling;
  read_window(table, pooling.height, pooling.width);
  pooling.order = table.real("order").value_or(1);
  pooling.stride_y = pooling.stride_x = table.whole("stride", 1, most_pixels).value_or(1);
  pooling.border = read_border(table);
  check_operator(table, pooling);
  return pooling;
}

Normalisation read_normalise(const TomlTable& table) {
  table.allow({"size", "height", "width", "remove_mean", "stretch", "threshold", "epsilon", "border"});
  Normalisation normalisation;
  read_window(table, normalisation.height, normalisation.width);
  normalisation.remove_mean = table.flag("remove_mean").value_or(false);
  normalisation.stretch = table.real("stretch").value_or(normalisation.stretch);
  normalisation.threshold = table.real("threshold").value_or(normalisation.threshold);
  normalisation.epsilon = table.real("epsilon").value_or(normalisation.epsilon);
  normalisation.border = read_border(table);
  check_operator(table, normalisation);
  return normalisation;
}

Resampling read_resample(const TomlTable& table) {
  table.allow({"size", "height", "width"});
  Resampling resampling;
  read_window(table, resampling.height, resampling.width);
  return resampling;
}

InputFormat read_input(const TomlTable& table) {
  table.allow({"height", "width", "longest_edge", "channels"});
  InputFormat input;
  input.height = table.whole("height", 1, most_pixels).value_or(0);
  input.width = table.whole("width", 1, most_pixels).value_or(0);
  input.longest_edge = table.whole("longest_edge", 1, most_pixels).value_or(0);
  input.channels = table.whole("channels", 1, 4096).value_or(1);
  if ((input.height == 0) != (input.width == 0)) table.fail("", "height and width go together");
  if (input.height != 0 && input.longest_edge != 0)
    table.fail("longest_edge", "stands beside height and width; give one or the other");
  return input;
}

std::string bound_text(const std::optional<double>& bound) {
  return bound ? fmt::format("{}", *bound) : "\"none\"";
}

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

std::string border_text(Border border) {
  return border == Border::valid ? "" : fmt::format(", border = \"{}\"", name_of(border));
}

std::string layer_text(const Layer& layer) {
  std::string text = "\n[[layers]]\n";
  if (const auto& f = layer.filter) {
    text += "filter = { ";
    if (f->source == "uniform")
      text += fmt::format("count = {}, height = {}, width = {}, seed = {}, ", f->count, f->height, f->width, f->seed);
    text += fmt::format("source = {}, stride = {}{}{} }}\n", quoted(f->source), f->stride,
                        f->flip ? ", flip = true" : "", border_text(f->border));
  }
  if (const auto& c = layer.clip)
    text += fmt::format("clip = {{ min = {}, max = {} }}\n", bound_text(c->min), bound_text(c->max));
  if (const auto& p = layer.pool)
    text += fmt::format("pool = {{ height = {}, width = {}, order = {}, stride = {}{} }}\n", p->height, p->width,
                        p->order, p->stride_y, border_text(p->border));
  if (const auto& n = layer.normalise)
    text += fmt::format(
        "normalise = {{ height = {}, width = {}, remove_mean = {}, stretch = {}, threshold = {}, epsilon = {}{} }}\n",
        n->height, n->width, n->remove_mean, n->stretch, n->threshold, n->epsilon, border_text(n->border));
  if (const auto& r = layer.resample)
    text += fmt::format("resample = {{ height = {}, width = {} }}\n", r->height, r->width);
  return text;
}

}  // namespace

ModelDescription model_from_toml(const toml::table& table, const std::string& file,
                                 const std::filesystem::path& directory) {
  const TomlTable whole(table, file);
  whole.allow({"name", "input", "layers"});
  ModelDescription model;
  model.name = whole.text("name").value_or(std::filesystem::path(file).stem().string());
  if (const auto input = whole.inner("input")) model.input = read_input(*input);
  const toml::array* const layers = table["layers"].as_array();
  if (!layers || layers->empty() || !layers->is_array_of_tables())
    whole.fail("layers", "at least one [[layers]] is needed");
  for (std::size_t k = 0; k < layers->size(); ++k) {
    const TomlTable given(*layers->get(k)->as_table(), file, fmt::format("layers[{}]", k));
    given.allow({"filter", "clip", "pool", "normalise", "resample"});
    Layer layer;
    if (const auto inner = given.inner("filter")) layer.filter = read_filter(*inner, directory);
    if (const auto inner = given.inner("clip")) layer.clip = read_clip(*inner);
    if (const auto inner = given.inner("pool")) layer.pool = read_pool(*inner);
    if (const auto inner = given.inner("normalise")) layer.normalise = read_normalise(*inner);
    if (const auto inner = given.inner("resample")) layer.resample = read_resample(*inner);
    if (layer == Layer{}) given.fail("", "a layer without any operator");
    model.layers.push_back(layer);
  }
  return model;
}

ModelDescription parse_model(std::string_view text, const std::string& name, const std::filesystem::path& directory) {
  return model_from_toml(parse_toml(text, name), name, directory);
}

ModelDescription read_model(const std::filesystem::path& file) {
  return parse_model(read_text(file.string()), file.string(), file.parent_path());
}

std::string to_toml(const ModelDescription& model) {
  std::string text = fmt::format("name = {}\n\n[input]\nchannels = {}\n", quoted(model.name), model.input.channels);
  if (model.input.height != 0) text += fmt::format("height = {}\nwidth = {}\n", model.input.height, model.input.width);
  if (model.input.longest_edge != 0) text += fmt::format("longest_edge = {}\n", model.input.longest_edge);
  for (const Layer& layer : model.layers) text += layer_text(layer);
  return text;
}

}  // namespace rtcg::vision
