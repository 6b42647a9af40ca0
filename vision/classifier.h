// Linear classifiers on features: ridge regression in closed form and the support vector machine with squared hinge
// loss, one against the rest where there are more than two classes. With y = 1 for samples of the class and -1 for the
// others, n samples and s their mean squared length after standardising, each class has the w and b that minimise
//
//   ridge:  sum (y - w x - b)^2 / n             + strength s |w|^2
//   svm:    sum max(0, 1 - y (w x + b))^2 / n   + strength s |w|^2
//
// Features are standardised with the mean and deviation of the samples fitted to, and of no others; those that are
// constant there do not count.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace rtcg::vision {

/// Rows are samples, in C order; does not own them.
struct FeatureTable {
  std::span<const float> values;
  std::size_t rows = 0, columns = 0;
};

enum class ClassifierKind { ridge, svm };
std::string_view name_of(ClassifierKind kind);
/// UsageError listing the names there are.
ClassifierKind parse_classifier(std::string_view name);

struct ClassifierOptions {
  ClassifierKind kind = ClassifierKind::ridge;
  double strength = 0.01;  ///< of the regularisation, > 0
};

class LinearClassifier {
 public:
  /// `classes` has one number from 0 for each row. UsageError for sizes that do not agree or a single class,
  /// NumericalError for features that are not finite or all constant.
  LinearClassifier(const FeatureTable& features, std::span<const std::size_t> classes,
                   const ClassifierOptions& options = {});

  std::size_t classes() const { return intercepts_.size(); }
  /// [row, class]: w x + b. UsageError for another number of columns.
  std::vector<double> scores(const FeatureTable& features) const;
  /// The class of the largest score, the first of equals.
  std::vector<std::size_t> predict(const FeatureTable& features) const;

 private:
  std::size_t columns_ = 0;
  std::vector<double> weights_;  ///< [class, column], of the features as they are
  std::vector<double> intercepts_;
};

}  // namespace rtcg::vision
