#include "rtcg/array/segmented_tuning.h"

#include <algorithm>

#include "rtcg/array/expression_trial.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/array/segmented.h"
#include "rtcg/error.h"
#include "rtcg/tune/choice.h"

namespace rtcg {

namespace {

constexpr const char* family = "segmented_reduce";
constexpr unsigned group_items = 256;

struct Problem {
  std::size_t value_bytes = 4;
  double rows = 1, mean = 1;

  std::int64_t row_count() const { return static_cast<std::int64_t>(rows); }
  std::int64_t elements() const { return static_cast<std::int64_t>(rows * mean); }
};

unsigned read(const Configuration& configuration) {
  return static_cast<unsigned>(configuration.integer("team"));
}

Tunable describe(const Problem& problem) {
  Tunable tunable;
  tunable.family = family;
  tunable.traits = {{"value_bytes", std::to_string(problem.value_bytes)}};
  tunable.sizes = {{"rows", problem.rows}, {"mean", problem.mean}};
  // Items of a warp exchange their sums; more of them are the whole group.
  tunable.space.parameter("team", integers({1, 2, 4, 8, 16, 32, 256}),
                          std::int64_t{standard_team(problem.elements(), problem.row_count())});
  tunable.demand = [problem](const Configuration&) { return Demand{group_items, group_items * problem.value_bytes}; };
  tunable.trial = [problem](const Stream& stream) {
    const std::int64_t rows = problem.row_count(), elements = problem.elements();
    auto numbers = std::make_shared<WholeNumbers>(static_cast<std::size_t>(elements), 9);
    // Lengths from none to twice the mean, in turn.
    auto starts = std::make_shared<std::vector<std::int32_t>>();
    const auto turn = static_cast<std::int64_t>(2 * problem.mean) + 1;
    std::int64_t start = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      starts->push_back(static_cast<std::int32_t>(start));
      start = std::min(elements, start + row * 7919 % turn);
    }
    starts->push_back(static_cast<std::int32_t>(elements));
    const Array values = numbers->on(stream, problem.value_bytes == 8 ? Dtype::f64 : Dtype::f32, {elements});
    return expression_trial(stream, family, segmented_reduce(plus, values, Array::from(stream, *starts)),
                            [numbers, starts] {
                              std::vector<double> sums(starts->size() - 1);
                              for (std::size_t row = 0; row < sums.size(); ++row)
                                for (auto k = static_cast<std::size_t>((*starts)[row]);
                                     k < static_cast<std::size_t>((*starts)[row + 1]); ++k)
                                  sums[row] += numbers->values[k];
                              return sums;
                            });
  };
  tunable.work = problem.rows * problem.mean;
  tunable.unit = "element";
  return tunable;
}

}  // namespace

/// Measured on an H200 with rows of 3 to 6000 elements, columns near the diagonal and anywhere: four elements or more
/// for each item, a warp from 64 elements on; a whole group where a warp would walk a row for many turns.
unsigned standard_team(std::int64_t elements, std::int64_t rows) {
  const std::int64_t mean = elements / std::max<std::int64_t>(1, rows);
  if (mean >= 1000) return group_items;
  if (mean >= 64) return 32;
  unsigned team = 1;
  while (team < 32 && 8 * team <= mean) team *= 2;
  return team;
}

unsigned tuned_team(const Device& device, std::size_t value_bytes, std::int64_t elements, std::int64_t rows) {
  static auto* const choices = new Choices<unsigned>(family);
  if (loop_shape(device) == LoopShape::cpu || (value_bytes != 4 && value_bytes != 8) || rows == 0) return 0;
  const unsigned row_class = size_class(static_cast<double>(rows)),
                 mean_class = size_class(static_cast<double>(elements) / static_cast<double>(rows));
  return choices
      ->find(
          device, row_class | std::uint64_t{mean_class} << 6 | std::uint64_t{value_bytes} << 12,
          [&] {
            return describe({value_bytes, size_of_class(row_class), size_of_class(mean_class)});
          },
          read)
      .value_or(0);
}

TunableFamily segmented_reduce_family() {
  TunableFamily result;
  result.name = family;
  result.meaning = "sums of rows of different lengths: items that share a row (GPU loops)";
  result.traits = {{"value_bytes", "bytes of a value, 4: float32, 8: float64", {"4", "8"}}};
  result.sizes = {{"rows", "rows", 1 << 20}, {"mean", "mean length of a row", 8}};
  result.describe = [](const Device&, const TunableFamily::Traits& traits, const TunableFamily::Sizes& sizes) {
    const auto rounded = [&](const char* name) { return size_of_class(size_class(sizes.at(name))); };
    if (rounded("rows") * rounded("mean") >= 0x1p31)
      throw UsageError("segmented_reduce: rows times mean is 2^31 or more, which indices of 32 bits do not reach");
    return describe({std::stoul(traits.at("value_bytes")), rounded("rows"), rounded("mean")});
  };
  return result;
}

}  // namespace rtcg
