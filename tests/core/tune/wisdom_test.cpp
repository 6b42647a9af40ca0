#include "rtcg/tune/wisdom.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "core/tune/wisdom_support.h"
#include "rtcg/error.h"
#include "rtcg/warning.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

using std::int64_t;

Tunable problem(double height = 256) {
  Tunable tunable;
  tunable.family = "smooth";
  tunable.version = 3;
  tunable.traits = {{"border", "zero"}, {"dtype", "float32"}, {"layout", "interleaved"}};
  tunable.sizes = {{"height", height}, {"width", 1024}, {"images", 1}, {"channels", 8},
                   {"filters", 64},    {"rows", 9},     {"columns", 9}};
  tunable.space.parameter("group", {int64_t{32}, int64_t{128}, int64_t{4096}, int64_t{1} << 40}, int64_t{32})
      .parameter("unrolled", {false, true}, false)
      .constraint("unrolled groups are of 128", {"group", "unrolled"},
                  [](const Configuration& c) { return !c.flag("unrolled") || c.integer("group") == 128; });
  tunable.demand = [](const Configuration& c) {
    Demand demand;
    demand.work_group_size = static_cast<std::size_t>(c.integer("group"));
    return demand;
  };
  return tunable;
}

Configuration chosen(int64_t group, bool unrolled = false) {
  return Configuration({{"group", group}, {"unrolled", unrolled}});
}

class WisdomTest : public test::DeviceTest {
 protected:
  Wisdom opened() const { return Wisdom({{"user", scratch_ / "user", true}, {"site", scratch_ / "site", false}}); }
  WisdomRecord record(const Configuration& configuration, const Tunable& tunable = problem()) const {
    WisdomRecord result = test::wisdom_record();
    result.device = WisdomDevice::of(device());
    result.traits = tunable.traits, result.sizes = tunable.sizes;
    result.configuration = configuration;
    return result;
  }
  ScratchDirectory scratch_;
};

TEST_P(WisdomTest, RemembersWhatIsRecordedWithoutAnotherProcess) {
  Wisdom wisdom = opened();
  EXPECT_EQ(wisdom.select(device(), problem()).link, WisdomLink::standard);
  EXPECT_EQ(wisdom.select(device(), problem()).configuration, problem().space.standard());
  wisdom.record(record(chosen(128, true)));
  const Selection answer = wisdom.select(device(), problem());
  EXPECT_EQ(answer.link, WisdomLink::exact);
  EXPECT_EQ(answer.configuration, chosen(128, true));
  EXPECT_EQ(answer.source->file, scratch_ / "user" / "smooth.jsonl");
  EXPECT_EQ(answer.source->line, 2u);
  EXPECT_EQ(wisdom.select(device(), problem(512)).link, WisdomLink::nearest);
  wisdom.record(record(chosen(32), problem(512)));
  EXPECT_EQ(wisdom.select(device(), problem(512)).link, WisdomLink::exact);
  EXPECT_EQ(wisdom.select(device(), problem()).configuration, chosen(128, true));
}

TEST_P(WisdomTest, AnAnswerIsKeptForExactlyItsProblem) {
  Wisdom wisdom = opened();
  wisdom.record(record(chosen(128)));
  EXPECT_EQ(wisdom.select(device(), problem()).link, WisdomLink::exact);
  Tunable other = problem();
  other.traits["border"] = "wrap";
  EXPECT_EQ(wisdom.select(device(), other).link, WisdomLink::standard);
  other = problem();
  other.version = 4;
  EXPECT_EQ(wisdom.select(device(), other).link, WisdomLink::standard);
  other = problem();
  other.sizes["width"] = 1025;
  EXPECT_EQ(wisdom.select(device(), other).link, WisdomLink::nearest);
  other.sizes.erase("width");
  EXPECT_EQ(wisdom.select(device(), other).link, WisdomLink::standard);
  other = problem();
  other.traits.erase("border");
  other.traits["edge"] = "zero";  // the same values under other names
  EXPECT_EQ(wisdom.select(device(), other).link, WisdomLink::standard);
  EXPECT_EQ(wisdom.select(device(), problem()).link, WisdomLink::exact);
}

TEST_P(WisdomTest, ConfigurationsThatNoLongerFitAreNeverUsed) {
  const auto refused = [&](const Configuration& configuration, const std::string& reason) {
    const ScratchDirectory place;
    Wisdom wisdom({{"user", place.path(), true}});
    wisdom.record(record(configuration));
    const Selection answer = wisdom.select(device(), problem());
    EXPECT_EQ(answer.link, WisdomLink::standard);
    ASSERT_EQ(answer.passed_over.size(), 1u);
    EXPECT_EQ(answer.passed_over[0].rfind((place / "smooth.jsonl").string() + ":2: ", 0), 0u) << answer.passed_over[0];
    EXPECT_NE(answer.passed_over[0].find(reason), std::string::npos) << answer.passed_over[0];
  };
  refused(chosen(64), "group");
  refused(chosen(32, true), "unrolled groups are of 128");
  refused(chosen(int64_t{1} << 40), "1099511627776");  // no device takes such a work-group
  refused(Configuration({{"group", int64_t{32}}}), "unrolled");
  refused(Configuration({{"group", int64_t{32}}, {"unrolled", false}, {"tile", int64_t{4}}}), "tile");
  refused(Configuration({{"group", std::string("32")}, {"unrolled", false}}), "group");
}

TEST_P(WisdomTest, SeesOtherProcessesRecordsAfterTheFilesAreReadAgain) {
  Wisdom wisdom = opened();
  EXPECT_EQ(wisdom.select(device(), problem()).link, WisdomLink::standard);
  append_wisdom(scratch_ / "user" / "smooth.jsonl", record(chosen(128)));
  EXPECT_EQ(wisdom.select(device(), problem()).link, WisdomLink::standard);
  wisdom.forget_answers();
  EXPECT_EQ(wisdom.select(device(), problem()).link, WisdomLink::exact);
}

TEST_P(WisdomTest, ReadOnlyTiersAreAskedAndNeverWritten) {
  append_wisdom(scratch_ / "site" / "smooth.jsonl", record(chosen(128)));
  const std::string before = read_bytes(scratch_ / "site" / "smooth.jsonl");
  Wisdom wisdom = opened();
  EXPECT_EQ(wisdom.select(device(), problem()).source->tier, "site");
  wisdom.record(record(chosen(32)));
  EXPECT_EQ(wisdom.select(device(), problem()).source->tier, "user");
  EXPECT_EQ(read_bytes(scratch_ / "site" / "smooth.jsonl"), before);

  Wisdom closed({{"site", scratch_ / "site", false}});
  EXPECT_FALSE(closed.can_record());
  EXPECT_MESSAGE(UsageError, "RTCG_WISDOM", closed.record(record(chosen(32))));
  Wisdom none({});
  EXPECT_EQ(none.select(device(), problem()).link, WisdomLink::standard);
}

TEST_P(WisdomTest, ADamagedFileIsWarnedOfOnceAndStillAnswers) {
  std::vector<std::string> warnings;
  set_warning_handler([&](const std::string& text) { warnings.push_back(text); });
  append_wisdom(scratch_ / "user" / "smooth.jsonl", record(chosen(128)));
  write_bytes(scratch_ / "user" / "smooth.jsonl", "half a li\n" + read_bytes(scratch_ / "user" / "smooth.jsonl"));
  Wisdom wisdom = opened();
  for (const double height : {256.0, 300.0, 500.0})
    EXPECT_NE(wisdom.select(device(), problem(height)).link, WisdomLink::standard);
  set_warning_handler({});
  EXPECT_EQ(warnings,
            (std::vector<std::string>{(scratch_ / "user" / "smooth.jsonl").string() + ":1: not JSON, or cut off"}));
}

TEST_P(WisdomTest, ManyThreadsAskAndRecordAtOnce) {
  Wisdom wisdom = opened();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int n = 0; n < 50; ++n) {
        const double height = 100 + 50 * t + n;
        wisdom.record(record(chosen(128), problem(height)));
        if (wisdom.select(device(), problem(height)).link != WisdomLink::exact) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(WisdomTest, AKnownAnswerComesWithinAMicrosecond) {
  Wisdom wisdom = opened();
  wisdom.record(record(chosen(128)));
  const Tunable tunable = problem();
  wisdom.select(device(), tunable);
  double least = 1;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int n = 0; n < 1000; ++n)
      if (wisdom.select(device(), tunable).link != WisdomLink::exact) FAIL();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 1000);
  }
  RecordProperty("nanoseconds", static_cast<int>(1e9 * least));
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(least, 1e-6);
#endif
}
RTCG_INSTANTIATE_FOR_DEVICES(WisdomTest);

}  // namespace
}  // namespace rtcg
