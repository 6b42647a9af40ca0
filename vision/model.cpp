#include "vision/model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <mutex>
#include <random>
#include <set>

#include <fmt/format.h>

#include "rtcg/array/expression.h"
#include "rtcg/array/interchange/hdf5.h"
#include "vision/filterbank.h"
#include "vision/gabor.h"
#include "vision/image_operator.h"

namespace rtcg::vision {

namespace {

std::vector<float> uniform_filters(std::uint32_t seed, std::size_t count, std::size_t weights) {
  std::mt19937 words(seed);
  std::vector<double> filter(weights);
  std::vector<float> filters;
  filters.reserve(count * weights);
  for (std::size_t n = 0; n < count; ++n) {
    double mean = 0, square = 0;
    for (double& v : filter) {
      // 53 bits of two words, as NumPy's legacy generator takes them.
      const double high = words() >> 5, low = words() >> 6;
      v = (high * 67108864.0 + low) / 9007199254740992.0;
      mean += v / static_cast<double>(weights);
    }
    for (double& v : filter) v -= mean, square += v * v;
    for (const double v : filter) filters.push_back(static_cast<float>(square > 0 ? v / std::sqrt(square) : 0));
  }
  return filters;
}

/// Clips without a filter to be fused into.
Array clipped(const Array& images, const Clip& clip) {
  Expression value = images;
  if (clip.min) value = maximum(value, static_cast<float>(*clip.min));
  if (clip.max) value = minimum(value, static_cast<float>(*clip.max));
  return value;
}

}  // namespace

Array make_filters(const Stream& stream, const FilterStage& stage, std::size_t channels) {
  const Shape shape{static_cast<std::int64_t>(stage.count), static_cast<std::int64_t>(stage.height),
                    static_cast<std::int64_t>(stage.width), static_cast<std::int64_t>(channels)};
  Array filters;
  if (stage.source == "uniform") {
    const std::size_t weights = stage.height * stage.width * channels;
    if (weights == 1) throw UsageError("filters of a single weight have nothing left without their mean");
    filters = Array::from(stream, uniform_filters(stage.seed, stage.count, weights), shape);
  } else if (stage.source.starts_with("gabor")) {
    filters = gabor_bank(stream, parse_gabor(stage.source));
  } else {
    filters = read_hdf5(stream, stage.source, "/bank").astype(Dtype::f32);
  }
  if (filters.shape() != shape)
    throw InputError(fmt::format("filters \"{}\" are {}; {} channels reach them, so that {} is needed", stage.source,
                                 to_string(filters.shape()), channels, to_string(shape)));
  return stage.flip ? filters.flip(1).flip(2).contiguous() : filters;
}

struct Model::State {
  Stream stream;
  ModelDescription description;
  std::vector<std::optional<Filterbank>> filterbanks;  ///< of the layers
  mutable std::mutex mutex;
  mutable std::set<std::array<std::size_t, 3>> prepared;

  State(const Stream& on, ModelDescription model, std::vector<std::optional<Filterbank>> banks)
      : stream(on), description(std::move(model)), filterbanks(std::move(banks)) {}
};

Model::Model(const Stream& stream, ModelDescription description) {
  std::vector<std::optional<Filterbank>> filterbanks;
  std::size_t channels = description.input.channels;
  for (const Layer& layer : description.layers) {
    filterbanks.emplace_back();
    if (!layer.filter) continue;
    FilterbankOptions options{
        .stride_y = layer.filter->stride, .stride_x = layer.filter->stride, .border = layer.filter->border};
    if (layer.clip && layer.clip->min) options.epilogue.minimum = static_cast<float>(*layer.clip->min);
    if (layer.clip && layer.clip->max) options.epilogue.maximum = static_cast<float>(*layer.clip->max);
    filterbanks.back().emplace(stream, make_filters(stream, *layer.filter, channels), options);
    channels = layer.filter->count;
  }
  state_ = std::make_shared<const State>(stream, std::move(description), std::move(filterbanks));
}

Array Model::operator()(const Array& images) const {
  const ModelDescription& model = state_->description;
  if (images.dimensions() != 4 || images.extent(3) != static_cast<std::int64_t>(model.input.channels))
    throw UsageError(fmt::format("model \"{}\": images are [image, y, x, {}]; given {}", model.name,
                                 model.input.channels, to_string(images.shape())));
  plan_model(model, static_cast<std::size_t>(images.extent(1)), static_cast<std::size_t>(images.extent(2)));
  Array values = images;
  for (std::size_t k = 0; k < model.layers.size(); ++k) {
    const Layer& layer = model.layers[k];
    if (layer.filter)
      values = (*state_->filterbanks[k])(values);
    else if (layer.clip)
      values = clipped(values, *layer.clip);
    if (layer.pool) values = pool(values, *layer.pool);
    if (layer.normalise) values = normalise(values, *layer.normalise);
    if (layer.resample) values = resample(values, layer.resample->height, layer.resample->width);
  }
  return values;
}

void Model::prepare(std::size_t images, std::size_t height, std::size_t width) const {
  const State& state = *state_;
  const ModelPlan plan = plan_model(state.description, height, width);
  {
    const std::scoped_lock lock(state.mutex);
    if (!state.prepared.insert({images, height, width}).second) return;
  }
  std::vector<std::future<void>> compilations;
  PlannedStep before{0, "", height, width, state.description.input.channels, 0};
  for (const PlannedStep& step : plan.steps) {
    compilations.push_back(std::async(std::launch::async, [&state, images, before, step] {
      const Layer& layer = state.description.layers[step.layer];
      const std::string_view operation = step.operation;
      // The kernels of these know of their window and of channels only: the smallest image will do.
      const auto smallest = [&](const auto& window) {
        return Array::zeros(Stream(state.stream.device()),
                            {1, static_cast<std::int64_t>(window.height), static_cast<std::int64_t>(window.width),
                             static_cast<std::int64_t>(before.channels)},
                            Dtype::f32);
      };
      if (operation == "filter")
        state.filterbanks[step.layer]->selection(images, before.height, before.width);
      else if (operation == "pool")
        pool(smallest(*layer.pool), *layer.pool).stream().synchronize();
      else if (operation == "normalise")
        normalise(smallest(*layer.normalise), *layer.normalise).stream().synchronize();
    }));
    before = step;
  }
  for (std::future<void>& compilation : compilations) compilation.get();
}

const ModelDescription& Model::description() const {
  return state_->description;
}

const Stream& Model::stream() const {
  return state_->stream;
}

std::size_t Model::batch(std::size_t height, std::size_t width) const {
  const DeviceProperties& device = state_->stream.device().properties();
  const ModelPlan plan = plan_model(state_->description, height, width);
  const std::size_t bytes = sizeof(float) * std::max<std::size_t>(plan.largest_step, height * width);
  // A CPU's caches hold little, and one image fills its cores; a GPU wants enough groups of every operator.
  const std::size_t share = device.kind == DeviceKind::gpu ? device.global_memory / 32 : std::size_t{64} << 20;
  return std::clamp<std::size_t>(share / bytes, 1, device.kind == DeviceKind::gpu ? 2048 : 64);
}

}  // namespace rtcg::vision
