// `rtcg tune`, run as a user runs it, on wisdom of the test's own.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/common/picture.h"
#include "core/tune/wisdom_support.h"
#include "rtcg/environment.h"
#include "rtcg/tune/wisdom_file.h"
#include "support/process.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

using nlohmann::json;
using test::ProcessResult;

class RtcgTuneTest : public testing::Test {
 protected:
  ProcessResult tune(std::vector<std::string> arguments, std::map<std::string, std::string> environment = {}) const {
    arguments.insert(arguments.begin(), "tune");
    environment.insert({{"RTCG_CACHE_DIR", (scratch_ / "cache").string()},
                        {"RTCG_WISDOM", ""},
                        {"RTCG_WISDOM_DIR", user().string()},
                        {"RTCG_WISDOM_SITE", ""},
                        {"RTCG_COMPILE_CHECK", ""}});
    return test::run_process("rtcg", arguments, environment);
  }
  json tune_json(std::vector<std::string> arguments, int exit_code = 0,
                 const std::map<std::string, std::string>& environment = {}) const {
    arguments.insert(arguments.end(), {"--json", "-"});
    const ProcessResult result = tune(arguments, environment);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    return json::parse(result.out);
  }
  /// The exit code, when the standard error is one line that contains `part`.
  int refusal(const std::vector<std::string>& arguments, const std::string& part,
              const std::map<std::string, std::string>& environment = {}) const {
    const ProcessResult result = tune(arguments, environment);
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.err.rfind("rtcg: ", 0), 0u) << result.err;
    return result.exit_code;
  }
  std::filesystem::path user() const { return scratch_ / "user"; }
  std::filesystem::path smooth() const { return user() / "smooth.jsonl"; }

  /// Of this machine's preferred device, or another when it is named.
  WisdomRecord record(double height, const std::string& other_device = "") const {
    static const WisdomDevice here = WisdomDevice::of(Device::preferred());
    WisdomRecord result = test::wisdom_record();
    result.device = here;
    if (!other_device.empty()) result.device.name = other_device;
    result.sizes["height"] = height;
    return result;
  }
  std::vector<double> heights(const std::filesystem::path& file) const {
    std::vector<double> result;
    for (const WisdomEntry& entry : read_wisdom(file).entries) result.push_back(entry.record.sizes.at("height"));
    return result;
  }
  ScratchDirectory scratch_;
};

TEST_F(RtcgTuneTest, HelpsEverywhereWithAnExample) {
  EXPECT_EQ(tune({"--help"}).exit_code, 0);
  for (const char* command : {"list", "show", "run", "export", "merge", "verify", "forget"}) {
    const ProcessResult result = tune({command, "--help"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_NE(result.out.find(std::string("Example: rtcg tune ") + command), std::string::npos) << result.out;
  }
}

TEST_F(RtcgTuneTest, MistakesOnTheCommandLineEndWith2) {
  append_wisdom(smooth(), record(1));
  EXPECT_EQ(refusal({}, "subcommand is required"), 2);
  EXPECT_EQ(refusal({"frobnicate"}, "there is no command 'frobnicate'; see 'rtcg tune --help'"), 2);
  EXPECT_EQ(refusal({"show"}, "family is required"), 2);
  EXPECT_EQ(refusal({"show", "nothing"}, "there is no tunable family 'nothing'; there are: "), 2);
  EXPECT_EQ(refusal({"show", "../smooth"}, "no name of a tunable family"), 2);
  EXPECT_EQ(refusal({"forget", "smooth", "--size", "height"}, "--size 'height': not name=value"), 2);
  EXPECT_EQ(refusal({"forget", "smooth", "--size", "height=tall"}, "--size height=tall: not a number"), 2);
  EXPECT_EQ(refusal({"forget", "smooth", "--size", "height=1", "--size", "height=2"}, "'height': given twice"), 2);
  EXPECT_EQ(refusal({"forget", "smooth", "--trait", "=x"}, "--trait '=x': not name=value"), 2);
  EXPECT_EQ(refusal({"export"}, "--output is required"), 2);
  EXPECT_EQ(refusal({"merge"}, "files is required"), 2);
  EXPECT_EQ(refusal({"forget", "smooth"}, "turned off by RTCG_WISDOM=0", {{"RTCG_WISDOM", "0"}}), 2);
  EXPECT_EQ(refusal({"list"}, "RTCG_WISDOM=maybe", {{"RTCG_WISDOM", "maybe"}}), 2);
  EXPECT_EQ(heights(smooth()), std::vector<double>{1});
}

TEST_F(RtcgTuneTest, FilesThatAreNotThereEndWith3AndDevicesWith4) {
  EXPECT_EQ(refusal({"merge", (scratch_ / "absent").string()}, "there is no such file"), 3);
  EXPECT_EQ(refusal({"verify", (scratch_ / "absent").string()}, "there is no such file"), 3);
  EXPECT_EQ(refusal({"export", "smooth", "-o", (scratch_ / "x").string()}, "nothing to export"), 3);
  append_wisdom(smooth(), record(1));
  EXPECT_EQ(refusal({"export", "-o", "/nowhere/at/all/x"}, "/nowhere/at/all/x"), 3);
  EXPECT_EQ(refusal({"list", "--device", "cuda:77"}, "cuda:77"), 4);
}

TEST_F(RtcgTuneTest, ListsFamiliesAndWhatIsKnownForTheDevice) {
  append_wisdom(smooth(), record(1));
  append_wisdom(smooth(), record(2));
  append_wisdom(smooth(), record(3, "Elsewhere 9000"));
  const json result = tune_json({"list"});
  EXPECT_EQ(result["families"]["smooth"]["records"], 2);
  EXPECT_EQ(result["tiers"][0]["directory"], user().string());
  EXPECT_NE(tune({"list"}).out.find("2 records for this device"), std::string::npos);
}

TEST_F(RtcgTuneTest, TiersFollowTheEnvironment) {
  const auto tiers = [&](std::map<std::string, std::string> environment) {
    environment["POCL_CACHE_DIR"] = (scratch_ / "pocl").string();  // it would follow HOME
    environment.insert({"RTCG_WISDOM_DIR", ""});
    return tune({"list"}, environment).out;
  };
  EXPECT_NE(tiers({{"XDG_DATA_HOME", "/x"}}).find("user     /x/rtcg/wisdom\n"), std::string::npos);
  EXPECT_NE(tiers({{"XDG_DATA_HOME", ""}, {"HOME", "/h"}}).find("user     /h/.local/share/rtcg/wisdom\n"),
            std::string::npos);
  const std::string all = tiers({{"RTCG_WISDOM_DIR", "/u"}, {"RTCG_WISDOM_SITE", "/a:/b"}});
  const std::size_t first = all.find("user     /u\n"), second = all.find("site     /a\n"),
                    third = all.find("site     /b\n"), last = all.find("shipped  ");
  EXPECT_TRUE(first < second && second < third && third < last && last != all.npos) << all;
  EXPECT_NE(all.find("data/wisdom\n"), std::string::npos) << all;
  const std::string none = tiers({{"RTCG_WISDOM", "0"}, {"RTCG_WISDOM_DIR", "/u"}});
  EXPECT_EQ(none.find("user     "), std::string::npos) << none;
  EXPECT_NE(none.find("turned off"), std::string::npos) << none;
}

TEST_F(RtcgTuneTest, ShowsTheRecordsOfAFamily) {
  append_wisdom(smooth(), record(256));
  append_wisdom(smooth(), record(3, "Elsewhere 9000"));
  const std::string text = tune({"show", "smooth"}).out;
  EXPECT_NE(text.find(smooth().string() + ":2 (user)"), std::string::npos) << text;
  EXPECT_NE(text.find("border=zero dtype=float32 height=256 width=1024"), std::string::npos) << text;
  EXPECT_NE(text.find("group=128 unrolled=true kernel=rows"), std::string::npos) << text;
  EXPECT_NE(text.find("125.00 us +- 0.3 %, 8 TFLOP/s, 2.00 times the default's speed"), std::string::npos) << text;
  EXPECT_EQ(text.find("Elsewhere"), std::string::npos) << text;
  EXPECT_NE(tune({"show", "smooth", "--all-devices"}).out.find("Elsewhere 9000"), std::string::npos);
  const json result = tune_json({"show", "smooth"});
  ASSERT_EQ(result["records"].size(), 1u);
  EXPECT_EQ(result["records"][0]["line"], 2);
  EXPECT_EQ(result["records"][0]["sizes"]["height"], 256);
}

TEST_F(RtcgTuneTest, ExportedRecordsMergeElsewhere) {
  append_wisdom(smooth(), record(1));
  append_wisdom(smooth(), record(2));
  append_wisdom(smooth(), record(1));  // the newest of its problem
  append_wisdom(smooth(), record(3, "Elsewhere 9000"));
  append_wisdom(scratch_ / "site" / "smooth.jsonl", record(4));
  WisdomRecord other = record(5);
  other.family = "rough";
  append_wisdom(user() / "rough.jsonl", other);
  const std::map<std::string, std::string> with_site = {{"RTCG_WISDOM_SITE", (scratch_ / "site").string()}};
  const std::string file = (scratch_ / "all.jsonl").string();
  EXPECT_EQ(tune_json({"export", "smooth", "-o", file}, 0, with_site)["records"], 3);
  EXPECT_EQ(tune_json({"export", "-o", file}, 0, with_site)["records"], 4);
  EXPECT_EQ(tune_json({"export", "-o", file, "--all-devices"}, 0, with_site)["records"], 5);
  EXPECT_NE(tune({"export", "rough", "-o", "-"}).out.find("\"family\":\"rough\""), std::string::npos);

  const std::map<std::string, std::string> elsewhere = {{"RTCG_WISDOM_DIR", (scratch_ / "elsewhere").string()}};
  const json merged = tune_json({"merge", file}, 0, elsewhere);
  EXPECT_EQ(merged["read"], 5);
  EXPECT_EQ(merged["taken"], 5);
  EXPECT_EQ(heights(scratch_ / "elsewhere" / "smooth.jsonl").size(), 4u);
  EXPECT_EQ(heights(scratch_ / "elsewhere" / "rough.jsonl"), std::vector<double>{5});
  EXPECT_EQ(tune_json({"list"}, 0, elsewhere)["families"]["smooth"]["records"], 3);
}

TEST_F(RtcgTuneTest, MergingSkipsBadLinesWithAWarningForEach) {
  const std::string file = (scratch_ / "mixed.jsonl").string();
  write_bytes(file, to_line(record(1)) + "\nnonsense\n{\"schema\":5}\n" + to_line(record(2)) + "\n{\n");
  const ProcessResult result = tune({"merge", file, "-o", (scratch_ / "out.jsonl").string()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("warning: " + file + ":2: not JSON, or cut off\n"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("warning: " + file + ":5: "), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "2 records read, 2 taken; 2 lines not understood, 1 of another schema\n");
  EXPECT_EQ(heights(scratch_ / "out.jsonl"), (std::vector<double>{1, 2}));
}

TEST_F(RtcgTuneTest, VerifyNamesEveryLineThatCannotAnswer) {
  append_wisdom(smooth(), record(1));
  EXPECT_EQ(tune({"verify", smooth().string()}).exit_code, 0);
  write_bytes(smooth(), read_bytes(smooth()) + "{\"schema\":5}\nnonsense\n" + to_line(record(2)).substr(0, 99));
  const ProcessResult result = tune({"verify"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.out.find(smooth().string() + ":4: bad: not JSON, or cut off\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(smooth().string() + ":5: bad: not JSON, or cut off\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(smooth().string() + ":3: unused: schema 5"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("2 lines of wisdom are bad"), std::string::npos) << result.err;
  const json told = tune_json({"verify", smooth().string()}, 3);
  EXPECT_EQ(told["records"], 1);
  EXPECT_EQ(told["bad"], 2);
}

TEST_F(RtcgTuneTest, ARunRemembersAndTheNextProgramKnows) {
  const std::vector<std::string> problem = {"radix_sort",  "--size",  "length=5000",  "--trait",
                                            "key_bytes=8", "--trait", "value_bytes=8"};
  const auto with = [&](std::vector<std::string> first, const std::vector<std::string>& last) {
    first.insert(first.end(), problem.begin(), problem.end());
    first.insert(first.end(), last.begin(), last.end());
    return first;
  };
  EXPECT_EQ(tune_json(with({"show"}, {}))["selection"]["link"], "standard");
  const std::string png = (scratch_ / "search.png").string(), journal = (scratch_ / "journal").string();
  const std::vector<std::string> how = {"--variants", "3",      "--seconds", "6",         "--strategy",
                                        "random",     "--seed", "5",         "--journal", journal};
  std::vector<std::string> drawn = how;
  if (app::pictures_available())
    drawn.insert(drawn.end(), {"--png", png});
  else
    write_bytes(png, " PNG");
  const ProcessResult result = tune(with({"run"}, drawn));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("default "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("Remembered in " + (user() / "radix_sort.jsonl").string()), std::string::npos)
      << result.out;
  EXPECT_EQ(read_bytes(png).substr(1, 3), "PNG");
  const json chosen = tune_json(with({"show"}, {}));
  EXPECT_EQ(chosen["selection"]["link"], "exact");
  EXPECT_EQ(chosen["selection"]["line"], 2);

  const json again = tune_json(with({"run"}, how));  // everything is in the journal
  EXPECT_EQ(again["resumed"], again["variants"].size());
  EXPECT_GE(again["variants"].size(), 1u);
  EXPECT_EQ(refusal(with({"run"}, {"--journal", journal, "--seed", "6"}), "not the journal of this search"), 3);

  const json verified = tune_json({"verify", "--run", (user() / "radix_sort.jsonl").string()});
  EXPECT_EQ(verified["records"], 2);
  EXPECT_EQ(verified["unused"], 0);
  EXPECT_EQ(verified["runs"].size(), 2u);
  EXPECT_GT(verified["runs"][0]["seconds"], 0);
}

TEST_F(RtcgTuneTest, ProcessesThatTuneAtOnceLoseNoRecord) {
  const std::vector<int> codes = test::fork_all(2, [&](int index) {
    return tune({"run", "scan", "--size", index == 0 ? "count=4096" : "count=65536", "--variants", "3", "--seconds",
                 "6", "--quiet"})
        .exit_code;
  });
  EXPECT_EQ(codes, (std::vector<int>{0, 0}));
  const WisdomFile file = read_wisdom(user() / "scan.jsonl");
  EXPECT_EQ(file.entries.size(), 2u);
  EXPECT_TRUE(file.bad.empty());
}

TEST_F(RtcgTuneTest, AKilledRunGoesOn) {
  const std::string journal = (scratch_ / "journal").string();
  std::vector<std::string> how = {"run",        "radix_sort", "--size",    "length=3000",
                                  "--strategy", "random",     "--journal", journal};
  const int child = test::fork_one([&] {
    setenv("RTCG_WISDOM_DIR", user().c_str(), 1);
    const std::string program = test::built_binary("rtcg").string();
    std::vector<const char*> arguments{program.c_str(), "tune"};
    for (const std::string& argument : how) arguments.push_back(argument.c_str());
    arguments.push_back("--quiet");
    arguments.push_back(nullptr);
    execv(program.c_str(), const_cast<char* const*>(arguments.data()));
    return 1;
  });
  const auto lines = [&] {
    const std::string text = read_bytes(journal);
    return std::count(text.begin(), text.end(), '\n');
  };
  for (int n = 0; n < 4000 && lines() < 2; ++n) usleep(5000);  // until the first variant is known
  kill(child, SIGKILL);
  const int code = test::wait_for(child);
  EXPECT_TRUE(code == 128 + SIGKILL || code == 0) << code;  // a fast device is done before it is killed
  ASSERT_GE(lines(), 2);
  const auto known = static_cast<std::size_t>(lines() - 1);
  how.insert(how.end(), {"--variants", "4"});
  const json result = tune_json(how);
  EXPECT_GE(result["resumed"].get<std::size_t>(), std::min<std::size_t>(known, result["variants"].size()));
  EXPECT_LE(result["variants"].size(), 4u);
}

TEST_F(RtcgTuneTest, ARunRefusesWhatItCannotDo) {
  EXPECT_EQ(refusal({"run", "nothing"}, "there is no tunable family 'nothing'"), 2);
  EXPECT_EQ(refusal({"run", "radix_sort", "--size", "width=5"}, "has no size 'width'; it has: length"), 2);
  EXPECT_EQ(refusal({"run", "radix_sort", "--size", "length=0"}, "length is 0, where it must be more than 0"), 2);
  EXPECT_EQ(refusal({"run", "radix_sort", "--trait", "key_bytes=3"}, "key_bytes '3' is none of 4, 8"), 2);
  EXPECT_EQ(refusal({"run", "radix_sort", "--strategy", "luck"}, "there are exhaustive, random, local, annealing"), 2);
  EXPECT_EQ(refusal({"run", "radix_sort", "--seconds", "-1"}, "-1"), 2);
  EXPECT_EQ(refusal({"run", "radix_sort", "--variants", "0"}, "--variants"), 2);
  EXPECT_EQ(refusal({"run", "radix_sort", "--device", "cuda:77"}, "cuda:77"), 4);
  EXPECT_EQ(refusal({"run", "radix_sort", "--png", "/nowhere/at/all/x.png"}, "/nowhere/at/all/x.png"),
            app::pictures_available() ? 3 : 2);
  EXPECT_EQ(refusal({"run", "radix_sort", "--journal", "/nowhere/at/all/x"}, "/nowhere/at/all/x"), 3);
  EXPECT_FALSE(std::filesystem::exists(user()));
}

TEST_F(RtcgTuneTest, ForgetsByFamilyDeviceAndSizes) {
  for (const double height : {1.0, 2.0, 2.0, 3.0}) append_wisdom(smooth(), record(height));
  append_wisdom(smooth(), record(2, "Elsewhere 9000"));
  const std::string device = Device::preferred().id();
  EXPECT_EQ(tune_json({"forget", "smooth", "--size", "height=7"})["forgotten"], 0);
  EXPECT_EQ(tune_json({"forget", "smooth", "--size", "height=2", "--device", device})["forgotten"], 2);
  EXPECT_EQ(heights(smooth()), (std::vector<double>{1, 3, 2}));
  EXPECT_EQ(tune_json({"forget", "smooth", "--size", "height=2"})["forgotten"], 1);
  EXPECT_EQ(tune_json({"forget", "smooth", "--trait", "border=wrap"})["forgotten"], 0);
  EXPECT_EQ(tune_json({"forget", "smooth", "--trait", "border=zero", "--size", "height=1"})["forgotten"], 1);
  EXPECT_EQ(tune({"forget", "smooth"}).out, smooth().string() + ": 1 records forgotten\n");
  EXPECT_EQ(tune_json({"forget", "absent"})["forgotten"], 0);
}

}  // namespace
}  // namespace rtcg
