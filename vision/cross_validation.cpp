#include "vision/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "vision/linear_training.h"

namespace rtcg::vision {

namespace {

std::vector<std::size_t> class_sizes(std::span<const std::size_t> classes) {
  std::vector<std::size_t> sizes;
  for (const std::size_t c : classes) {
    if (c >= sizes.size()) sizes.resize(c + 1);
    ++sizes[c];
  }
  return sizes;
}

/// The numbers of the samples in the fold, or of those outside of it.
std::vector<Eigen::Index> members(std::span<const std::size_t> folds, std::size_t fold, bool inside) {
  std::vector<Eigen::Index> found;
  for (std::size_t k = 0; k < folds.size(); ++k)
    if ((folds[k] == fold) == inside) found.push_back(static_cast<Eigen::Index>(k));
  return found;
}

template <class Index>
std::vector<std::size_t> picked(std::span<const std::size_t> values, const std::vector<Index>& which) {
  std::vector<std::size_t> found;
  for (const Index k : which) found.push_back(values[static_cast<std::size_t>(k)]);
  return found;
}

std::size_t agreements(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  return static_cast<std::size_t>(
      std::inner_product(a.begin(), a.end(), b.begin(), 0, std::plus<>(), std::equal_to<>()));
}

/// The strength that classifies most of these samples right over inner folds, of equals the largest.
double choose_strength(const Eigen::MatrixXd& samples, const std::vector<std::size_t>& classes, std::size_t count,
                       const CrossValidationOptions& options) {
  if (options.strengths.size() == 1) return options.strengths[0];
  const std::vector<std::size_t> sizes = class_sizes(classes);
  const std::size_t folds = std::min(options.inner_folds, *std::min_element(sizes.begin(), sizes.end()));
  const std::vector<std::size_t> fold_of = stratified_folds(classes, folds, options.seed + 1);
  std::vector<std::size_t> right(options.strengths.size());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const auto train = members(fold_of, fold, false), test = members(fold_of, fold, true);
    const Eigen::MatrixXd fitted = samples(train, Eigen::all), held = samples(test, Eigen::all);
    const auto fitted_classes = picked(classes, train), held_classes = picked(classes, test);
    for (std::size_t s = 0; s < right.size(); ++s)
      right[s] +=
          agreements(classify(held, solve_classes(fitted, fitted_classes, count, {options.kind, options.strengths[s]})),
                     held_classes);
  }
  std::size_t best = 0;
  for (std::size_t s = 1; s < right.size(); ++s)
    if (right[s] > right[best] || (right[s] == right[best] && options.strengths[s] > options.strengths[best])) best = s;
  return options.strengths[best];
}

}  // namespace

std::vector<std::size_t> stratified_folds(std::span<const std::size_t> classes, std::size_t folds, std::uint64_t seed) {
  std::mt19937_64 words(seed);
  std::vector<std::size_t> order(classes.size()), fold_of(classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[words() % k]);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return classes[a] < classes[b]; });
  for (std::size_t k = 0; k < order.size(); ++k) fold_of[order[k]] = k % folds;
  return fold_of;
}

void check_folds(std::span<const std::size_t> classes, const CrossValidationOptions& options) {
  if (options.folds < 2 || options.inner_folds < 2)
    throw UsageError(fmt::format("cross-validation with {} folds and {} inner ones: expected at least 2", options.folds,
                                 options.inner_folds));
  if (options.strengths.empty()) throw UsageError("cross-validation without a strength to choose");
  const std::vector<std::size_t> sizes = class_sizes(classes);
  if (sizes.size() < 2) throw UsageError("all samples are of one class: there is nothing to tell apart");
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    const std::size_t fitted = sizes[c] - (sizes[c] + options.folds - 1) / options.folds;
    if (sizes[c] < options.folds || fitted < 2)
      throw UsageError(fmt::format("class {} has {} samples: {} folds with folds inside them need at least {}", c,
                                   sizes[c], options.folds, std::max<std::size_t>(options.folds, 4)));
  }
}

CrossValidation cross_validate(const FeatureTable& features, std::span<const std::size_t> classes,
                               const CrossValidationOptions& options) {
  if (features.rows != classes.size() || features.values.size() != features.rows * features.columns)
    throw UsageError(fmt::format("{} classes for {} samples of {} features in {} values", classes.size(), features.rows,
                                 features.columns, features.values.size()));
  check_folds(classes, options);
  const std::vector<std::size_t> sizes = class_sizes(classes);
  const std::vector<std::size_t> fold_of = stratified_folds(classes, options.folds, options.seed);
  CrossValidation result;
  result.chance =
      static_cast<double>(*std::max_element(sizes.begin(), sizes.end())) / static_cast<double>(classes.size());
  for (std::size_t fold = 0; fold < options.folds; ++fold) {
    const auto train_places = members(fold_of, fold, false), test_places = members(fold_of, fold, true);
    const std::vector<std::size_t> train(train_places.begin(), train_places.end()),
        test(test_places.begin(), test_places.end());
    const LinearTraining training(features, train);
    const std::vector<std::size_t> train_classes = picked(classes, train);
    const double strength = choose_strength(training.coordinates(), train_classes, sizes.size(), options);
    const Eigen::MatrixXd weights =
        solve_classes(training.coordinates(), train_classes, sizes.size(), {options.kind, strength});
    const Eigen::MatrixXd held = training.project(test);
    if (!held.allFinite()) throw NumericalError("features are not finite");
    result.fold_accuracies.push_back(static_cast<double>(agreements(classify(held, weights), picked(classes, test))) /
                                     static_cast<double>(test.size()));
    result.fold_strengths.push_back(strength);
  }
  const auto n = static_cast<double>(options.folds);
  for (const double a : result.fold_accuracies) result.accuracy += a / n;
  for (const double a : result.fold_accuracies)
    result.spread += (a - result.accuracy) * (a - result.accuracy) / (n - 1);
  result.spread = std::sqrt(result.spread);
  return result;
}

}  // namespace rtcg::vision
