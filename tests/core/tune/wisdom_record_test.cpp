#include "rtcg/tune/wisdom_record.h"

#include <algorithm>

#include "core/tune/wisdom_support.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, text.npos) << part;
  return at == text.npos ? text : text.replace(at, part.size(), by);
}

TEST(WisdomRecord, ALineGivesBackEveryMember) {
  const WisdomRecord record = test::wisdom_record();
  const ParsedLine line = parse_wisdom_line(to_line(record));
  ASSERT_EQ(line.kind, LineKind::record);
  const WisdomRecord& back = line.record;
  EXPECT_TRUE(back.same_problem(record));
  EXPECT_EQ(back.family, "smooth");
  EXPECT_EQ(back.version, 3);
  EXPECT_EQ(back.device, record.device);
  EXPECT_EQ(back.traits, record.traits);
  EXPECT_EQ(back.sizes, record.sizes);
  EXPECT_EQ(back.configuration, record.configuration);
  EXPECT_EQ(back.seconds, record.seconds);
  EXPECT_EQ(back.noise, record.noise);
  EXPECT_EQ(back.samples, 41);
  EXPECT_EQ(back.default_seconds, record.default_seconds);
  EXPECT_EQ(back.work, 1e9);
  EXPECT_EQ(back.unit, "FLOP");
  EXPECT_TRUE(back.verified);
  EXPECT_EQ(back.date, record.date);
  EXPECT_EQ(back.suite, record.suite);
  EXPECT_EQ(back.system, record.system);
  EXPECT_EQ(back.strategy, "local");
  EXPECT_EQ(back.seed, 18446744073709551615u);
  EXPECT_EQ(back.tried, 120);
  EXPECT_EQ(back.failed, 4);
  EXPECT_EQ(back.search_seconds, 31.5);
}

TEST(WisdomRecord, SizesThatAreNoBinaryFractionsComeBackEqual) {
  WisdomRecord record = test::wisdom_record();
  record.sizes["height"] = 1.0 / 3.0;
  EXPECT_TRUE(parse_wisdom_line(to_line(record)).record.same_problem(record));
}

TEST(WisdomRecord, IsOneLineWhateverItsTextsHold) {
  WisdomRecord record = test::wisdom_record();
  record.traits["note"] = "two\nlines \"quoted\" \\ and \x01";
  record.device.driver = "caf\xe9";  // Latin-1
  const std::string line = to_line(record);
  EXPECT_EQ(line.find('\n'), line.npos);
  EXPECT_EQ(parse_wisdom_line(line).record.traits, record.traits);
}

TEST(WisdomRecord, WhatDescribesTheSearchMayBeMissingAndUnknownMembersAreIgnored) {
  const std::string line =
      R"({"family":"f","version":1,"device":{"name":"n","architecture":"a","driver":"d","compiler":"c","colour":"red"},)"
      R"("traits":{},"sizes":{"n":8},"configuration":{"x":1},"seconds":0.5,"verified":true,"mood":["good"]})";
  const ParsedLine parsed = parse_wisdom_line(line);
  ASSERT_EQ(parsed.kind, LineKind::record);
  EXPECT_EQ(parsed.record.seconds, 0.5);
  EXPECT_EQ(parsed.record.default_seconds, 0);
  EXPECT_EQ(parsed.record.strategy, "");
}

TEST(WisdomRecord, HeadersBlanksAndOtherSchemasAreTold) {
  EXPECT_EQ(parse_wisdom_line(wisdom_header("smooth")).kind, LineKind::header);
  EXPECT_EQ(parse_wisdom_line("").kind, LineKind::blank);
  EXPECT_EQ(parse_wisdom_line(" \t\r").kind, LineKind::blank);
  const ParsedLine later = parse_wisdom_line(R"({"schema":7,"shape":"nobody knows"})");
  EXPECT_EQ(later.kind, LineKind::foreign);
  EXPECT_EQ(later.schema, 7);
}

TEST(WisdomRecord, EachMistakeIsNamed) {
  const std::string good = to_line(test::wisdom_record());
  const auto refused = [&](const std::string& part, const std::string& by, const std::string& what) {
    SCOPED_TRACE(by);
    EXPECT_MESSAGE(InputError, what, parse_wisdom_line(replaced(good, part, by)));
  };
  EXPECT_MESSAGE(InputError, "not JSON, or cut off", parse_wisdom_line(good.substr(0, good.size() / 2)));
  EXPECT_MESSAGE(InputError, "not JSON, or cut off", parse_wisdom_line(good + good));
  EXPECT_MESSAGE(InputError, "not JSON, or cut off", parse_wisdom_line(std::string(40, '\0')));
  EXPECT_MESSAGE(InputError, "not a JSON object", parse_wisdom_line("[1, 2]"));
  refused("\"schema\":1", "\"schema\":\"one\"", "\"schema\" is not a whole number");
  refused("\"family\":\"smooth\"", "\"familie\":\"smooth\"", "\"family\" is missing");
  refused("\"version\":3", "\"version\":3.5", "\"version\" is not a whole number");
  refused("\"version\":3", "\"version\":-3", "\"version\" is -3, less than 0");
  refused("\"architecture\":\"sm_90\"", "\"architecture\":90", "\"architecture\" is not a text");
  refused("\"border\":\"zero\"", "\"border\":0", "\"border\" is not a text");
  refused("\"height\":256", "\"height\":\"256\"", "\"height\" is not a number");
  refused("\"height\":256", "\"height\":-1", "\"height\" is -1");
  refused("\"height\":256", "\"height\":1e999", "not JSON");
  refused("\"group\":128", "\"group\":1.5", "parameter \"group\"");
  refused("\"group\":128", "\"group\":[128]", "parameter \"group\"");
  refused("\"seconds\":0.000125", "\"seconds\":0", "\"seconds\" is 0");
  refused("\"seconds\":0.000125", "\"seconds\":-1", "\"seconds\" is -1");
  refused("\"verified\":true", "\"verified\":1", "\"verified\" is not true or false");
  refused("\"seed\":18446744073709551615", "\"seed\":-1", "\"seed\" is not a whole number");
  refused("\"search\":{", "\"search\":5,\"was\":{", "\"search\" is not an object");
  refused("\"configuration\":{", "\"configuration\":null,\"was\":{", "\"configuration\" is not an object");
}

TEST(WisdomRecord, EveryCutOfALineIsRefusedWithoutHarm) {
  const std::string good = to_line(test::wisdom_record());
  for (std::size_t length = 1; length < good.size(); ++length)
    EXPECT_THROW(parse_wisdom_line(good.substr(0, length)), InputError) << length;
}

TEST(WisdomRecord, TheProblemIsWhereItRunsAndWhatItIs) {
  const WisdomRecord record = test::wisdom_record();
  const auto differs = [&](auto change) {
    WisdomRecord other = record;
    change(other);
    return !record.same_problem(other);
  };
  EXPECT_TRUE(differs([](WisdomRecord& r) { r.family = "other"; }));
  EXPECT_TRUE(differs([](WisdomRecord& r) { r.version = 4; }));
  EXPECT_TRUE(differs([](WisdomRecord& r) { r.device.driver = "581"; }));
  EXPECT_TRUE(differs([](WisdomRecord& r) { r.device.compiler = "NVRTC 13.1"; }));
  EXPECT_TRUE(differs([](WisdomRecord& r) { r.traits["border"] = "wrap"; }));
  EXPECT_TRUE(differs([](WisdomRecord& r) { r.sizes["width"] = 1025; }));
  EXPECT_FALSE(differs([](WisdomRecord& r) { r.seconds = 1, r.date = "", r.system = "", r.seed = 1; }));
  EXPECT_EQ(record.problem_text(), "border=zero dtype=float32 height=256 width=1024");
}

TEST(WisdomRecord, DatesSortAsTextAndMachinesAreNamed) {
  const std::string date = wisdom_date();
  ASSERT_EQ(date.size(), 20u);
  EXPECT_EQ(date[10], 'T');
  EXPECT_GT(date, "2024");
  EXPECT_NE(wisdom_system().find("Linux"), std::string::npos);
}

class WisdomDeviceTest : public test::DeviceTest {};

TEST_P(WisdomDeviceTest, NamesDeviceDriverAndCompilerOnOneLine) {
  const WisdomDevice known = WisdomDevice::of(device());
  EXPECT_EQ(known.name, device().properties().name);
  EXPECT_EQ(known.architecture, device().properties().architecture);
  EXPECT_EQ(known.driver, device().properties().driver);
  EXPECT_FALSE(known.compiler.empty());
  EXPECT_LE(known.compiler.size(), 160u);
  EXPECT_EQ(known.compiler.find('\n'), std::string::npos);
  EXPECT_EQ(known, WisdomDevice::of(device()));
}
RTCG_INSTANTIATE_FOR_DEVICES(WisdomDeviceTest);

}  // namespace
}  // namespace rtcg
