// What classifiers are fitted to: standardised samples in coordinates of which there are never more than samples.
// Where features outnumber samples, the coordinates come from the eigenvectors of the samples' Gram matrix; they keep
// all inner products, and with them every solution of a problem that is regularised by |w|^2. Included by .cpp files
// only.
#pragma once

#include <Eigen/Dense>
#include <span>

#include "vision/classifier.h"

namespace rtcg::vision {

class LinearTraining {
 public:
  /// Standardises with these rows of the table. NumericalError for values that are not finite, or all constant.
  LinearTraining(const FeatureTable& features, std::span<const std::size_t> rows);

  /// [sample, coordinate] of the rows fitted to, in their order.
  const Eigen::MatrixXd& coordinates() const { return coordinates_; }
  /// Of other rows of the same table.
  Eigen::MatrixXd project(std::span<const std::size_t> rows) const;
  /// Weights of coordinates [coordinate, class] as weights of the features as they are [feature, class].
  Eigen::MatrixXd lift(const Eigen::MatrixXd& weights) const;
  const Eigen::VectorXd& mean() const { return mean_; }

 private:
  /// Columns [first, first + count) of the rows, standardised.
  Eigen::MatrixXd block(std::span<const std::size_t> rows, Eigen::Index first, Eigen::Index count) const;

  FeatureTable features_;
  std::vector<std::size_t> rows_;
  Eigen::VectorXd mean_, scale_;    ///< scale: 1 / deviation, 0 for constant features
  Eigen::MatrixXd to_coordinates_;  ///< [sample, coordinate], after the Gram matrix; empty: coordinates are features
  Eigen::MatrixXd coordinates_;
};

/// One column for each class: its weights and, in the last row, its intercept.
Eigen::MatrixXd solve_classes(const Eigen::MatrixXd& samples, std::span<const std::size_t> classes, std::size_t count,
                              const ClassifierOptions& options);
/// The class of the largest score of each sample.
std::vector<std::size_t> classify(const Eigen::MatrixXd& samples, const Eigen::MatrixXd& weights);

}  // namespace rtcg::vision
