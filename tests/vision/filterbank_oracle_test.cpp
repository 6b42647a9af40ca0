// Thousands of random problems against sums in 64-bit integers. What a kernel is specialised to (filters, strides,
// border, variant) is drawn a few dozen times, because each draw is compiled; image sizes are drawn for each.
#include <fmt/format.h>

#include "support/devices.h"
#include "vision/filterbank_problem.h"
#include "vision/filterbank_tuning.h"

namespace rtcg::vision {
namespace {

using test::IntegerProblem;

class FilterbankOracleTest : public rtcg::test::DeviceTest {
 protected:
  std::size_t draw(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random_);
  }
  FilterbankShape draw_bank() {
    const auto few_or_many = [&](std::size_t few, std::size_t many) {
      return draw(0, 3) == 0 ? draw(1, many) : draw(1, few);
    };
    return {.height = 64,
            .width = 64,
            .channels = few_or_many(4, 20),
            .filters = few_or_many(6, 70),
            .filter_height = few_or_many(5, 13),
            .filter_width = few_or_many(5, 13),
            .stride_y = few_or_many(2, 4),
            .stride_x = few_or_many(2, 4),
            .border = static_cast<Border>(draw(0, 4))};
  }
  /// Images so small that filters hardly fit, and a few that are wider than any tile.
  void draw_size(FilterbankShape& shape) {
    const auto least = [&](std::size_t filter) {
      return shape.border == Border::valid     ? filter
             : shape.border == Border::reflect ? filter / 2 + 1
                                               : std::max<std::size_t>(filter / 2, 1);
    };
    shape.images = draw(1, 3);
    shape.height = least(shape.filter_height) + draw(0, 9);
    shape.width = least(shape.filter_width) + (draw(0, 9) == 0 ? draw(60, 150) : draw(0, 24));
  }

  std::mt19937_64 random_{42};
};
RTCG_INSTANTIATE_FOR_DEVICES(FilterbankOracleTest);

TEST_P(FilterbankOracleTest, RandomVariantsOfRandomProblemsEqualIntegerSums) {
  const Stream on = stream();
  std::size_t compared = 0;
  for (int k = 0; k < 20; ++k) {
    IntegerProblem problem(draw_bank(), random_);
    const ParameterSpace space = filterbank::space(device(), {problem.shape, {}, Precision::exact});
    Configuration choice;
    do choice = space.random(random_);  // that the device can run
    while (!filterbank_kernel(choice.word("kernel"))
                .demand({problem.shape, {}, Precision::exact}, choice)
                .objection(device().properties())
                .empty());
    Filterbank filterbank = problem.filterbank(on);
    filterbank.use(choice);
    for (int size = 0; size < 100; ++size) {
      draw_size(problem.shape);
      if (!filterbank::space(device(), {problem.shape, {}, Precision::exact}).objection(choice).empty()) continue;
      problem.draw_images(random_);
      ASSERT_EQ(filterbank(problem.image_array(on)).to_vector<float>(), problem.reference())
          << problem.shape.text() << " border " << name_of(problem.shape.border) << " stride " << problem.shape.stride_y
          << " x " << problem.shape.stride_x << ": " << choice.text();
      ++compared;
    }
  }
  EXPECT_GT(compared, 1600u);
}

TEST_P(FilterbankOracleTest, EveryKernelServesEveryBorder) {
  const Stream on = stream();
  for (const Border border : {Border::valid, Border::zero, Border::reflect, Border::replicate, Border::wrap}) {
    const IntegerProblem problem({.images = 2,
                                  .height = 19,
                                  .width = 83,
                                  .channels = 3,
                                  .filters = 5,
                                  .filter_height = 4,
                                  .filter_width = 5,
                                  .stride_y = 2,
                                  .stride_x = 3,
                                  .border = border},
                                 random_);
    const std::vector<float> reference = problem.reference();
    const ParameterSpace space = filterbank::space(device(), {problem.shape, {}, Precision::exact});
    for (const ParameterValue& kernel : space.parameters().front().values) {
      Configuration choice = space.standard();
      choice.set("kernel", kernel);
      Filterbank filterbank = problem.filterbank(on);
      filterbank.use(choice);
      EXPECT_EQ(filterbank(problem.image_array(on)).to_vector<float>(), reference)
          << name_of(border) << " " << choice.text();
    }
  }
}

TEST_P(FilterbankOracleTest, BothLoopShapesOfThePortableKernelsEqualIntegerSums) {
  const struct Restore {
    ~Restore() { force_loop_shape({}); }
  } restore;
  const Stream on = stream();
  for (const LoopShape loops : {LoopShape::cpu, LoopShape::gpu})
    for (const bool separated : {false, true}) {
      force_loop_shape(loops);
      IntegerProblem problem({.images = 2,
                              .height = 17,
                              .width = 38,
                              .channels = 3,
                              .filters = separated ? 6u : 7u,
                              .filter_height = 7,
                              .filter_width = 4,
                              .stride_x = 2,
                              .border = Border::reflect},
                             random_);
      if (separated)  // every row of a filter is its first
        for (std::size_t k = 0; k < problem.bank.size(); ++k) problem.bank[k] = problem.bank[k / 84 * 84 + k % 12];
      Filterbank filterbank(on, problem.bank_array(on),
                            {.stride_x = 2, .border = Border::reflect, .allow_separation = separated});
      EXPECT_EQ(filterbank.separates(2, 17, 38), separated);
      if (!separated) {
        Configuration choice = filterbank::space(device(), {problem.shape, {}, Precision::exact}).standard();
        choice.set("kernel", std::string("direct"));
        filterbank.use(choice);
      }
      EXPECT_EQ(filterbank(problem.image_array(on)).to_vector<float>(), problem.reference())
          << (loops == LoopShape::cpu ? "cpu" : "gpu") << (separated ? ", separated" : "");
    }
}

}  // namespace
}  // namespace rtcg::vision
