#include "vision/linear_training.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "rtcg/error.h"

namespace rtcg::vision {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index block_columns = 512;

double mean_squared_length(const MatrixXd& samples) {
  return (samples.rowwise() - samples.colwise().mean()).squaredNorm() / static_cast<double>(samples.rows());
}

/// The samples with a last column of ones, whose weight is the intercept.
MatrixXd with_ones(const MatrixXd& samples) {
  MatrixXd extended(samples.rows(), samples.cols() + 1);
  extended << samples, VectorXd::Ones(samples.rows());
  return extended;
}

MatrixXd solve_ridge(const MatrixXd& samples, const MatrixXd& targets, double penalty) {
  const auto n = static_cast<double>(samples.rows());
  const Eigen::RowVectorXd middle = samples.colwise().mean(), target_middle = targets.colwise().mean();
  const MatrixXd centred = samples.rowwise() - middle;
  MatrixXd normal = MatrixXd::Zero(samples.cols(), samples.cols());
  normal.selfadjointView<Eigen::Lower>().rankUpdate(centred.transpose(), 1 / n);
  normal.diagonal().array() += penalty;
  MatrixXd weights(samples.cols() + 1, targets.cols());
  weights.topRows(samples.cols()) =
      normal.selfadjointView<Eigen::Lower>().llt().solve(centred.transpose() * (targets.rowwise() - target_middle) / n);
  weights.bottomRows(1) = target_middle - middle * weights.topRows(samples.cols());
  return weights;
}

double hinge_objective(const VectorXd& margins, const VectorXd& weights, double penalty) {
  return (1 - margins.array()).max(0).square().sum() / static_cast<double>(margins.size()) +
         penalty * weights.head(weights.size() - 1).squaredNorm();
}

/// Newton's method on the squared hinge, which is quadratic between changes of the set of samples within the margin:
/// where a full step keeps that set, it has arrived. After Keerthi and DeCoste, "A modified finite Newton method for
/// fast solution of large scale linear SVMs", JMLR 6, 2005.
VectorXd solve_svm(const MatrixXd& extended, const VectorXd& target, double penalty) {
  const Index size = extended.cols();
  const auto n = static_cast<double>(extended.rows());
  VectorXd weights = VectorXd::Zero(size), margins = VectorXd::Zero(extended.rows());
  constexpr int most_steps = 200;
  for (int step = 0; step < most_steps; ++step) {
    std::vector<Index> within;
    for (Index k = 0; k < margins.size(); ++k)
      if (margins[k] < 1) within.push_back(k);
    if (within.empty()) break;
    const MatrixXd active = extended(within, Eigen::all);
    MatrixXd normal = MatrixXd::Zero(size, size);
    normal.selfadjointView<Eigen::Lower>().rankUpdate(active.transpose(), 1 / n);
    normal.diagonal().head(size - 1).array() += penalty;
    const VectorXd goal = normal.selfadjointView<Eigen::Lower>().llt().solve(active.transpose() * target(within) / n);
    const VectorXd direction = goal - weights, change = target.cwiseProduct(extended * direction);
    const double before = hinge_objective(margins, weights, penalty);
    double length = 1;
    while (length > 1e-10 && hinge_objective(margins + length * change, weights + length * direction, penalty) > before)
      length /= 2;
    const VectorXd next = margins + length * change;
    const bool kept = length == 1 && ((next.array() < 1) == (margins.array() < 1)).all();
    if (length <= 1e-10) break;  // as near as rounding allows
    weights += length * direction, margins = next;
    if (kept) break;
  }
  return weights;
}

}  // namespace

LinearTraining::LinearTraining(const FeatureTable& features, std::span<const std::size_t> rows)
    : features_(features), rows_(rows.begin(), rows.end()) {
  const auto columns = static_cast<Index>(features.columns), count = static_cast<Index>(rows.size());
  mean_ = VectorXd::Zero(columns), scale_ = VectorXd::Zero(columns);
  const auto row = [&](std::size_t k) {
    return Eigen::Map<const Eigen::VectorXf>(features.values.data() + k * features.columns, columns);
  };
  for (const std::size_t k : rows) {
    if (!row(k).allFinite()) throw NumericalError(fmt::format("features of sample {} are not finite", k));
    mean_ += row(k).cast<double>();
  }
  mean_ /= static_cast<double>(count);
  for (const std::size_t k : rows) scale_ += (row(k).cast<double>() - mean_).cwiseAbs2();
  bool varies = false;
  for (Index c = 0; c < columns; ++c) {
    const double deviation = std::sqrt(scale_[c] / static_cast<double>(count));
    // What is left of a constant by rounding the mean is no variation.
    const bool counts = deviation > 1e-12 * std::abs(mean_[c]);
    scale_[c] = counts ? 1 / deviation : 0;
    varies = varies || counts;
  }
  if (!varies) throw NumericalError("all features are constant: there is nothing to tell classes apart by");

  if (columns <= count) {
    coordinates_ = block(rows, 0, columns);
    return;
  }
  MatrixXd gram = MatrixXd::Zero(count, count);
  for (Index first = 0; first < columns; first += block_columns)
    gram.selfadjointView<Eigen::Lower>().rankUpdate(block(rows, first, std::min(block_columns, columns - first)));
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(gram);
  const VectorXd& values = eigen.eigenvalues();  // ascending
  const double least = 10 * static_cast<double>(count) * std::numeric_limits<double>::epsilon() * values[count - 1];
  Index rank = 0;
  while (rank < count && values[count - 1 - rank] > least) ++rank;
  const VectorXd roots = values.tail(rank).cwiseSqrt();
  to_coordinates_ = eigen.eigenvectors().rightCols(rank) * roots.cwiseInverse().asDiagonal();
  coordinates_ = eigen.eigenvectors().rightCols(rank) * roots.asDiagonal();
}

MatrixXd LinearTraining::block(std::span<const std::size_t> rows, Index first, Index count) const {
  MatrixXd values(static_cast<Index>(rows.size()), count);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const float* row = features_.values.data() + rows[k] * features_.columns + first;
    for (Index c = 0; c < count; ++c)
      values(static_cast<Index>(k), c) = (static_cast<double>(row[c]) - mean_[first + c]) * scale_[first + c];
  }
  return values;
}

MatrixXd LinearTraining::project(std::span<const std::size_t> rows) const {
  const Index columns = mean_.size();
  if (to_coordinates_.size() == 0) return block(rows, 0, columns);
  MatrixXd products = MatrixXd::Zero(static_cast<Index>(rows.size()), static_cast<Index>(rows_.size()));
  for (Index first = 0; first < columns; first += block_columns) {
    const Index count = std::min(block_columns, columns - first);
    products.noalias() += block(rows, first, count) * block(rows_, first, count).transpose();
  }
  return products * to_coordinates_;
}

MatrixXd LinearTraining::lift(const MatrixXd& weights) const {
  if (to_coordinates_.size() == 0) return scale_.asDiagonal() * weights;
  const Index columns = mean_.size();
  const MatrixXd of_samples = to_coordinates_ * weights;
  MatrixXd lifted(columns, weights.cols());
  for (Index first = 0; first < columns; first += block_columns) {
    const Index count = std::min(block_columns, columns - first);
    lifted.middleRows(first, count) = block(rows_, first, count).transpose() * of_samples;
  }
  return scale_.asDiagonal() * lifted;
}

MatrixXd solve_classes(const MatrixXd& samples, std::span<const std::size_t> classes, std::size_t count,
                       const ClassifierOptions& options) {
  if (!(options.strength > 0) || !std::isfinite(options.strength))
    throw UsageError(fmt::format("strength {} of a classifier: expected a number above 0", options.strength));
  // Of two classes the one is the other's opposite.
  const Index columns = count == 2 ? 1 : static_cast<Index>(count);
  MatrixXd targets = MatrixXd::Constant(samples.rows(), columns, -1);
  for (Index k = 0; k < samples.rows(); ++k) {
    const auto own = static_cast<Index>(classes[static_cast<std::size_t>(k)]);
    if (own < columns) targets(k, own) = 1;
  }
  const double penalty = options.strength * mean_squared_length(samples);
  if (!(penalty > 0)) throw NumericalError("all samples are alike: there is nothing to tell classes apart by");
  MatrixXd weights(samples.cols() + 1, columns);
  if (options.kind == ClassifierKind::ridge) {
    weights = solve_ridge(samples, targets, penalty);
  } else {
    const MatrixXd extended = with_ones(samples);
    for (Index c = 0; c < columns; ++c) weights.col(c) = solve_svm(extended, targets.col(c), penalty);
  }
  if (count != 2) return weights;
  MatrixXd both(weights.rows(), 2);
  both << weights, -weights;
  return both;
}

std::vector<std::size_t> classify(const MatrixXd& samples, const MatrixXd& weights) {
  const MatrixXd scores = (samples * weights.topRows(samples.cols())).rowwise() + weights.row(samples.cols());
  std::vector<std::size_t> best(static_cast<std::size_t>(samples.rows()));
  for (Index k = 0; k < samples.rows(); ++k) {
    Index at = 0;
    scores.row(k).maxCoeff(&at);
    best[static_cast<std::size_t>(k)] = static_cast<std::size_t>(at);
  }
  return best;
}

}  // namespace rtcg::vision
