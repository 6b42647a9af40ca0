#include "vision/cross_validation.h"

#include <algorithm>
#include <random>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::vision {
namespace {

std::vector<float> noise(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& v : values) v = normal(random);
  return values;
}

std::vector<std::size_t> in_turn(std::size_t count, std::size_t classes) {
  std::vector<std::size_t> found(count);
  for (std::size_t k = 0; k < count; ++k) found[k] = k % classes;
  return found;
}

TEST(CrossValidationTest, FoldsHaveTheClassesInEqualShares) {
  std::vector<std::size_t> classes(10, 0);
  classes.insert(classes.end(), 23, 1), classes.insert(classes.end(), 7, 2);
  for (const std::size_t folds : {2u, 3u, 5u}) {
    const std::vector<std::size_t> fold_of = stratified_folds(classes, folds, 4);
    for (std::size_t c = 0; c < 3; ++c) {
      std::vector<std::size_t> count(folds);
      for (std::size_t k = 0; k < classes.size(); ++k)
        if (classes[k] == c) ++count.at(fold_of[k]);
      const auto [least, most] = std::minmax_element(count.begin(), count.end());
      EXPECT_LE(*most - *least, 1u);
    }
    EXPECT_EQ(stratified_folds(classes, folds, 4), fold_of);
    EXPECT_NE(stratified_folds(classes, folds, 5), fold_of);
  }
}

TEST(CrossValidationTest, SeparableSamplesAreAllRightAndNoiseIsChance) {
  for (const ClassifierKind kind : {ClassifierKind::ridge, ClassifierKind::svm}) {
    const std::vector<std::size_t> classes = in_turn(120, 2);
    std::vector<float> values = noise(120 * 200, 1);
    const CrossValidation chance = cross_validate({values, 120, 200}, classes, {.kind = kind});
    EXPECT_NEAR(chance.accuracy, 0.5, 0.14);  // three standard deviations of 120 coins
    EXPECT_DOUBLE_EQ(chance.chance, 0.5);
    for (std::size_t k = 0; k < 120; ++k) values[200 * k + 17] += classes[k] == 0 ? -40.f : 40.f;
    for (std::size_t k = 0; k < 120; ++k)
      for (std::size_t c = 0; c < 40; ++c) values[200 * k + 60 + c] += classes[k] == 0 ? -2.f : 2.f;
    const CrossValidation right = cross_validate({values, 120, 200}, classes, {.kind = kind});
    EXPECT_EQ(right.accuracy, 1);
    EXPECT_EQ(right.spread, 0);
    EXPECT_EQ(right.fold_accuracies.size(), 5u);
  }
}

// A feature that has been made to fit the labels by looking at all samples would show here; over many draws of labels
// that mean nothing the mean accuracy must be that of guessing. Classes of unequal size: chance is the larger's share.
TEST(CrossValidationTest, PermutedLabelsGiveChance) {
  const std::vector<float> values = noise(60 * 90, 2);
  std::vector<std::size_t> classes = in_turn(60, 2);
  std::mt19937 random(3);
  double mean = 0;
  constexpr int draws = 40;
  for (int draw = 0; draw < draws; ++draw) {
    std::shuffle(classes.begin(), classes.end(), random);
    mean += cross_validate({values, 60, 90}, classes, {.strengths = {0.01, 1}}).accuracy / draws;
  }
  EXPECT_NEAR(mean, 0.5, 0.04);
}

// What is in a test fold must not reach the fit, not even through means and deviations. One huge value, of the feature
// that tells the classes apart, in one fold: had it a part in that fold's standardising, the feature would be lost
// there.
TEST(CrossValidationTest, TestSamplesHaveNoPartInStandardising) {
  const std::size_t count = 40, columns = 3;
  const std::vector<std::size_t> classes = in_turn(count, 2);
  std::vector<float> values = noise(count * columns, 5);
  for (std::size_t k = 0; k < count; ++k) values[columns * k + 1] += classes[k] == 0 ? -2.5f : 2.5f;
  const CrossValidationOptions options{.folds = 4, .strengths = {0.1}};
  const std::vector<std::size_t> fold_of = stratified_folds(classes, 4, options.seed);
  const auto accuracy_by_hand = [&](std::size_t fold) {
    std::vector<float> train, test;
    std::vector<std::size_t> train_classes, test_classes;
    for (std::size_t k = 0; k < count; ++k) {
      auto& part = fold_of[k] == fold ? test : train;
      part.insert(part.end(), &values[columns * k], &values[columns * k] + columns);
      (fold_of[k] == fold ? test_classes : train_classes).push_back(classes[k]);
    }
    const LinearClassifier classifier({train, train_classes.size(), columns}, train_classes,
                                      {ClassifierKind::ridge, 0.1});
    const auto found = classifier.predict({test, test_classes.size(), columns});
    double right = 0;
    for (std::size_t k = 0; k < found.size(); ++k) right += found[k] == test_classes[k];
    return right / static_cast<double>(found.size());
  };
  const auto held = static_cast<std::size_t>(std::find(fold_of.begin(), fold_of.end(), 2u) - fold_of.begin());
  values[columns * held + 1] = 1e6f;
  const CrossValidation result = cross_validate({values, count, columns}, classes, options);
  for (std::size_t fold = 0; fold < 4; ++fold)
    EXPECT_DOUBLE_EQ(result.fold_accuracies[fold], accuracy_by_hand(fold)) << fold;
  EXPECT_GE(result.fold_accuracies[2], 0.8);
}

TEST(CrossValidationTest, StrengthIsChosenForTheProblem) {
  // Two hundred features of noise around a weak one: little regularisation fits the noise.
  const std::vector<std::size_t> classes = in_turn(80, 2);
  std::vector<float> values = noise(80 * 200, 8);
  for (std::size_t k = 0; k < 80; ++k)
    for (std::size_t c = 0; c < 200; ++c) values[200 * k + c] += classes[k] == 0 ? -0.25f : 0.25f;
  const CrossValidation chosen = cross_validate({values, 80, 200}, classes, {});
  EXPECT_GT(chosen.accuracy, 0.9);
  for (const double strength : chosen.fold_strengths) EXPECT_GE(strength, 1e-3);
}

TEST(CrossValidationTest, BadInputIsRefused) {
  const std::vector<float> values = noise(24, 9);
  const auto check = [&](std::vector<std::size_t> classes, CrossValidationOptions options = {}) {
    cross_validate({values, 12, 2}, classes, options);
  };
  EXPECT_MESSAGE(UsageError, "at least 2", check(in_turn(12, 2), {.folds = 1}));
  EXPECT_MESSAGE(UsageError, "class 0 has 4 samples", check(in_turn(12, 3)));
  EXPECT_MESSAGE(UsageError, "one class", check(in_turn(12, 1)));
  EXPECT_MESSAGE(UsageError, "11 classes", check(in_turn(11, 2)));
  EXPECT_NO_THROW(check(in_turn(12, 3), {.folds = 2}));
}

}  // namespace
}  // namespace rtcg::vision
