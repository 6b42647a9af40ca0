// The array library's tunable families: samples of every space give right results, a broken result is found out, and
// what is remembered is used.
#include "rtcg/array/tunables.h"

#include <chrono>
#include <cmath>
#include <random>

#include "rtcg/array/radix_sort_tuning.h"
#include "rtcg/array/reduce_tuning.h"
#include "rtcg/array/reductions.h"
#include "rtcg/array/scan_tuning.h"
#include "rtcg/array/segmented_tuning.h"
#include "rtcg/sparse/spmv_tuning.h"
#include "rtcg/tune/choice.h"
#include "rtcg/tune/session.h"
#include "support/loops.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

using Traits = TunableFamily::Traits;
using Sizes = TunableFamily::Sizes;

std::vector<Configuration> all_of_space(const ParameterSpace& space) {
  std::vector<Configuration> all{Configuration()};
  for (const ParameterSpace::Parameter& parameter : space.parameters()) {
    std::vector<Configuration> longer;
    for (const Configuration& start : all)
      for (const ParameterValue& value : parameter.values) {
        longer.push_back(start);
        longer.back().set(parameter.name, value);
      }
    all = std::move(longer);
  }
  std::erase_if(all, [&](const Configuration& c) { return !space.objection(c).empty(); });
  return all;
}

class TunablesTest : public test::LoopTest {
 protected:
  TunablesTest() { add_array_tunables(registry), add_sparse_tunables(registry); }

  /// The default and a few others of the family's space, each validated.
  void expect_samples_work(const std::string& family, const Traits& traits, const Sizes& sizes, std::size_t samples) {
    const Tunable tunable = registry.find(family).make(device(), traits, sizes);
    std::vector<Configuration> all = all_of_space(tunable.space);
    ASSERT_FALSE(all.empty());
    std::erase_if(all,
                  [&](const Configuration& c) { return !tunable.demand(c).objection(device().properties()).empty(); });
    std::shuffle(all.begin(), all.end(), std::mt19937(6));
    all.resize(std::min(all.size(), samples));
    all.push_back(tunable.space.standard());
    const std::unique_ptr<Trial> trial = tunable.trial(stream);
    for (const Configuration& configuration : all) {
      EXPECT_NO_THROW(validated(*trial, stream, configuration)()) << family << ": " << configuration.text();
      EXPECT_NO_THROW(trial->check());
    }
  }

  /// PoCL compiles what is written for a GPU slowly, sorts above all.
  bool is_slow_to_compile() const {
    return std::get<1>(GetParam()) == LoopShape::gpu && device().properties().kind == DeviceKind::cpu;
  }

  TunableRegistry registry;
};

TEST_P(TunablesTest, SampledReductionsAreRight) {
  expect_samples_work("reduce", {}, {{"length", 1 << 16}}, 2);
  expect_samples_work("reduce", {{"bytes", "8"}}, {{"outer", 64}, {"length", 512}}, 1);
  expect_samples_work("reduce", {{"along", "columns"}}, {{"length", 512}, {"inner", 128}}, 2);
}

TEST_P(TunablesTest, SampledScansAreRight) {
  expect_samples_work("scan", {}, {{"count", 1 << 16}}, 1);
  expect_samples_work("scan", {{"value_bytes", "8"}}, {{"count", 1 << 15}}, 1);
}

TEST_P(TunablesTest, SampledSortsAreRight) {
  if (!is_slow_to_compile()) expect_samples_work("radix_sort", {}, {{"length", 1 << 14}}, 3);
  expect_samples_work("radix_sort", {{"value_bytes", "4"}, {"key_bytes", "8"}}, {{"length", 1 << 14}}, 1);
}

TEST_P(TunablesTest, SampledSegmentedReductionsAreRight) {
  expect_samples_work("segmented_reduce", {}, {{"rows", 512}, {"mean", 32}}, 4);
  expect_samples_work("segmented_reduce", {{"value_bytes", "8"}}, {{"rows", 1024}, {"mean", 4}}, 2);
}

TEST_P(TunablesTest, SampledSparseProductsAreRight) {
  expect_samples_work("spmv", {}, {{"rows", 1024}, {"mean", 16}}, 3);
  expect_samples_work("spmv", {{"dtype", "float32"}}, {{"rows", 2048}, {"mean", 4}}, 2);
}

TEST_P(TunablesTest, ResultsThatAreMissingAreFoundOut) {
  for (const TunableFamily& family : registry.families()) {
    Sizes sizes;
    for (const TunableFamily::Size& size : family.sizes) sizes[size.name] = size.name == "outer" ? 1 : 64;
    const Tunable tunable = family.make(device(), {}, sizes);
    const std::unique_ptr<Trial> trial = tunable.trial(stream);
    const std::function<void()> run = trial->prepare(tunable.space.standard());
    run();
    EXPECT_NO_THROW(trial->check()) << family.name;
    if (trial->outputs().empty()) continue;
    for (const GuardedOutput* output : trial->outputs()) output->poison();
    EXPECT_THROW(trial->check(), NumericalError) << family.name;
  }
}

TEST_P(TunablesTest, ASearchVerifiesEveryVariantAndRemembersTheBest) {
  const ScratchDirectory scratch;
  Wisdom wisdom({{"user", scratch.path(), true}});
  for (const TunableFamily& family : registry.families()) {
    if (is_slow_to_compile() && family.name == "radix_sort") continue;
    Sizes sizes;
    for (const TunableFamily::Size& size : family.sizes) sizes[size.name] = size.name == "outer" ? 1 : 128;
    const Tunable tunable = family.make(device(), {}, sizes);
    TuneOptions options;
    options.variants = 2;
    options.seconds = 5;
    options.wisdom = &wisdom;
    const TuneReport report = tune(stream, tunable, options);
    for (const VariantResult& variant : report.variants)
      EXPECT_TRUE(variant.works()) << family.name << " " << variant.configuration.text() << ": " << variant.failure;
    EXPECT_TRUE(report.record.verified) << family.name;
    EXPECT_EQ(wisdom.select(device(), tunable).link, WisdomLink::exact) << family.name;
    EXPECT_EQ(wisdom.select(device(), tunable).configuration, report.winner.configuration) << family.name;
  }
}

TEST_P(TunablesTest, WhatIsRememberedIsUsed) {
  if (!Wisdom::standard().can_record()) GTEST_SKIP() << "wisdom is turned off";
  const bool cpu = std::get<1>(GetParam()) == LoopShape::cpu;
  const std::int64_t n = std::int64_t{1} << 17;
  const auto known = [&] {
    return tuned_reduce(device(), loop_shape(device()), {1, static_cast<std::size_t>(n), 1}, cpu ? 1 : 4, 4);
  };
  const Tunable tunable = registry.find("reduce").make(device(), {}, {{"length", static_cast<double>(n)}});
  Configuration other = tunable.space.standard();
  other.set("groups_per_unit", std::int64_t{2});
  EXPECT_NE(known().value_or(ReduceTuning{}).groups_per_unit, 2u) << "nothing is recorded yet";
  WisdomRecord record;
  record.family = tunable.family, record.version = tunable.version;
  record.device = WisdomDevice::of(device());
  record.traits = tunable.traits, record.sizes = tunable.sizes;
  record.configuration = other;
  record.seconds = 1e-3, record.samples = 5, record.verified = true;
  record.date = wisdom_date();
  Wisdom::standard().record(record);
  ASSERT_TRUE(known());
  EXPECT_EQ(known()->groups_per_unit, 2u);
  // Another size of the same class, and one far away.
  const Array x = Array::full(stream, {n + 1000}, Dtype::f32, 1.0f);
  EXPECT_EQ(sum(x).item<float>(), static_cast<float>(n + 1000));
  const auto of_length = [&](std::size_t length) {
    return tuned_reduce(device(), loop_shape(device()), {1, length, 1}, cpu ? 1 : 4, 4);
  };
  EXPECT_EQ(of_length(std::size_t{1} << 18).value_or(ReduceTuning{}).groups_per_unit, 2u);
  EXPECT_NE(of_length(std::size_t{1} << 19).value_or(ReduceTuning{}).groups_per_unit, 2u);
  // What a trial forces comes before what is remembered, and only while it lasts.
  other.set("groups_per_unit", std::int64_t{8});
  {
    const ForcedConfiguration forced("reduce", other);
    EXPECT_EQ(known()->groups_per_unit, 8u);
  }
  EXPECT_EQ(known()->groups_per_unit, 2u);
}

TEST_P(TunablesTest, AskingAgainTakesNoTime) {
  const auto ask = [&] { return tuned_team(device(), 4, 1 << 20, 1 << 15); };
  ask();
  constexpr int times = 20000;
  double best = 1;
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < times; ++k) ask();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / times);
  }
  RecordProperty("nanoseconds", static_cast<int>(1e9 * best));
  EXPECT_LT(best, 1e-6);
}

RTCG_INSTANTIATE_FOR_LOOPS(TunablesTest);

}  // namespace
}  // namespace rtcg
