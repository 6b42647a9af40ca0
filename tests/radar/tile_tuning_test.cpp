// Tiles as a tunable family: samples of the space give the right image, and what is forced reaches the plan.
#include "radar/tile_tuning.h"

#include <random>

#include "rtcg/tune/choice.h"
#include "support/devices.h"

namespace rtcg::radar {
namespace {

class TileTuningTest : public testing::TestWithParam<Device> {
 protected:
  TileTuningTest() { add_tunables(registry); }

  Tunable describe(const std::string& loops, const std::string& interpolation) const {
    return registry.find("backprojection")
        .make(GetParam(), {{"loops", loops}, {"interpolation", interpolation}}, {{"width", 64}, {"height", 64}});
  }

  void expect_samples_work(const Tunable& tunable, std::size_t samples) {
    const Stream stream(GetParam());
    const std::unique_ptr<Trial> trial = tunable.trial(stream);
    std::mt19937 random(2);
    for (std::size_t k = 0; k < samples;) {
      Configuration configuration = tunable.space.standard();
      if (k > 0)
        for (const ParameterSpace::Parameter& parameter : tunable.space.parameters())
          configuration.set(parameter.name, parameter.values[random() % parameter.values.size()]);
      if (!tunable.space.objection(configuration).empty()) continue;
      EXPECT_NO_THROW(validated(*trial, stream, configuration)) << configuration.text();
      ++k;
    }
  }

  TunableRegistry registry;
};

TEST_P(TileTuningTest, SampledTilesGiveTheRightImage) {
  if (GetParam().properties().backend != Backend::cuda) {
    expect_samples_work(describe("cpu", "linear"), 3);
    expect_samples_work(describe("cpu", "sinc"), 1);
  }
  expect_samples_work(describe("gpu", "linear"), 2);
  expect_samples_work(describe("gpu", "sinc"), 1);
}

TEST_P(TileTuningTest, AnImageThatIsMissingIsFoundOut) {
  const Stream stream(GetParam());
  const Tunable tunable = describe("gpu", "linear");
  const std::unique_ptr<Trial> trial = tunable.trial(stream);
  trial->prepare(tunable.space.standard());  // not executed: the image is zero
  EXPECT_THROW(trial->check(), NumericalError);
}

TEST_P(TileTuningTest, TheRuleAndWhatIsForcedReachThePlan) {
  Collection collection;
  collection.samples = 64;
  collection.antenna = {{0, -7000, 7000}, {10, -7000, 7000}};
  collection.reference_range = {9899.5, 9899.5};
  collection.first_frequency = {9e9, 9e9};
  collection.frequency_step = {1e6, 1e6};
  ImageGrid grid;
  grid.nx = grid.ny = 256;
  grid.dx = grid.dy = 0.3;
  ImagingOptions options;
  options.loop_shape = DeviceKind::gpu;
  const TilePlan rule = plan_tiles(GetParam().properties(), collection, grid, options, 512);
  EXPECT_EQ(plan_tuned_tiles(GetParam(), collection, grid, options, 512).describe(), rule.describe());
  Configuration other;
  other.set("lines", std::int64_t{2}), other.set("run", std::int64_t{8}), other.set("resident", std::int64_t{6});
  const ForcedConfiguration forced("backprojection", other);
  const TilePlan plan = plan_tuned_tiles(GetParam(), collection, grid, options, 512);
  EXPECT_EQ(plan.tile_x, 32u);
  EXPECT_EQ(plan.tile_y, 16u);
  EXPECT_EQ(plan.run, 8);
  EXPECT_EQ(plan.groups_per_unit, 6);
}

RTCG_INSTANTIATE_FOR_DEVICES(TileTuningTest);

}  // namespace
}  // namespace rtcg::radar
