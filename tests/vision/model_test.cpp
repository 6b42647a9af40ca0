#include "vision/model.h"

#include "image_reference.h"
#include "rtcg/array/interchange/hdf5.h"
#include "support/loops.h"
#include "support/scratch_directory.h"

namespace rtcg::vision {
namespace {

using test::Images, test::normalised, test::pooled, test::random_images;

Images as_images(const std::vector<double>& values, std::size_t count, std::size_t height, std::size_t width,
                 std::size_t channels) {
  return {count, height, width, channels, std::vector<float>(values.begin(), values.end())};
}

std::vector<double> filtered(const Images& in, const std::vector<float>& bank, const FilterStage& stage, double low,
                             double high) {
  std::vector<double> out;
  for (std::size_t b = 0; b < in.count; ++b)
    for (std::size_t y = 0; y + stage.height <= in.height; y += stage.stride)
      for (std::size_t x = 0; x + stage.width <= in.width; x += stage.stride)
        for (std::size_t n = 0; n < stage.count; ++n) {
          double sum = 0;
          for (std::size_t j = 0; j < stage.height; ++j)
            for (std::size_t i = 0; i < stage.width; ++i)
              for (std::size_t c = 0; c < in.channels; ++c)
                sum += static_cast<double>(in.at(b, y + j, x + i, c)) *
                       bank[((n * stage.height + j) * stage.width + i) * in.channels + c];
          out.push_back(std::clamp(sum, low, high));
        }
  return out;
}

class ModelTest : public rtcg::test::DeviceTest {
 protected:
  const Stream stream_{device()};
};

TEST_P(ModelTest, FiltersAreNumPysUniformNumbersLessTheirMeanAndOfUnitLength) {
  // numpy.random.RandomState(42).uniform(size=(1, 1, 3, 1)): 0.37454012, 0.95071431, 0.73199394
  const double drawn[] = {0.3745401188473625, 0.9507143064099162, 0.7319939418311051};
  const double mean = (drawn[0] + drawn[1] + drawn[2]) / 3;
  double square = 0;
  for (const double v : drawn) square += (v - mean) * (v - mean);
  FilterStage stage;
  stage.count = 1, stage.height = 1, stage.width = 3;
  const std::vector<float> filters = make_filters(stream_, stage, 1).to_vector<float>();
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(filters[k], (drawn[k] - mean) / std::sqrt(square), 1e-7);
}

TEST_P(ModelTest, IsItsOperatorsOneAfterTheOther) {
  const ModelDescription description = parse_model(R"(
[input]
channels = 2
[[layers]]
normalise = { size = 3, remove_mean = true, threshold = 0.1 }
[[layers]]
filter = { count = 5, size = 3, seed = 7 }
clip = { min = 0, max = 0.3 }
pool = { size = 3, order = 2, stride = 2 }
normalise = { size = 3, stretch = 10, threshold = 0.1 }
[[layers]]
filter = { count = 8, height = 2, width = 1, stride = 2 }
resample = { height = 2, width = 5 }
)");
  const Model model(stream_, description);
  std::mt19937 random(1);
  const Images images = random_images(random, 3, 21, 25, 2, 0, 1);
  const Layer &first = description.layers[0], &second = description.layers[1], &third = description.layers[2];
  Images values = as_images(normalised(images, *first.normalise), 3, 19, 23, 2);
  values =
      as_images(filtered(values, make_filters(stream_, *second.filter, 2).to_vector<float>(), *second.filter, 0, 0.3),
                3, 17, 21, 5);
  values = as_images(pooled(values, *second.pool), 3, 8, 10, 5);
  values = as_images(normalised(values, *second.normalise), 3, 6, 8, 5);
  values =
      as_images(filtered(values, make_filters(stream_, *third.filter, 5).to_vector<float>(), *third.filter, -1e9, 1e9),
                3, 3, 4, 8);
  const Array features = model(images.on(stream_));
  ASSERT_EQ(features.shape(), (Shape{3, 2, 5, 8}));
  const std::vector<float> found = features.to_vector<float>();
  const std::size_t rows[] = {0, 2}, columns[] = {0, 1, 2, 2, 3};  // round(k 3 / 4): 0, 0.75, 1.5, 2.25, 3
  for (std::size_t b = 0, k = 0; b < 3; ++b)
    for (const std::size_t y : rows)
      for (const std::size_t x : columns)
        for (std::size_t c = 0; c < 8; ++c, ++k) ASSERT_NEAR(found[k], values.at(b, y, x, c), 2e-5) << k;
  const ModelPlan plan = plan_model(description, 21, 25);
  EXPECT_EQ(plan.features(), 2u * 5 * 8);
  EXPECT_EQ(plan.flops, 2.0 * (17 * 21 * 5 * 18 + 3 * 4 * 8 * 10));
}

TEST_P(ModelTest, PreparingCompilesWhatACallNeeds) {
  const std::string text =
      "[[layers]]\nfilter = { count = 3, size = 2 }\npool = { size = 4, order = 2 }\nnormalise = { size = 2, border = "
      "\"zero\" }\nresample = { size = 2 }\n";
  const Model model(stream_, parse_model(text)), other(stream_, parse_model(text));
  std::mt19937 random(3);
  const Array images = random_images(random, 2, 9, 9, 1).on(stream_);
  model.prepare(2, 9, 9);
  model.prepare(2, 9, 9);
  EXPECT_EQ(model(images).to_vector<float>(), other(images).to_vector<float>());
  EXPECT_THROW(model.prepare(2, 3, 3), UsageError);
}

TEST_P(ModelTest, OneImageGivesTheSameAsABatch) {
  const Model model(stream_,
                    parse_model("[[layers]]\nfilter = { count = 4, size = 5 }\npool = { size = 3, order = 10 }\n"
                                "normalise = { size = 5 }\n"));
  std::mt19937 random(2);
  const Images images = random_images(random, 4, 16, 16, 1);
  const Array batch = images.on(stream_);
  const std::vector<float> together = model(batch).to_vector<float>();
  const std::vector<float> alone = model(batch(Slice{2, 3})).to_vector<float>();
  for (std::size_t k = 0; k < alone.size(); ++k) ASSERT_EQ(alone[k], together[2 * alone.size() + k]);
}

TEST_P(ModelTest, FlipsAndReadsBanks) {
  const ScratchDirectory scratch;
  write_hdf5(scratch / "bank.h5", "/bank", Array::from(stream_, std::vector<float>{1, 2, 3}, Shape{1, 1, 3, 1}));
  const auto responses = [&](const std::string& more) {
    const Model model(stream_,
                      parse_model("[[layers]]\nfilter = { source = \"bank.h5\"" + more + " }\n", "m", scratch.path()));
    return model(Array::from(stream_, std::vector<float>{1, 0, 0, 10}, Shape{1, 1, 4, 1})).to_vector<float>();
  };
  EXPECT_EQ(responses(""), (std::vector<float>{1, 30}));
  EXPECT_EQ(responses(", flip = true"), (std::vector<float>{3, 10}));
  EXPECT_THROW(Model(stream_, parse_model("[input]\nchannels = 3\n[[layers]]\nfilter = { source = \"bank.h5\" }\n", "m",
                                          scratch.path())),
               InputError);
}

TEST_P(ModelTest, ClipsWithoutFilters) {
  const Model model(stream_, parse_model("[[layers]]\nclip = { min = -0.5, max = 2 }\n"));
  EXPECT_EQ(model(Array::from(stream_, std::vector<float>{-1, 1, 3}, Shape{1, 1, 3, 1})).to_vector<float>(),
            (std::vector<float>{-0.5, 1, 2}));
}

TEST_P(ModelTest, RefusesImagesThatDoNotFit) {
  const Model model(stream_, parse_model("[[layers]]\npool = { size = 5 }\n"));
  EXPECT_THROW(model(Array::zeros(stream_, {1, 4, 9, 1}, Dtype::f32)), UsageError);
  EXPECT_THROW(model(Array::zeros(stream_, {1, 9, 9, 3}, Dtype::f32)), UsageError);
  EXPECT_THROW(model(Array::zeros(stream_, {9, 9}, Dtype::f32)), UsageError);
}

RTCG_INSTANTIATE_FOR_DEVICES(ModelTest);

}  // namespace
}  // namespace rtcg::vision
