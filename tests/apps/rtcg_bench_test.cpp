// The binary `rtcg-bench` on small problems: what its record holds, and what it refuses.
#include <filesystem>
#include <fstream>
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

TEST_F(RtcgBenchTest, RecordsStagesOfTheSolverBesideTheHostAndDrawsThem) {
  const std::string file = (scratch_ / "record.json").string();
  const test::ProcessResult run = bench({"dgfem", "--quick", "--orders", "1", "--json", file});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::ifstream stream(file);
  const json record = json::parse(stream);
  EXPECT_FALSE(record["suites"][0].contains("failures"));
  const double bandwidth = record["ceilings"]["copy_bytes_per_second"];
  for (const bool single : {true, false}) {
    const json stage = result_named(record, single ? "Maxwell 3-D, N=1, single" : "Maxwell 3-D, N=1, double");
    const double rate = stage["value"].get<double>() * 1e9;
    const double elements = 6 * 4 * 4 * 4, dofs = elements * 4 * 6;
    EXPECT_EQ(stage["figures"]["elements"], elements);
    EXPECT_NEAR(rate, dofs / stage["median_seconds"].get<double>(), 1e-6 * rate);
    // Published counts for order 1: 2268 FLOPs an element and stage by the authors' rule; by ours 33.0 and 65.2 bytes.
    EXPECT_NEAR(stage["figures"]["GFLOP/s by the paper's rule"], 2268.0 / 24 * rate / 1e9, 1e-6 * rate / 1e9);
    EXPECT_NEAR(stage["ratios"]["copy"], (single ? 33.0 : 65.0 + 1.0 / 6) * rate / bandwidth, 1e-3);
    EXPECT_GT(stage["ratios"]["C++ on one core"], 0);
  }
  EXPECT_GT(result_named(record, "set-up of 1296 tetrahedra")["figures"]["s to read"], 0);

  const test::ProcessResult drawn = bench({"--figures", file});
  if (drawn.err.find("this build has no OpenCV") != std::string::npos) {
    EXPECT_EQ(drawn.exit_code, 2);
    return;
  }
  ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_EQ(drawn.out, (scratch_ / "record-single.png\n").string() + (scratch_ / "record-double.png\n").string());
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "record-double.png"));
  std::ofstream(scratch_ / "no-record.json") << "{}";
  EXPECT_NE(bench({"--figures", (scratch_ / "no-record.json").string()}).exit_code, 0);
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
