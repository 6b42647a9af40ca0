#include "rtcg/tune/wisdom_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "core/tune/wisdom_support.h"
#include "rtcg/error.h"
#include "rtcg/warning.h"
#include "support/process.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

WisdomRecord numbered(int n) {
  WisdomRecord record = test::wisdom_record();
  record.sizes["height"] = n;
  return record;
}

class WisdomFileTest : public testing::Test {
 protected:
  std::filesystem::path path() const { return scratch_ / "smooth.jsonl"; }
  std::vector<double> heights() const {
    std::vector<double> result;
    for (const WisdomEntry& entry : read_wisdom(path()).entries) {
      const auto height = entry.record.sizes.find("height");
      result.push_back(height == entry.record.sizes.end() ? -1 : height->second);
    }
    return result;
  }
  ScratchDirectory scratch_;
};

TEST_F(WisdomFileTest, AFileThatIsNotThereIsEmptyAndANewOneOpensWithAHeader) {
  EXPECT_TRUE(read_wisdom(path()).entries.empty());
  EXPECT_TRUE(read_wisdom(path()).bad.empty());
  const std::filesystem::path below = scratch_ / "a" / "b" / "smooth.jsonl";
  append_wisdom(below, numbered(1));
  append_wisdom(below, numbered(2));
  EXPECT_EQ(read_bytes(below),
            wisdom_header("smooth") + '\n' + to_line(numbered(1)) + '\n' + to_line(numbered(2)) + '\n');
  const WisdomFile file = read_wisdom(below);
  ASSERT_EQ(file.entries.size(), 2u);
  EXPECT_EQ(file.entries[0].line, 2u);
  EXPECT_EQ(file.entries[1].line, 3u);
}

TEST_F(WisdomFileTest, BadLinesCostNoOther) {
  std::string cut = to_line(numbered(3));
  cut.resize(cut.size() / 2);
  write_bytes(path(), to_line(numbered(1)) + "\r\n\n" + "what is this?\n" + to_line(numbered(2)) + "\n" + cut + "\n" +
                          R"({"schema":9,"x":1})" + "\n" + std::string(9, '\0') + "\n" + "[]\n" + "\xff\xfe\n" +
                          to_line(numbered(4)));
  const WisdomFile file = read_wisdom(path());
  EXPECT_EQ(heights(), (std::vector<double>{1, 2, 4}));
  ASSERT_EQ(file.bad.size(), 5u);
  EXPECT_EQ(file.bad[0].line, 3u);
  EXPECT_EQ(file.bad[0].what, "not JSON, or cut off");
  EXPECT_EQ(file.bad[1].line, 5u);
  ASSERT_EQ(file.foreign.size(), 1u);
  EXPECT_EQ(file.foreign[0].line, 6u);
  EXPECT_NE(file.foreign[0].what.find("schema 9"), std::string::npos);
}

TEST_F(WisdomFileTest, RandomDamageToALineCostsNoOther) {
  std::mt19937 random(7);
  const std::string before = to_line(numbered(1)) + "\n", after = "\n" + to_line(numbered(2)) + "\n";
  for (int round = 0; round < 400; ++round) {
    std::string line = to_line(numbered(3));
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      const std::size_t at = random() % line.size();
      switch (random() % 3) {
        case 0:
          line[at] = static_cast<char>(random());
          break;
        case 1:
          line.erase(at, 1 + random() % 9);
          break;
        default:
          line.insert(at, std::string(1 + random() % 3, "{}[]\",:0-eE.\\"[random() % 13]));
      }
      if (line.empty()) line = " ";
    }
    write_bytes(path(), before + line + after);
    const std::vector<double> found = heights();
    ASSERT_GE(found.size(), 2u) << line;
    EXPECT_EQ(found.front(), 1) << line;
    EXPECT_EQ(found.back(), 2) << line;
  }
}

TEST_F(WisdomFileTest, AWarningNamesTheFirstBadLine) {
  std::vector<std::string> warnings;
  set_warning_handler([&](const std::string& text) { warnings.push_back(text); });
  write_bytes(path(), to_line(numbered(1)) + "\nnonsense\n");
  warn_about(read_wisdom(path()));
  write_bytes(path(), to_line(numbered(1)) + "\nnonsense\n{\n[]\n");
  warn_about(read_wisdom(path()));
  write_bytes(path(), to_line(numbered(1)) + "\n{\"schema\":2}\n");
  warn_about(read_wisdom(path()));
  set_warning_handler({});
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], path().string() + ":2: not JSON, or cut off");
  EXPECT_EQ(warnings[1],
            path().string() + ":2: not JSON, or cut off (and 2 more lines; 'rtcg tune verify' lists them)");
}

TEST_F(WisdomFileTest, WhatIsNoFileIsARemark) {
  std::filesystem::create_directory(path());
  const WisdomFile file = read_wisdom(path());
  ASSERT_EQ(file.bad.size(), 1u);
  EXPECT_EQ(file.bad[0].line, 0u);
  EXPECT_EQ(file.bad[0].what, "not a regular file");
  EXPECT_MESSAGE(InputError, path().string(), append_wisdom(path(), numbered(1)));
}

TEST_F(WisdomFileTest, EveryStageOfAKilledWriteCostsOnlyItsOwnRecord) {
  const std::string first = to_line(numbered(1)) + "\n", torn = to_line(numbered(2)) + "\n";
  for (std::size_t length = 0; length < torn.size(); length += 7) {
    write_bytes(path(), first + torn.substr(0, length));
    append_wisdom(path(), numbered(3));
    EXPECT_EQ(heights(), (std::vector<double>{1, 3})) << length;
    EXPECT_EQ(read_wisdom(path()).bad.size(), length == 0 ? 0u : 1u);
  }
}

TEST_F(WisdomFileTest, ALastLineWithoutItsNewlineStillCounts) {
  write_bytes(path(), to_line(numbered(1)));
  append_wisdom(path(), numbered(2));
  EXPECT_EQ(heights(), (std::vector<double>{1, 2}));
}

TEST_F(WisdomFileTest, ManyProcessesAppendAtOnce) {
  constexpr int processes = 8, each = 40;
  const std::vector<int> codes = test::fork_all(processes, [&](int index) {
    for (int n = 0; n < each; ++n) append_wisdom(path(), numbered(index * each + n));
    return read_wisdom(path()).bad.empty() ? 0 : 1;
  });
  for (const int code : codes) EXPECT_EQ(code, 0);
  const WisdomFile file = read_wisdom(path());
  EXPECT_TRUE(file.bad.empty());
  const std::vector<double> found = heights();
  EXPECT_EQ(std::set<double>(found.begin(), found.end()).size(), static_cast<std::size_t>(processes * each));
  EXPECT_EQ(found.size(), static_cast<std::size_t>(processes * each));
  // Each process's own records keep their order.
  std::map<int, double> last;
  for (const double height : found) {
    const int process = static_cast<int>(height) / each;
    EXPECT_TRUE(!last.contains(process) || last[process] < height);
    last[process] = height;
  }
  const std::string text = read_bytes(path());
  EXPECT_EQ(text.find(wisdom_header("smooth"), 1), text.npos) << "one header only";
}

TEST_F(WisdomFileTest, KilledWritersCostNoOtherRecord) {
  // Children are killed at random moments of appending; what others append stays whole.
  int appended = 0;
  for (int round = 0; round < 12; ++round) {
    const int child = test::fork_one([&] {
      for (int n = 1000;; ++n) append_wisdom(path(), numbered(n));
      return 0;
    });
    usleep(static_cast<useconds_t>(500 + 613 * round));
    append_wisdom(path(), numbered(appended++));
    kill(child, SIGKILL);
    EXPECT_EQ(test::wait_for(child), 128 + SIGKILL);
    append_wisdom(path(), numbered(appended++));
  }
  std::set<double> found;
  for (const double height : heights()) found.insert(height);
  for (int n = 0; n < appended; ++n) EXPECT_TRUE(found.contains(n)) << n;
  EXPECT_LE(read_wisdom(path()).bad.size(), 12u);
}

TEST_F(WisdomFileTest, RewritingLosesNothingThatIsAppendedMeanwhile) {
  constexpr int processes = 3, each = 60;
  const std::vector<int> codes = test::fork_all(processes + 1, [&](int index) {
    if (index == processes) {
      for (int n = 0; n < 40; ++n)
        remove_wisdom(path(), [](const WisdomEntry& e) { return e.record.sizes.at("height") < 0; });
      for (int n = 0; n < 40; ++n) merge_wisdom(path(), {numbered(100000)});
      return 0;
    }
    for (int n = 0; n < each; ++n) append_wisdom(path(), numbered(index * each + n));
    return 0;
  });
  for (const int code : codes) EXPECT_EQ(code, 0);
  const std::vector<double> found = heights();
  EXPECT_EQ(found.size(), static_cast<std::size_t>(processes * each + 1));
  EXPECT_TRUE(read_wisdom(path()).bad.empty());
}

TEST_F(WisdomFileTest, AFullDiskLeavesTheFileAsItWas) {
  append_wisdom(path(), numbered(1));
  const std::string before = read_bytes(path());
  const int child = test::fork_one([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{before.size() + 100, before.size() + 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      append_wisdom(path(), numbered(2));
    } catch (const InputError&) {
      return 3;
    }
    return 0;
  });
  EXPECT_EQ(test::wait_for(child), 3);
  EXPECT_EQ(read_bytes(path()), before);
}

TEST_F(WisdomFileTest, ARecordThatNobodyCouldReadIsNotWritten) {
  WisdomRecord record = test::wisdom_record();
  record.seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_MESSAGE(UsageError, "no reader would take the record", append_wisdom(path(), record));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(WisdomFileTest, RemovingKeepsWhatIsNotUnderstood) {
  write_bytes(path(), wisdom_header("smooth") + "\nnonsense\n" + to_line(numbered(1)) + "\n{\"schema\":2}\n" +
                          to_line(numbered(2)) + "\n");
  EXPECT_EQ(remove_wisdom(path(), [](const WisdomEntry& e) { return e.record.sizes.at("height") == 1; }), 1u);
  EXPECT_EQ(read_bytes(path()), wisdom_header("smooth") + "\nnonsense\n{\"schema\":2}\n" + to_line(numbered(2)) + "\n");
  EXPECT_EQ(remove_wisdom(path(), [](const WisdomEntry&) { return false; }), 0u);
  EXPECT_EQ(remove_wisdom(scratch_ / "absent.jsonl", [](const WisdomEntry&) { return true; }), 0u);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "absent.jsonl"));
}

TEST_F(WisdomFileTest, MergingKeepsTheNewestOfEqualProblems) {
  const auto dated = [](int n, const std::string& date, double seconds) {
    WisdomRecord record = numbered(n);
    record.date = date;
    record.seconds = seconds;
    return record;
  };
  append_wisdom(path(), dated(1, "2026-01-02T00:00:00Z", 1));
  append_wisdom(path(), dated(2, "2026-01-02T00:00:00Z", 2));
  append_wisdom(path(), dated(3, "2026-01-02T00:00:00Z", 3));
  const std::size_t taken = merge_wisdom(
      path(), {dated(1, "2026-01-03T00:00:00Z", 11), dated(2, "2026-01-01T00:00:00Z", 12),
               dated(3, "2026-01-02T00:00:00Z", 13), dated(4, "", 14), dated(4, "2025-01-01T00:00:00Z", 15)});
  EXPECT_EQ(taken, 3u);
  std::map<double, double> seconds;
  for (const WisdomEntry& entry : read_wisdom(path()).entries)
    EXPECT_TRUE(seconds.emplace(entry.record.sizes.at("height"), entry.record.seconds).second);
  EXPECT_EQ(seconds, (std::map<double, double>{{1, 11}, {2, 2}, {3, 13}, {4, 15}}));
  EXPECT_EQ(merge_wisdom(scratch_ / "new" / "smooth.jsonl", {numbered(1)}), 1u);
  EXPECT_EQ(read_bytes(scratch_ / "new" / "smooth.jsonl"),
            wisdom_header("smooth") + "\n" + to_line(numbered(1)) + "\n");
}

TEST_F(WisdomFileTest, AReaderOfALineInTheMakingWaitsForIt) {
  append_wisdom(path(), numbered(1));
  const std::string line = to_line(numbered(2)) + "\n";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const int child = test::fork_one([&] {
    const int file = open(path().c_str(), O_WRONLY | O_APPEND);
    if (flock(file, LOCK_EX) != 0 || write(file, line.data(), 50) != 50 || write(ready[1], "x", 1) != 1) return 1;
    usleep(100000);
    return write(file, line.data() + 50, line.size() - 50) == static_cast<ssize_t>(line.size() - 50) ? 0 : 1;
  });
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(read_wisdom(path()).bad.empty());
  EXPECT_EQ(heights(), (std::vector<double>{1, 2}));
  EXPECT_EQ(test::wait_for(child), 0);
  close(ready[0]), close(ready[1]);
}

TEST(WisdomFileName, IsThatOfTheFamily) {
  EXPECT_EQ(wisdom_file_name("filter_bank-2"), "filter_bank-2.jsonl");
  for (const std::string name : {"", "../up", "a/b", "Upper", "a b", ".hidden"})
    EXPECT_MESSAGE(UsageError, "no name of a tunable family", wisdom_file_name(name));
}

}  // namespace
}  // namespace rtcg
