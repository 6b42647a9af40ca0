#include "vision/classifier.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "vision/linear_training.h"

namespace rtcg::vision {

std::string_view name_of(ClassifierKind kind) {
  return kind == ClassifierKind::ridge ? "ridge" : "svm";
}

ClassifierKind parse_classifier(std::string_view name) {
  for (const ClassifierKind kind : {ClassifierKind::ridge, ClassifierKind::svm})
    if (name == name_of(kind)) return kind;
  throw UsageError(fmt::format("there is no classifier '{}': expected ridge or svm", name));
}

LinearClassifier::LinearClassifier(const FeatureTable& features, std::span<const std::size_t> classes,
                                   const ClassifierOptions& options)
    : columns_(features.columns) {
  if (features.rows != classes.size() || features.values.size() != features.rows * features.columns ||
      features.values.empty())
    throw UsageError(fmt::format("{} classes for {} samples of {} features in {} values", classes.size(), features.rows,
                                 features.columns, features.values.size()));
  const std::size_t count = *std::max_element(classes.begin(), classes.end()) + 1;
  if (std::all_of(classes.begin(), classes.end(), [&](std::size_t c) { return c == classes[0]; }))
    throw UsageError("all samples are of one class: there is nothing to tell apart");
  std::vector<std::size_t> rows(features.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const LinearTraining training(features, rows);
  const Eigen::MatrixXd solution = solve_classes(training.coordinates(), classes, count, options);
  const Eigen::MatrixXd lifted = training.lift(solution.topRows(solution.rows() - 1));
  const Eigen::RowVectorXd intercepts = solution.bottomRows(1) - training.mean().transpose() * lifted;
  weights_.assign(lifted.data(), lifted.data() + lifted.size());  // columns of classes, one after the other
  intercepts_.assign(intercepts.data(), intercepts.data() + intercepts.size());
}

std::vector<double> LinearClassifier::scores(const FeatureTable& features) const {
  if (features.columns != columns_ || features.values.size() != features.rows * features.columns)
    throw UsageError(fmt::format("{} features; the classifier was fitted to {}", features.columns, columns_));
  std::vector<double> scores;
  scores.reserve(features.rows * classes());
  for (std::size_t k = 0; k < features.rows; ++k)
    for (std::size_t c = 0; c < classes(); ++c)
      scores.push_back(std::inner_product(weights_.begin() + static_cast<std::ptrdiff_t>(c * columns_),
                                          weights_.begin() + static_cast<std::ptrdiff_t>((c + 1) * columns_),
                                          features.values.begin() + static_cast<std::ptrdiff_t>(k * columns_),
                                          intercepts_[c]));
  return scores;
}

std::vector<std::size_t> LinearClassifier::predict(const FeatureTable& features) const {
  const std::vector<double> all = scores(features);
  std::vector<std::size_t> best;
  for (std::size_t k = 0; k < features.rows; ++k) {
    const auto row = all.begin() + static_cast<std::ptrdiff_t>(k * classes());
    best.push_back(static_cast<std::size_t>(std::max_element(row, row + static_cast<std::ptrdiff_t>(classes())) - row));
  }
  return best;
}

}  // namespace rtcg::vision
