// The binary `rtcg-bench` on small problems: what its record holds, and what it refuses.
#include <nlohmann/json.hpp>

#include "support/process.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

using nlohmann::json;

class RtcgBenchTest : public testing::Test {
 protected:
  test::ProcessResult bench(std::vector<std::string> arguments) {
    return test::run_process("rtcg-bench", arguments,
                             {{"RTCG_CACHE_DIR", (scratch_ / "cache").string()}, {"RTCG_COMPILE_CHECK", ""}});
  }
  /// Ours; a peer's line is called "what: peer".
  static json result_named(const json& record, const std::string& start) {
    for (const json& result : record["suites"][0]["results"]) {
      const auto name = result["name"].get<std::string>();
      if (name.rfind(start, 0) == 0 && name.find(": ") == std::string::npos) return result;
    }
    ADD_FAILURE() << "no result named " << start << "... in " << record.dump(1);
    return {};
  }
  ScratchDirectory scratch_;
};

TEST_F(RtcgBenchTest, RecordsFiguresWithTheirRatiosAndNoOtherTopics) {
  const test::ProcessResult run = bench({"core", "--quick", "--only", "elementwise,copperhead", "--json", "-"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json record = json::parse(run.out);
  EXPECT_TRUE(record["quick"]);
  EXPECT_GT(record["ceilings"]["copy_bytes_per_second"], 0);
  EXPECT_FALSE(record["suites"][0].contains("failures"));

  const json axpby = result_named(record, "a*x + b*y, 2^16 float");
  EXPECT_EQ(axpby["unit"], "GB/s");
  const double bytes = 12 * 65536;
  EXPECT_NEAR(axpby["value"], bytes / 1e9 / axpby["median_seconds"].get<double>(), 1e-6 * axpby["value"].get<double>());
  EXPECT_NEAR(axpby["ratios"]["copy"],
              axpby["value"].get<double>() * 1e9 / record["ceilings"]["copy_bytes_per_second"].get<double>(), 1e-6);
  EXPECT_GE(axpby["samples"].size(), 3u);

  // One statement in a function of its own against a kernel with its launch.
  const json axpy = result_named(record, "axpy");
  EXPECT_EQ(axpy["figures"]["lines"], 3);
  EXPECT_GT(axpy["figures"]["lines by hand"], 9);
  for (const json& result : record["suites"][0]["results"])
    EXPECT_NE(result["name"].get<std::string>().rfind("launch", 0), 0u) << result;
}

TEST_F(RtcgBenchTest, RefusesTopicsAndSuitesItDoesNotHave) {
  const test::ProcessResult topic = bench({"core", "--only", "elementwise,sorting"});
  EXPECT_EQ(topic.exit_code, 2);
  EXPECT_NE(topic.err.find("--only: there is no topic \"sorting\": choose from launch, "), std::string::npos)
      << topic.err;
  EXPECT_NE(bench({"radars"}).err.find("there is no suite \"radars\""), std::string::npos);
}

}  // namespace
}  // namespace rtcg
