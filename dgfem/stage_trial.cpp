#include "dgfem/stage_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "dgfem/formula_rate.h"
#include "dgfem/mesh/box.h"
#include "dgfem/stage_variants.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

constexpr double step = 1e-6, weight = 0.5;

std::shared_ptr<const Discretization> periodic_box(std::shared_ptr<const System> system, ElementType type, int order,
                                                   std::size_t elements) {
  const int dimension = dimension_of(type);
  const double cells = std::pow(static_cast<double>(elements) / (dimension == 2 ? 2 : 6), 1.0 / dimension);
  const auto count = std::max(3, static_cast<std::int32_t>(std::lround(cells)));
  Problem problem;
  problem.mesh = box_mesh({.type = type, .cells = {count, count, count}, .periodic = {true, true, dimension == 3}});
  problem.system = std::move(system);
  problem.order = order;
  return std::make_shared<const Discretization>(problem);
}

}  // namespace

StageTrial::StageTrial(const Stream& stream, std::shared_ptr<const System> system, ElementType type, int order,
                       ScalarType precision, std::size_t elements)
    : mesh_(periodic_box(std::move(system), type, order, elements)),
      data_(std::make_shared<const StageData>(stream, mesh_, precision)),
      next_(stream, "new fields", data_->state_bytes(), precision),
      residual_(stream, "residuals", data_->state_bytes(), precision) {
  // A density and an energy first and last, small momenta between them, for gases; any state will do for the rest.
  const auto fields = static_cast<std::size_t>(mesh_->fields());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-0.1, 0.1);
  start_.resize(data_->state_bytes() / data_->real_size());
  for (std::size_t i = 0; i < start_.size(); ++i) {
    const std::size_t f = i % fields;
    start_[i] = (f == 0 ? 1.0 : f == fields - 1 ? 3.0 : 0.0) + any(random);
    if (precision == ScalarType::f32) start_[i] = static_cast<float>(start_[i]);
  }
  q_ = data_->upload(start_);
  constexpr std::size_t few = 8;
  for (std::size_t k = 0; k < few; ++k) sample_.push_back(k * (mesh_->size() - 1) / (few - 1));
}

std::function<void()> StageTrial::prepare(const Configuration& configuration) {
  const std::shared_ptr<StageKernel> kernel = make_stage(data_, configuration);
  // The first execution finds no residual; those that are timed read one, as four of five stages do.
  return [this, kernel, first = true]() mutable {
    (*kernel)({q_, next_.buffer(), residual_.buffer()}, {first ? 0.0 : -weight, weight, step, 0}, 0, mesh_->size());
    first = false;
  };
}

std::vector<double> StageTrial::row_of(const Buffer& buffer, std::size_t element) const {
  const std::size_t width = row_size();
  std::vector<double> values(width);
  if (data_->precision == ScalarType::f64) {
    buffer.read(values.data(), width * sizeof(double), element * width * sizeof(double));
  } else {
    std::vector<float> single(width);
    buffer.read(single.data(), width * sizeof(float), element * width * sizeof(float));
    std::copy(single.begin(), single.end(), values.begin());
  }
  return values;
}

void StageTrial::check() {
  const std::size_t width = row_size();
  const auto started = [&](std::size_t element) {
    const auto from = start_.begin() + static_cast<std::ptrdiff_t>(element * width);
    return std::vector<double>(from, from + static_cast<std::ptrdiff_t>(width));
  };
  if (expected_.empty()) {
    const FormulaRate rate(mesh_);
    for (const std::size_t element : sample_) expected_.push_back(rate(element, started));
  }
  const double rounding = data_->precision == ScalarType::f64 ? 0x1p-53 : 0x1p-24;
  double largest = 0;
  for (const auto& rates : expected_)
    for (const double rate : rates) largest = std::max(largest, std::abs(rate));
  for (std::size_t k = 0; k < sample_.size(); ++k) {
    const std::vector<double> residual = row_of(residual_.buffer(), sample_[k]),
                              next = row_of(next_.buffer(), sample_[k]);
    const std::vector<double> before = started(sample_[k]);
    for (std::size_t i = 0; i < width; ++i) {
      const double change = step * expected_[k][i];
      if (!(std::abs(residual[i] - change) <= 256 * rounding * step * largest))
        throw NumericalError(fmt::format("element {}, value {}: the residual is {:.9g} instead of {:.9g}", sample_[k],
                                         i, residual[i], change));
      const double wanted = before[i] + weight * residual[i];
      if (!(std::abs(next[i] - wanted) <= 4 * rounding * (std::abs(wanted) + std::abs(residual[i]))))
        throw NumericalError(fmt::format("element {}, value {}: the new field is {:.9g} instead of {:.9g}", sample_[k],
                                         i, next[i], wanted));
    }
  }
}

}  // namespace rtcg::dgfem
