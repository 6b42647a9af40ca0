#include "vision/filterbank.h"

#include <cmath>
#include <list>
#include <mutex>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "rtcg/tune/wisdom.h"
#include "vision/filterbank_tuning.h"
#include "vision/prepared_filterbank.h"
#include "vision/separable.h"

namespace rtcg::vision {

namespace {

constexpr std::size_t most_plans = 32;

void require_real(const Array& array, std::string_view what) {
  if (!array || is_complex(array.dtype()))
    throw UsageError(fmt::format("filterbank: the {} must be an array of real numbers", what));
}

std::string extents(const Shape& shape) {
  std::string text;
  for (int d = 0; d < shape.size(); ++d) text += fmt::format("{}{}", d == 0 ? "" : " x ", shape[d]);
  return text;
}

}  // namespace

struct Filterbank::State {
  /// What runs for images of one size.
  struct Plan {
    FilterbankShape shape;
    Selection selection;
    PreparedFilterbank run;
  };

  State(const Stream& on, FilterbankOptions wanted) : stream(on), options(std::move(wanted)) {}

  Stream stream;
  FilterbankOptions options;
  std::size_t filters = 0, filter_height = 0, filter_width = 0, channels = 0;
  std::vector<float> weights;
  Buffer bias;
  std::optional<Configuration> forced;
  std::optional<Filterbank> row_pass;  ///< with column_pass, where the bank separates
  std::optional<ColumnPass> column_pass;
  std::mutex mutex;
  std::list<std::shared_ptr<const Plan>> plans;  ///< the latest in front

  std::shared_ptr<const Plan> plan(const FilterbankShape& shape);
  Plan make_plan(const FilterbankShape& shape) const;
};

std::shared_ptr<const Filterbank::State::Plan> Filterbank::State::plan(const FilterbankShape& shape) {
  const std::lock_guard lock(mutex);
  for (auto at = plans.begin(); at != plans.end(); ++at)
    if ((*at)->shape == shape) {
      plans.splice(plans.begin(), plans, at);
      return plans.front();
    }
  plans.push_front(std::make_shared<const Plan>(make_plan(shape)));
  if (plans.size() > most_plans) plans.pop_back();
  return plans.front();
}

Filterbank::State::Plan Filterbank::State::make_plan(const FilterbankShape& shape) const {
  shape.check();
  const Device& device = stream.device();
  const FilterbankProblem problem{shape, options.epilogue, options.allow};
  Selection selection;
  if (forced) {
    const std::string objection = filterbank::space(device, problem).objection(*forced);
    if (!objection.empty()) throw UsageError(fmt::format("filterbank of {}: {}", shape.text(), objection));
    selection.configuration = *forced;
  } else {
    selection = select(device, filterbank::describe(device, shape, options.allow));
  }
  const Configuration& choice = selection.configuration;
  for (const auto& known : plans)  // images of another size may well need the bank in the same order
    if (known->selection.configuration == choice)
      return {shape, selection, PreparedFilterbank(stream, problem, choice, known->run.bank())};
  return {shape, selection, PreparedFilterbank(stream, problem, choice, weights)};
}

Filterbank::Filterbank(const Stream& stream, const Array& bank, FilterbankOptions options)
    : state_(std::make_shared<State>(stream, std::move(options))) {
  require_real(bank, "bank");
  State& state = *state_;
  if (bank.dimensions() != 3 && bank.dimensions() != 4)
    throw UsageError(fmt::format(
        "filterbank: a bank is [filter, y, x, channel] or [filter, y, x], not of {} dimensions", bank.dimensions()));
  if (bank.size() == 0) throw UsageError(fmt::format("filterbank: a bank of {} has no weights", extents(bank.shape())));
  const auto extent = [&](int d) { return static_cast<std::size_t>(bank.extent(d)); };
  state.filters = extent(0), state.filter_height = extent(1), state.filter_width = extent(2);
  state.channels = bank.dimensions() == 4 ? extent(3) : 1;
  if (state.options.stride_y == 0 || state.options.stride_x == 0)
    throw UsageError("filterbank: strides must be positive");
  state.options.epilogue.check(state.filters);
  state.weights = bank.astype(Dtype::f32).to_vector<float>();
  for (std::size_t k = 0; k < state.weights.size(); ++k)
    if (!std::isfinite(state.weights[k])) {
      const std::size_t c = k % state.channels, i = k / state.channels % state.filter_width;
      const std::size_t j = k / (state.channels * state.filter_width) % state.filter_height;
      throw InputError(
          fmt::format("filterbank: weight [{}, {}, {}, {}] (filter, y, x, channel) is {}; weights must be "
                      "finite",
                      k / (state.channels * state.filter_width * state.filter_height), j, i, c, state.weights[k]));
    }
  // A kernel takes a buffer even where it does not read it.
  const std::vector<float>& bias = state.options.epilogue.bias;
  state.bias = Buffer::from(stream, bias.empty() ? std::vector<float>(1) : bias);
  if (!state.options.allow_separation) return;
  const FilterbankShape bank_shape = shape(1, state.filter_height, state.filter_width);
  if (const auto factors = separate(bank_shape, state.weights)) {
    const Array rows = Array::from(stream, factors->rows,
                                   Shape{bank.extent(0), 1, bank.extent(2), static_cast<std::int64_t>(state.channels)});
    state.row_pass.emplace(
        stream, rows,
        FilterbankOptions{
            .stride_x = state.options.stride_x, .border = state.options.border, .allow = state.options.allow});
    state.column_pass.emplace(stream, FilterbankProblem{bank_shape, state.options.epilogue, state.options.allow},
                              factors->columns);
  }
}

FilterbankShape Filterbank::shape(std::size_t images, std::size_t height, std::size_t width) const {
  return {.images = images,
          .height = height,
          .width = width,
          .channels = state_->channels,
          .filters = state_->filters,
          .filter_height = state_->filter_height,
          .filter_width = state_->filter_width,
          .stride_y = state_->options.stride_y,
          .stride_x = state_->options.stride_x,
          .border = state_->options.border};
}

Array Filterbank::operator()(const Array& images) const {
  require_real(images, "images");
  const int dimensions = images.dimensions();
  const auto channels = static_cast<std::int64_t>(state_->channels);
  const bool has_channels = dimensions == 4 || (dimensions == 3 && (channels > 1 || images.extent(2) == 1));
  if (dimensions < 2 || dimensions > 4 || (dimensions == 2 && channels > 1))
    throw UsageError(fmt::format("filterbank: images are [image, y, x, channel], not {}, for a bank of {} channels",
                                 extents(images.shape()), channels));
  if (has_channels && images.extent(dimensions - 1) != channels)
    throw UsageError(fmt::format("filterbank: images of {} have {} channels but the filters have {}; they must agree",
                                 extents(images.shape()), images.extent(dimensions - 1), channels));
  const int spatial = has_channels ? dimensions - 3 : dimensions - 2;  // the axis of y
  const auto count = static_cast<std::size_t>(spatial == 0 ? 1 : images.extent(0));
  const auto problem = shape(count, static_cast<std::size_t>(images.extent(spatial)),
                             static_cast<std::size_t>(images.extent(spatial + 1)));
  problem.check();
  const Array here = images.stream() == state_->stream ? images : images.on(state_->stream);
  const Array source = (here.dtype() == Dtype::f32 ? here : here.astype(Dtype::f32)).contiguous();
  const auto extent = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  if (separates(count, problem.height, problem.width)) {
    const Array stack = source.reshape({extent(count), extent(problem.height), extent(problem.width), channels});
    return (*state_->column_pass)((*state_->row_pass)(stack), state_->bias);
  }
  const std::shared_ptr<const State::Plan> plan = state_->plan(problem);
  const Array responses = Array::empty(
      state_->stream,
      {extent(count), extent(problem.output_height()), extent(problem.output_width()), extent(problem.filters)},
      Dtype::f32);
  plan->run(state_->stream, source.buffer(), static_cast<std::size_t>(source.offset()), state_->bias,
            responses.buffer());
  return responses;
}

bool Filterbank::separates(std::size_t images, std::size_t height, std::size_t width) const {
  return state_->row_pass && !state_->forced && separation_pays(shape(images, height, width));
}

Selection Filterbank::selection(std::size_t images, std::size_t height, std::size_t width) const {
  if (separates(images, height, width)) return state_->row_pass->selection(images, height, width);
  return state_->plan(shape(images, height, width))->selection;
}

void Filterbank::use(const Configuration& configuration) {
  const std::lock_guard lock(state_->mutex);
  state_->forced = configuration;
  state_->plans.clear();
}

const FilterbankOptions& Filterbank::options() const {
  return state_->options;
}

const Stream& Filterbank::stream() const {
  return state_->stream;
}

}  // namespace rtcg::vision
