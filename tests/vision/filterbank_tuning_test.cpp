// Filterbanks as the tuner sees them.
#include "vision/filterbank_tuning.h"

#include "rtcg/error.h"
#include "rtcg/tune/session.h"
#include "support/devices.h"
#include "vision/filterbank_problem.h"
#include "vision/filterbank_trial.h"

namespace rtcg::vision {
namespace {

constexpr FilterbankShape small{.images = 5,
                                .height = 20,
                                .width = 70,
                                .channels = 3,
                                .filters = 6,
                                .filter_height = 4,
                                .filter_width = 3,
                                .stride_y = 2,
                                .border = Border::wrap};

TEST(FilterbankTrialTest, TheReferenceInIntegersIsTheTextbooks) {
  const FilterbankTestData data = filterbank_test_data(small, Precision::exact);
  EXPECT_EQ(filterbank_in_integers(small, data.images, data.bank),
            test::host_filterbank<std::int64_t>(small, data.images, data.bank));
}

TEST(FilterbankTrialTest, SomePixelsCannotBeHeldInTensorFloatsButSumsStayExact) {
  const FilterbankTestData data = filterbank_test_data(small, Precision::exact);
  EXPECT_GT(*std::max_element(data.images.begin(), data.images.end()), 2048);
  FilterbankTestData magnitudes = data;
  for (auto* values : {&magnitudes.images, &magnitudes.bank})
    for (std::int16_t& x : *values) x = static_cast<std::int16_t>(std::abs(x));
  const auto sums = filterbank_in_integers(small, magnitudes.images, magnitudes.bank);
  EXPECT_LT(*std::max_element(sums.begin(), sums.end()), 1 << 24);
  const FilterbankTestData rough = filterbank_test_data(small, Precision::fp16);
  EXPECT_LE(*std::max_element(rough.images.begin(), rough.images.end()), 4);
}

class FilterbankTuningTest : public rtcg::test::DeviceTest {};
RTCG_INSTANTIATE_FOR_DEVICES(FilterbankTuningTest);

TEST_P(FilterbankTuningTest, WhatWasNotWrittenIsFoundOut) {
  const Stream on = stream();
  FilterbankTrial trial(on, {small, {}, Precision::exact});
  trial.prepare(filterbank::describe(device(), small).space.standard());
  trial.outputs().front()->poison();
  try {
    trial.check();
    FAIL() << "poison passed for responses";
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("response [0, 0, 0, 0]"), std::string::npos) << error.what();
  }
}

TEST_P(FilterbankTuningTest, AShortSearchVerifiesItsVariants) {
  const TuneReport report = tune(stream(), filterbank::describe(device(), small),
                                 {.seconds = 20, .variants = 6, .seed = 3, .wisdom = nullptr});
  EXPECT_EQ(report.failed, 0u);
  for (const VariantResult& result : report.variants) EXPECT_EQ(result.failure, "") << result.configuration.text();
  EXPECT_GE(report.variants.size(), 5u);
  EXPECT_GT(report.winner.timing.seconds, 0);
}

TEST_P(FilterbankTuningTest, TheRegistryMakesTheSameProblem) {
  TunableRegistry registry;
  add_filterbank(registry);
  const Tunable made = registry.find("filterbank")
                           .make(device(), {{"border", "wrap"}, {"stride", "2 x 1"}},
                                 {{"images", 5},
                                  {"height", 20},
                                  {"width", 70},
                                  {"channels", 3},
                                  {"filters", 6},
                                  {"filter_height", 4},
                                  {"filter_width", 3}});
  const Tunable direct = filterbank::describe(device(), small);
  EXPECT_EQ(made.traits, direct.traits);
  EXPECT_EQ(made.sizes, direct.sizes);
  EXPECT_EQ(made.space.standard(), direct.space.standard());
  EXPECT_EQ(made.work, direct.work);
}

TEST(PrecisionTest, HasNames) {
  for (const Precision precision : {Precision::exact, Precision::tf32, Precision::fp16})
    EXPECT_EQ(parse_precision(name_of(precision)), precision);
  EXPECT_THROW(parse_precision("half"), UsageError);
}

}  // namespace
}  // namespace rtcg::vision
