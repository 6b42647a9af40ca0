#include "vision/classifier.h"

#include <Eigen/Dense>
#include <random>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::vision {
namespace {

struct Samples {
  std::size_t rows, columns;
  std::vector<float> values;
  std::vector<std::size_t> classes;
  FeatureTable table() const { return {values, rows, columns}; }
};

/// Gaussian, with a class every `classes` rows whose mean differs by `distance` in one column of its own.
Samples gaussian(std::size_t rows, std::size_t columns, std::size_t classes, double distance, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Samples samples{rows, columns, {}, {}};
  for (std::size_t k = 0; k < rows; ++k) {
    samples.classes.push_back(k % classes);
    for (std::size_t c = 0; c < columns; ++c)
      samples.values.push_back(static_cast<float>(
          (1.0 + static_cast<double>(c)) * (normal(random) + (c == k % classes ? distance : 0)) + 3));
  }
  return samples;
}

/// Standardised samples in double precision.
Eigen::MatrixXd standardised(const Samples& samples) {
  Eigen::MatrixXd x(samples.rows, samples.columns);
  for (std::size_t k = 0; k < samples.rows; ++k)
    for (std::size_t c = 0; c < samples.columns; ++c)
      x(static_cast<int>(k), static_cast<int>(c)) = samples.values[k * samples.columns + c];
  x.rowwise() -= x.colwise().mean().eval();
  for (int c = 0; c < x.cols(); ++c) x.col(c) /= std::sqrt(x.col(c).squaredNorm() / static_cast<double>(x.rows()));
  return x;
}

Eigen::VectorXd targets(const Samples& samples, std::size_t of) {
  Eigen::VectorXd y(samples.rows);
  for (std::size_t k = 0; k < samples.rows; ++k) y[static_cast<int>(k)] = samples.classes[k] == of ? 1 : -1;
  return y;
}

Eigen::VectorXd column(const std::vector<double>& scores, std::size_t classes, std::size_t of) {
  Eigen::VectorXd found(scores.size() / classes);
  for (int k = 0; k < found.size(); ++k) found[k] = scores[static_cast<std::size_t>(k) * classes + of];
  return found;
}

// Both shapes: more samples than features and, through the Gram matrix, fewer.
TEST(ClassifierTest, RidgeIsTheClosedForm) {
  for (const std::size_t columns : {7u, 90u})
    for (const double strength : {1e-3, 0.1, 10.0}) {
      const Samples samples = gaussian(40, columns, 3, 1.5, 1);
      const Eigen::MatrixXd x = standardised(samples);
      const double n = 40, penalty = strength * x.squaredNorm() / n;
      const LinearClassifier classifier(samples.table(), samples.classes, {ClassifierKind::ridge, strength});
      const std::vector<double> scores = classifier.scores(samples.table());
      for (std::size_t c = 0; c < 3; ++c) {
        const Eigen::VectorXd y = targets(samples, c);
        // With centred samples the intercept is the mean target. In the form of the features' covariance, by LU.
        const Eigen::MatrixXd normal = x.transpose() * x / n + penalty * Eigen::MatrixXd::Identity(x.cols(), x.cols());
        const Eigen::VectorXd weights =
            normal.partialPivLu().solve(x.transpose() * (y.array() - y.mean()).matrix() / n);
        const Eigen::VectorXd expected = (x * weights).array() + y.mean();
        EXPECT_LT((column(scores, 3, c) - expected).norm(), 1e-8 * expected.norm()) << columns << " " << strength;
      }
    }
}

// At the minimum the gradient vanishes; the objective is convex, so that nothing else can pass.
TEST(ClassifierTest, SupportVectorMachineIsAtTheMinimumOfItsObjective) {
  for (const std::size_t columns : {5u, 80u})
    for (const double strength : {1e-3, 0.1, 10.0}) {
      const Samples samples = gaussian(50, columns, 2, 0.8, 2);
      const Eigen::MatrixXd x = standardised(samples);
      const double n = 50, penalty = strength * x.squaredNorm() / n;
      const LinearClassifier classifier(samples.table(), samples.classes, {ClassifierKind::svm, strength});
      const std::vector<double> scores = classifier.scores(samples.table());
      const Eigen::VectorXd y = targets(samples, 1), f = column(scores, 2, 1);
      EXPECT_LT((f + column(scores, 2, 0)).norm(), 1e-9);
      const Eigen::VectorXd loss = (1 - (y.array() * f.array())).max(0).matrix();
      // penalty w = x' (y loss) / n: so scores must be those of these weights, and the intercept's gradient is zero.
      const Eigen::VectorXd weights = x.transpose() * y.cwiseProduct(loss) / (n * penalty);
      EXPECT_NEAR(y.dot(loss) / n, 0, 1e-8);
      const Eigen::VectorXd rest = f - x * weights;
      EXPECT_LT((rest.array() - rest.mean()).matrix().norm(), 1e-6 * std::max(1.0, f.norm()))
          << columns << " " << strength;
    }
}

TEST(ClassifierTest, SeparatesWhatIsSeparableWhateverTheScales) {
  for (const ClassifierKind kind : {ClassifierKind::ridge, ClassifierKind::svm})
    for (const std::size_t classes : {2u, 4u}) {
      const Samples samples = gaussian(80, 6, classes, 12, 3), others = gaussian(60, 6, classes, 12, 4);
      const LinearClassifier classifier(samples.table(), samples.classes, {kind, 1e-3});
      EXPECT_EQ(classifier.predict(samples.table()), samples.classes);
      EXPECT_EQ(classifier.predict(others.table()), others.classes);
    }
}

TEST(ClassifierTest, ConstantFeaturesDoNotCount) {
  Samples samples = gaussian(30, 3, 2, 2, 5), wider{30, 4, {}, samples.classes};
  for (std::size_t k = 0; k < 30; ++k) {
    for (std::size_t c = 0; c < 3; ++c) wider.values.push_back(samples.values[3 * k + c]);
    wider.values.push_back(0.1f);
  }
  const LinearClassifier narrow(samples.table(), samples.classes), wide(wider.table(), wider.classes);
  const std::vector<double> a = narrow.scores(samples.table()), b = wide.scores(wider.table());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9);
}

TEST(ClassifierTest, BadInputIsRefused) {
  Samples samples = gaussian(12, 3, 2, 2, 6);
  const auto fit = [&](ClassifierOptions options = {}) {
    return LinearClassifier(samples.table(), samples.classes, options);
  };
  EXPECT_MESSAGE(UsageError, "fitted to 3", fit().scores({std::span(samples.values).first(4), 2, 2}));
  EXPECT_MESSAGE(UsageError, "strength", fit({ClassifierKind::svm, 0}));
  EXPECT_MESSAGE(UsageError, "ridge or svm", parse_classifier("forest"));
  EXPECT_EQ(parse_classifier("svm"), ClassifierKind::svm);
  const std::vector<float> values = samples.values;
  samples.values[7] = NAN;
  EXPECT_MESSAGE(NumericalError, "sample 2", fit());
  samples.values.assign(36, 0.1f);
  EXPECT_MESSAGE(NumericalError, "constant", fit());
  samples.values = values, samples.classes.assign(12, 1);
  EXPECT_MESSAGE(UsageError, "one class", fit());
  samples.classes.pop_back();
  EXPECT_MESSAGE(UsageError, "11 classes for 12 samples", fit());
}

}  // namespace
}  // namespace rtcg::vision
