// Nested cross-validation: how well a linear classifier does on samples that had no part in fitting it, in
// standardising the features, or in choosing how strongly it is regularised. Each outer fold is classified by a fit to
// the others, with the strength that did best over inner folds within these. Folds have the classes in equal shares.
#pragma once

#include <cstdint>

#include "vision/classifier.h"

namespace rtcg::vision {

struct CrossValidationOptions {
  ClassifierKind kind = ClassifierKind::ridge;
  std::size_t folds = 5, inner_folds = 4;
  std::vector<double> strengths{1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100};
  std::uint64_t seed = 1;  ///< of which sample is in which fold
};

struct CrossValidation {
  double accuracy = 0;  ///< mean over the outer folds of the share classified right
  double spread = 0;    ///< standard deviation over the outer folds
  double chance = 0;    ///< share of the largest class: what always naming it would give
  std::vector<double> fold_accuracies, fold_strengths;
};

/// The fold of each sample: the classes in turn, shuffled, dealt out one by one. The same for the same seed, on every
/// machine.
std::vector<std::size_t> stratified_folds(std::span<const std::size_t> classes, std::size_t folds, std::uint64_t seed);

/// UsageError for options that make no sense or classes that have too few samples for the folds (named by their
/// number); NumericalError as for LinearClassifier.
void check_folds(std::span<const std::size_t> classes, const CrossValidationOptions& options);
CrossValidation cross_validate(const FeatureTable& features, std::span<const std::size_t> classes,
                               const CrossValidationOptions& options = {});

}  // namespace rtcg::vision
