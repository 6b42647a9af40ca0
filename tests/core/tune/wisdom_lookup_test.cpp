#include "rtcg/tune/wisdom_lookup.h"

#include <cmath>

#include "core/tune/wisdom_support.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

Configuration group(std::int64_t size) {
  Configuration configuration;
  configuration.set("group", size);
  return configuration;
}

/// A record of 256 x 1024 on the asking device that names its group.
WisdomRecord record(std::int64_t size) {
  WisdomRecord result = test::wisdom_record();
  result.configuration = group(size);
  return result;
}

WisdomQuestion question() {
  const WisdomRecord r = test::wisdom_record();
  return {r.family, r.version, r.device, r.traits, r.sizes, group(1), [](const Configuration&) { return ""; }};
}

class WisdomLookUp : public testing::Test {
 protected:
  void know(const WisdomRecord& known, std::size_t tier = 0) { append_wisdom(path(tier), known); }
  std::filesystem::path path(std::size_t tier) const { return scratch_ / std::string(tiers_[tier]) / "smooth.jsonl"; }
  Selection ask(const WisdomQuestion& q = question()) const {
    std::vector<TierFile> files;
    for (std::size_t tier = 0; tier < tiers_.size(); ++tier) files.push_back({tiers_[tier], read_wisdom(path(tier))});
    return look_up(q, files);
  }
  const std::vector<std::string> tiers_{"user", "site", "shipped"};
  ScratchDirectory scratch_;
};

TEST_F(WisdomLookUp, WithoutWisdomTheDefaultAnswers) {
  const Selection answer = ask();
  EXPECT_EQ(answer.link, WisdomLink::standard);
  EXPECT_EQ(answer.configuration, group(1));
  EXPECT_EQ(answer.source, nullptr);
  EXPECT_TRUE(answer.passed_over.empty());
  EXPECT_EQ(answer.text(), "standard: nothing that fits is known");
}

TEST_F(WisdomLookUp, TheExactRecordAnswersWithItsPlace) {
  WisdomRecord other = record(2);
  other.sizes["height"] = 257;
  know(other);
  know(record(3));
  const Selection answer = ask();
  EXPECT_EQ(answer.link, WisdomLink::exact);
  EXPECT_EQ(answer.configuration, group(3));
  ASSERT_NE(answer.source, nullptr);
  EXPECT_EQ(answer.source->file, path(0));
  EXPECT_EQ(answer.source->line, 3u);
  EXPECT_EQ(answer.source->tier, "user");
  EXPECT_EQ(answer.source->record.seconds, 1.25e-4);
  EXPECT_EQ(answer.text(),
            "exact: border=zero dtype=float32 height=256 width=1024, from " + path(0).string() + ":3 (user)");
}

TEST_F(WisdomLookUp, OfOneProblemTheLaterRecordWins) {
  know(record(2)), know(record(3)), know(record(4));
  EXPECT_EQ(ask().configuration, group(4));
}

TEST_F(WisdomLookUp, TheNearestSizeAnswersByRatioNotByDifference) {
  WisdomRecord half = record(2), much = record(3);
  half.sizes["height"] = 100;  // 156 away, a ratio of 2.56
  much.sizes["height"] = 500;  // 244 away, a ratio of 1.95
  know(half), know(much);
  const Selection answer = ask();
  EXPECT_EQ(answer.link, WisdomLink::nearest);
  EXPECT_EQ(answer.configuration, group(3));
  EXPECT_NEAR(answer.distance, std::log2(500.0 / 256), 1e-12);
  EXPECT_NE(answer.text().find("0.97 factors of two away"), std::string::npos) << answer.text();
}

TEST_F(WisdomLookUp, WhatIsTooFarSaysNothing) {
  WisdomRecord far = record(2);
  far.sizes["height"] = 256 * 16;
  know(far);
  EXPECT_EQ(ask().link, WisdomLink::nearest);
  far.sizes["height"] = 256 * 16.1;
  std::filesystem::remove(path(0));
  know(far);
  EXPECT_EQ(ask().link, WisdomLink::standard);
}

TEST_F(WisdomLookUp, TheSameSizesUnderAnotherDriverBeatSizesFarOffButNotNearOnes) {
  WisdomRecord old = record(2), twice = record(3), alike = record(4);
  old.device.driver = "535.1";
  twice.sizes["width"] = 2048;
  alike.sizes["width"] = 1000;
  know(old), know(twice);
  Selection answer = ask();
  EXPECT_EQ(answer.configuration, group(2));
  EXPECT_EQ(answer.link, WisdomLink::nearest);
  EXPECT_NE(answer.text().find("with driver 535.1"), std::string::npos) << answer.text();
  know(alike);
  answer = ask();
  EXPECT_EQ(answer.configuration, group(4));
}

TEST_F(WisdomLookUp, AnotherCompilerIsNotExact) {
  WisdomRecord other = record(2);
  other.device.compiler = "NVRTC 12.4 for sm_90";
  know(other);
  EXPECT_EQ(ask().link, WisdomLink::nearest);
}

TEST_F(WisdomLookUp, AnotherDeviceOfTheArchitectureAnswersAfterTheOwn) {
  WisdomRecord sibling = record(2), own = record(3);
  sibling.device.name = "NVIDIA H100 PCIe";
  know(sibling);
  Selection answer = ask();
  EXPECT_EQ(answer.link, WisdomLink::architecture);
  EXPECT_EQ(answer.configuration, group(2));
  EXPECT_NE(answer.text().find("on NVIDIA H100 PCIe"), std::string::npos);
  own.sizes["height"] = 1024;
  know(own);
  answer = ask();
  EXPECT_EQ(answer.link, WisdomLink::nearest);
  EXPECT_EQ(answer.configuration, group(3));
}

TEST_F(WisdomLookUp, OtherArchitecturesTraitsVersionsAndBackEndsSayNothing) {
  std::vector<WisdomRecord> others(8, record(2));
  others[0].device.architecture = "sm_80";
  others[1].traits["border"] = "wrap";
  others[2].traits["layout"] = "planar";
  others[3].traits.erase("border");
  others[4].version = 2;
  others[5].device.backend = "OpenCL";
  others[6].sizes["depth"] = 1;
  others[7].verified = false;
  for (const WisdomRecord& other : others) know(other);
  EXPECT_EQ(ask().link, WisdomLink::standard);
}

TEST_F(WisdomLookUp, TheUsersWordCountsBeforeTheSitesAndTheShipped) {
  know(record(4), 2);
  EXPECT_EQ(ask().source->tier, "shipped");
  know(record(3), 1);
  EXPECT_EQ(ask().source->tier, "site");
  know(record(2), 0);
  EXPECT_EQ(ask().source->tier, "user");
  EXPECT_EQ(ask().configuration, group(2));
}

TEST_F(WisdomLookUp, AnExactRecordOfALaterTierBeatsANearOneOfAnEarlier) {
  WisdomRecord near = record(2);
  near.sizes["height"] = 255;
  know(near, 0);
  know(record(3), 2);
  EXPECT_EQ(ask().configuration, group(3));
}

TEST_F(WisdomLookUp, WhatCannotBeUsedIsPassedOverWithItsReason) {
  WisdomRecord near = record(16);
  near.sizes["height"] = 128;
  know(record(64)), know(record(2048)), know(near);
  WisdomQuestion q = question();
  q.objection = [](const Configuration& c) {
    return c == group(2048) ? "group 2048: more than this device's 1024"
           : c == group(64) ? "group 64: no such value"
                            : "";
  };
  const Selection answer = ask(q);
  EXPECT_EQ(answer.link, WisdomLink::nearest);
  EXPECT_EQ(answer.configuration, group(16));
  EXPECT_EQ(answer.passed_over,
            (std::vector<std::string>{path(0).string() + ":3: group 2048: more than this device's 1024",
                                      path(0).string() + ":2: group 64: no such value"}));
  q.objection = [](const Configuration&) { return "no"; };
  EXPECT_EQ(ask(q).link, WisdomLink::standard);
  EXPECT_EQ(ask(q).configuration, group(1));
  EXPECT_EQ(ask(q).passed_over.size(), 3u);
}

TEST_F(WisdomLookUp, BadLinesDoNotHideGoodOnes) {
  know(record(2));
  std::string text = read_bytes(path(0));
  write_bytes(path(0), "{{{{\n" + text.substr(0, text.size() - 20) + "\n" + text + "{\"schema\": 2}\n\xff\n");
  EXPECT_EQ(ask().link, WisdomLink::exact);
}

TEST(SizeDistance, IsTheRootOfSquaredOctaves) {
  EXPECT_EQ(size_distance({{"a", 3}}, {{"a", 3}}), 0);
  EXPECT_DOUBLE_EQ(size_distance({{"a", 8}}, {{"a", 1}}), 3);
  EXPECT_DOUBLE_EQ(size_distance({{"a", 1}, {"b", 2}, {"c", 4}}, {{"a", 2}, {"b", 1}, {"c", 8}}), std::sqrt(3.0));
  EXPECT_EQ(size_distance({}, {}), 0);
  EXPECT_EQ(size_distance({{"a", 1}}, {{"b", 1}}), infinite);
  EXPECT_EQ(size_distance({{"a", 1}}, {{"a", 1}, {"b", 1}}), infinite);
  EXPECT_EQ(size_distance({{"a", 0}}, {{"a", 0}}), 0);
  EXPECT_EQ(size_distance({{"a", 0}}, {{"a", 1}}), infinite);
}

}  // namespace
}  // namespace rtcg
