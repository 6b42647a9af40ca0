#include "rtcg/tune/session.h"

#include <map>
#include <set>

#include "core/tune/tune_support.h"
#include "rtcg/warning.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

class TuneTest : public test::DeviceTest {
 protected:
  TuneOptions options(Strategy strategy) {
    TuneOptions result;
    result.strategy = strategy;
    result.seconds = 12;
    result.wisdom = &wisdom_;
    return result;
  }
  ScratchDirectory scratch_;
  Wisdom wisdom_{{{"user", scratch_.path(), true}}};
};

TEST_P(TuneTest, AnExhaustiveSearchFindsOutEveryWrongVariantAndRemembersTheWinner) {
  const Tunable tunable = test::scale_tunable();
  std::size_t told = 0;
  TuneOptions how = options(Strategy::exhaustive);
  how.seconds = 300;
  how.progress = [&](const TuneProgress& progress) {
    EXPECT_EQ(progress.variants, ++told);
    EXPECT_NE(progress.latest, nullptr);
  };
  const TuneReport report = tune(stream(), tunable, how);
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(report.beyond, 10u);
  EXPECT_EQ(report.variants.size(), 10u);
  EXPECT_EQ(told, 10u);
  EXPECT_EQ(report.failed, 8u);
  EXPECT_EQ(report.variants.front().configuration, tunable.space.standard());
  std::map<std::string, std::string> failures;
  for (const VariantResult& result : report.variants) {
    EXPECT_EQ(result.works(), result.configuration.word("fault") == "none") << result.configuration.text();
    EXPECT_EQ(result.works(), result.timing.seconds > 0);
    if (!result.works()) failures[result.configuration.word("fault")] = result.failure;
  }
  EXPECT_NE(failures["compile"].find("scale.cl"), std::string::npos) << failures["compile"];
  EXPECT_EQ(failures["value"], "y[2500] is wrong");
  EXPECT_EQ(failures["past"], "y: written 4 bytes past its end");
  EXPECT_EQ(failures["short"], "y[4999] is wrong");

  EXPECT_TRUE(report.winner.works());
  EXPECT_LT(report.winner.timing.seconds, report.standard.timing.seconds);
  EXPECT_NE(report.winner.configuration.integer("idle"), 3000);
  EXPECT_EQ(report.file, scratch_ / "scale.jsonl");
  const Selection answer = wisdom_.select(device(), tunable);
  EXPECT_EQ(answer.link, WisdomLink::exact);
  EXPECT_EQ(answer.configuration, report.winner.configuration);
  const WisdomRecord& record = answer.source->record;
  EXPECT_EQ(record.default_seconds, report.standard.timing.seconds);
  EXPECT_EQ(record.tried, 10);
  EXPECT_EQ(record.failed, 8);
  EXPECT_EQ(record.strategy, "exhaustive");
  EXPECT_TRUE(record.verified);
}

TEST_P(TuneTest, EveryStrategyStaysInItsBudgetAndNeverTriesTwice) {
  for (const Strategy strategy : {Strategy::random, Strategy::local, Strategy::annealing, Strategy::model}) {
    TuneOptions how = options(strategy);
    how.variants = 8;
    const TuneReport report = tune(stream(), test::scale_tunable(), how);
    EXPECT_LE(report.variants.size(), 8u) << to_text(strategy);
    EXPECT_GE(report.variants.size(), 4u) << to_text(strategy);
    std::set<std::string> texts;
    for (const VariantResult& result : report.variants) texts.insert(result.configuration.text());
    EXPECT_EQ(texts.size(), report.variants.size()) << to_text(strategy);
    EXPECT_EQ(report.winner.configuration.word("fault"), "none");
  }
}

TEST_P(TuneTest, ASearchThatWasKilledGoesOnFromItsJournal) {
  TuneOptions how = options(Strategy::random);
  how.journal = scratch_ / "journal";
  how.variants = 6;
  const TuneReport first = tune(stream(), test::scale_tunable(), how);
  EXPECT_EQ(first.resumed, 0u);
  // Killed inside a line, and asked for more.
  write_bytes(how.journal, read_bytes(how.journal) + "{\"configuration\":{\"per_i");
  how.variants = 9;
  const int prepared = test::ScaleTrial::prepared;
  const TuneReport second = tune(stream(), test::scale_tunable(), how);
  EXPECT_EQ(second.resumed, 6u);
  ASSERT_EQ(second.variants.size(), 9u);
  for (std::size_t n = 0; n < 6; ++n) {
    EXPECT_EQ(second.variants[n].configuration, first.variants[n].configuration) << "same seed, same path";
    EXPECT_EQ(second.variants[n].timing.seconds, first.variants[n].timing.seconds);
    EXPECT_EQ(second.variants[n].failure, first.variants[n].failure);
  }
  EXPECT_LE(test::ScaleTrial::prepared - prepared, 3 + 6);  // the new ones and the finalists
  how.variants = 9;
  EXPECT_EQ(tune(stream(), test::scale_tunable(), how).resumed, 9u);

  how.seed = 2;
  EXPECT_MESSAGE(InputError, "not the journal of this search", tune(stream(), test::scale_tunable(), how));
  how.seed = 1;
  EXPECT_MESSAGE(InputError, "not the journal of this search", tune(stream(), test::scale_tunable(6000), how));
  how.journal = scratch_ / "absent" / "journal";
  EXPECT_MESSAGE(InputError, "the journal cannot be written", tune(stream(), test::scale_tunable(), how));
}

TEST_P(TuneTest, StartsAreWhatWonOnSimilarProblems) {
  TuneOptions how = options(Strategy::local);
  how.variants = 3;
  const TuneReport before = tune(stream(), test::scale_tunable(4000), how);
  how.variants = 2;
  const TuneReport report = tune(stream(), test::scale_tunable(7000), how);
  ASSERT_EQ(report.variants.size(), 2u);
  EXPECT_TRUE(before.winner.configuration == report.variants[1].configuration ||
              before.winner.configuration == report.variants[0].configuration);
}

TEST_P(TuneTest, AWinnerThatTurnsWrongIsPassedOver) {
  TuneOptions how = options(Strategy::exhaustive);
  how.wisdom = nullptr;
  Tunable tunable = test::scale_tunable();
  const auto word = [](const char* text) { return ParameterValue(std::string(text)); };
  tunable.space = ParameterSpace();
  tunable.space.parameter("per_item", {std::int64_t{1}}, std::int64_t{1})
      .parameter("idle", {std::int64_t{0}, std::int64_t{3000}}, std::int64_t{3000})
      .parameter("fault", {word("none")}, word("none"));
  std::vector<std::string> warnings;
  set_warning_handler([&](const std::string& text) { warnings.push_back(text); });
  test::ScaleTrial::turns_wrong = "per_item=1 idle=0 fault=none";
  const TuneReport report = tune(stream(), tunable, how);
  test::ScaleTrial::turns_wrong.clear();
  set_warning_handler({});
  EXPECT_EQ(report.winner.configuration, tunable.space.standard());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "scale: per_item=1 idle=0 fault=none: right once, and later y[7] is wrong now");
}

TEST_P(TuneTest, ADefaultThatTurnsWrongIsAFailureWithoutATime) {
  TuneOptions how = options(Strategy::exhaustive);
  how.wisdom = nullptr;
  Tunable tunable = test::scale_tunable();
  const auto word = [](const char* text) { return ParameterValue(std::string(text)); };
  tunable.space = ParameterSpace();
  tunable.space.parameter("per_item", {std::int64_t{1}}, std::int64_t{1})
      .parameter("idle", {std::int64_t{0}, std::int64_t{3000}}, std::int64_t{0})
      .parameter("fault", {word("none")}, word("none"));
  std::vector<std::string> warnings;
  set_warning_handler([&](const std::string& text) { warnings.push_back(text); });
  test::ScaleTrial::turns_wrong = tunable.space.standard().text();
  const TuneReport report = tune(stream(), tunable, how);
  test::ScaleTrial::turns_wrong.clear();
  set_warning_handler({});
  EXPECT_EQ(report.winner.configuration.integer("idle"), 3000);
  EXPECT_EQ(report.standard.failure, "right once and wrong later: a race");
  EXPECT_EQ(report.standard.timing.seconds, 0);
  EXPECT_EQ(report.record.default_seconds, 0);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_P(TuneTest, TheDefaultStaysWhereNothingBeatsIt) {
  Tunable tunable = test::scale_tunable();
  tunable.space = ParameterSpace();
  const auto word = [](const char* text) { return ParameterValue(std::string(text)); };
  tunable.space.parameter("per_item", {std::int64_t{1}}, std::int64_t{1})
      .parameter("idle", {std::int64_t{0}, std::int64_t{3000}}, std::int64_t{0})
      .parameter("fault", {word("none")}, word("none"));
  const TuneReport report = tune(stream(), tunable, options(Strategy::exhaustive));
  EXPECT_EQ(report.winner.configuration, tunable.space.standard());
  EXPECT_EQ(report.record.seconds, report.record.default_seconds);
}

TEST_P(TuneTest, ADefaultThatFailsIsReplacedAndWithoutAnyVariantItSaysWhy) {
  Tunable tunable = test::scale_tunable();
  const auto word = [](const char* text) { return ParameterValue(std::string(text)); };
  const auto with = [&](std::vector<ParameterValue> faults) {
    tunable.space = ParameterSpace();
    tunable.space.parameter("per_item", {std::int64_t{1}}, std::int64_t{1})
        .parameter("idle", {std::int64_t{0}}, std::int64_t{0})
        .parameter("fault", faults, faults.front());
  };
  with({word("value"), word("none")});
  const TuneReport report = tune(stream(), tunable, options(Strategy::exhaustive));
  EXPECT_FALSE(report.standard.works());
  EXPECT_EQ(report.winner.configuration.word("fault"), "none");
  EXPECT_EQ(report.record.default_seconds, 0);
  with({word("value"), word("past")});
  EXPECT_MESSAGE(NumericalError,
                 "none of 2 variants works; the default (per_item=1 idle=0 fault=value): y[2500] is wrong",
                 tune(stream(), tunable, options(Strategy::exhaustive)));
}

TEST_P(TuneTest, ColdTimingAndTimeBudgetsHold) {
  TuneOptions how = options(Strategy::exhaustive);
  how.cold = true;
  how.seconds = 0.2;
  const auto start = std::chrono::steady_clock::now();
  const TuneReport report = tune(stream(), test::scale_tunable(), how);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5);
  EXPECT_TRUE(report.winner.works());
  how.seconds = 0;
  EXPECT_MESSAGE(UsageError, "a tuning of 0 s", tune(stream(), test::scale_tunable(), how));
  Tunable bare = test::scale_tunable();
  bare.trial = {};
  EXPECT_MESSAGE(UsageError, "no trial", tune(stream(), bare, options(Strategy::random)));
}
RTCG_INSTANTIATE_FOR_DEVICES(TuneTest);

}  // namespace
}  // namespace rtcg
