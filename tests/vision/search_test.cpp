#include "vision/search.h"

#include <algorithm>
#include <random>

#include "rtcg/array/interchange/npy.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"
#include "vision/features.h"

namespace rtcg::vision {
namespace {

constexpr const char* small_space = R"(name = "tiny"
[[layers]]
normalise = { size = 3, threshold = [0.1, 1] }
[[layers]]
filter = { count = [8, 16], size = 3 }
clip = { min = ["none", 0] }
pool = { size = 3, order = [1, 2, 10], stride = 2 }
)";

class SearchTest : public test::DeviceTest {
 protected:
  /// Stripes along y or along x, of any phase, under noise.
  void SetUp() override {
    std::mt19937 random(7);
    std::normal_distribution<float> noise(0, 0.2f);
    constexpr std::size_t count = 40, edge = 12;
    std::vector<float> pixels;
    for (std::size_t k = 0; k < count; ++k) {
      labels_.classes.push_back(k % 2);
      const auto phase = static_cast<std::size_t>(random() % 4);
      for (std::size_t y = 0; y < edge; ++y)
        for (std::size_t x = 0; x < edge; ++x)
          pixels.push_back(((k % 2 == 0 ? y : x) + phase) % 4 < 2 ? 1 + noise(random) : noise(random));
    }
    labels_.names = {"0", "1"};
    images_ = Array::from(stream_, pixels, Shape{count, edge, edge, 1});
  }
  SearchReport search(const std::string& directory, SearchOptions options = {.trials = 6},
                      const char* space = small_space) {
    return search_models(stream_, ModelSpace::parse(space), images_, labels_, scratch_ / directory, options);
  }
  std::string journal(const std::string& directory) { return read_bytes(scratch_ / directory / "trials.jsonl"); }

  const ScratchDirectory scratch_;
  const Stream stream_{device()};
  Labels labels_;
  Array images_;
};

std::vector<double> accuracies(const SearchReport& report) {
  std::vector<double> found;
  for (const TrialResult& result : report.trials) found.push_back(result.validation.accuracy);
  return found;
}

TEST_P(SearchTest, BeatsChanceAndKeepsTheBestModels) {
  const SearchReport report = search("out", {.trials = 6, .keep = 2});
  ASSERT_EQ(report.trials.size(), 6u);
  ASSERT_EQ(report.ranking.size(), 6u);
  EXPECT_EQ(report.failed, 0u);
  const TrialResult& best = report.trials[report.ranking[0]];
  EXPECT_GT(best.validation.accuracy, 0.85);
  EXPECT_DOUBLE_EQ(best.validation.chance, 0.5);
  const std::vector<double> all = accuracies(report);
  EXPECT_EQ(best.validation.accuracy, *std::max_element(all.begin(), all.end()));
  EXPECT_EQ(read_model(scratch_ / "out" / "best-1.toml"), parse_model(best.model));
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "out" / "best-2.toml"));
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "out" / "best-3.toml"));
  // The accuracy is what features and classifier give by hand.
  const Model model(stream_, parse_model(best.model));
  const std::vector<float> features = extract_features(model, images_).to_vector<float>();
  EXPECT_DOUBLE_EQ(cross_validate({features, 40, features.size() / 40}, labels_.classes).accuracy,
                   best.validation.accuracy);
}

TEST_P(SearchTest, LabelsThatMeanNothingGiveChance) {
  std::mt19937 random(1);
  std::shuffle(labels_.classes.begin(), labels_.classes.end(), random);
  const std::vector<double> all = accuracies(search("out", {.trials = 8}));
  double mean = 0;
  for (const double a : all) mean += a / 8;
  EXPECT_NEAR(mean, 0.5, 0.2);
}

TEST_P(SearchTest, GoesOnFromWhatAKilledSearchLeft) {
  const SearchReport whole = search("whole");
  EXPECT_EQ(search("part", {.trials = 3}).resumed, 0u);
  // Killed in the middle of its fourth line.
  std::string text = journal("part");
  write_bytes(scratch_ / "part" / "trials.jsonl", text + R"({"trial":3,"seed":1)");
  const SearchReport resumed = search("part");
  EXPECT_EQ(resumed.resumed, 3u);
  EXPECT_EQ(accuracies(resumed), accuracies(whole));
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(resumed.trials[k].model, whole.trials[k].model);
  EXPECT_EQ(journal("part").substr(0, text.size()), text);
  const SearchReport again = search("part");
  EXPECT_EQ(again.resumed, 6u);
  EXPECT_EQ(again.images_per_second, 0);
  EXPECT_EQ(again.ranking, whole.ranking);
  // Killed while it wrote its first line.
  text = journal("part");
  write_bytes(scratch_ / "part" / "trials.jsonl", text.substr(0, 10));
  EXPECT_EQ(search("part", {.trials = 1}).resumed, 0u);
}

TEST_P(SearchTest, AnotherSearchsDirectoryIsRefused) {
  search("out", {.trials = 1});
  EXPECT_MESSAGE(InputError, "of another search", search("out", {.trials = 1, .seed = 2}));
  EXPECT_MESSAGE(InputError, "of another search", search("out", {.trials = 1, .validation = {.folds = 4}}));
  std::string other = small_space;
  other.replace(other.find("[8, 16]"), 7, "[2, 8]");
  EXPECT_MESSAGE(InputError, "of another search", search("out", {.trials = 1}, other.c_str()));
  std::swap(labels_.classes[0], labels_.classes[1]);
  EXPECT_MESSAGE(InputError, "of another search", search("out", {.trials = 1}));
  write_bytes(scratch_ / "file", "");
  EXPECT_THROW(search("file"), InputError);
}

TEST_P(SearchTest, TrialsThatFailAreRecordedWithTheReason) {
  images_ = Array::zeros(stream_, {40, 12, 12, 1}, Dtype::f32);
  const SearchReport report = search("out", {.trials = 2});
  EXPECT_EQ(report.failed, 2u);
  EXPECT_TRUE(report.ranking.empty());
  EXPECT_NE(report.trials[1].failure.find("constant"), std::string::npos);
  EXPECT_NE(journal("out").find("constant"), std::string::npos);
  EXPECT_EQ(search("out", {.trials = 2}).resumed, 2u);
}

TEST_P(SearchTest, WhatCannotBeSearchedIsRefused) {
  EXPECT_MESSAGE(UsageError, "none of",
                 search("a", {}, "name = \"big\"\n[[layers]]\nfilter = { count = 2, size = 13 }\n"));
  labels_.classes.pop_back();
  EXPECT_MESSAGE(UsageError, "39 labels", search("b"));
}

TEST_P(SearchTest, FacesAreToldFromOtherPictures) {
  const char* root = std::getenv("RTCG_SOURCE_DIR");
  const auto file = std::filesystem::path(root ? root : ".") / "../shared/data/images/lfw_subset.npy";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there: 100 faces, then 100 other pictures";
  const auto source = open_images(file, {});
  images_ = load_images(stream_, *source);
  labels_ = read_labels(stream_, "100x0,100x1", *source);
  const SearchReport report =
      search_models(stream_, ModelSpace::read(std::filesystem::path(root ? root : ".") / "data/models/small.toml"),
                    images_, labels_, scratch_ / "faces", {.trials = 3});
  EXPECT_GT(report.trials[report.ranking[0]].validation.accuracy, 0.9);
}

RTCG_INSTANTIATE_FOR_DEVICES(SearchTest);

}  // namespace
}  // namespace rtcg::vision
