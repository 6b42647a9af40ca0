// The ready cases in data/dgfem run as they are, shortened here; runs that end early say where to go on; cases that are
// wrong are refused in one line.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "support/process.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

namespace fs = std::filesystem;

struct ReadyCase {
  const char* name;
  double final_time;
  double error;  ///< of Ez or rho in L2 where the case has an exact solution, at order 2; else 0
};
void PrintTo(const ReadyCase& one, std::ostream* out) {
  *out << one.name;
}

constexpr ReadyCase ready_cases[] = {{"cavity", 0.1, 0.2}, {"cylinder", 0.1, 0.02},   {"dipole", 0.1, 0},
                                     {"elastic", 0.05, 0}, {"forward_step", 0.02, 0}, {"obstacle", 0.2, 0},
                                     {"slab", 0.2, 0.01},  {"sod", 0.02, 0},          {"vortex", 0.1, 0.1}};

fs::path data_directory() {
  return fs::path(std::getenv("RTCG_SOURCE_DIR")) / "data" / "dgfem";
}

class DgfemCases : public testing::TestWithParam<ReadyCase> {
 protected:
  std::string file(const std::string& name) const { return (scratch_ / name).string(); }
  static test::ProcessResult run(const std::vector<std::string>& arguments) {
    return test::run_process(test::built_binary("rtcg-dgfem").string(), arguments);
  }
  ScratchDirectory scratch_;
};
class DgfemCaseFiles : public DgfemCases {};

TEST_P(DgfemCases, RunsShortened) {
  const ReadyCase& ready = GetParam();
  fs::copy(data_directory(), scratch_ / "data", fs::copy_options::recursive);
  const std::string name = file(std::string("data/") + ready.name + ".toml");
  write_bytes(name, std::regex_replace(read_bytes(name), std::regex("final_time = [0-9.]+"),
                                       "final_time = " + std::to_string(ready.final_time)));
  const test::ProcessResult result = run({"run", name, "-o", file("out"), "--order", "2", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto summary = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(summary.is_object()) << result.out;
  EXPECT_NEAR(summary["time"].get<double>(), ready.final_time, 1e-12);
  EXPECT_GT(summary["measures"]["energy"].get<double>(), 0);
  if (ready.error > 0) {
    const char* field = summary["measures"].contains("Ez.l2") ? "Ez.l2" : "rho.l2";
    EXPECT_LT(summary["measures"][field].get<double>(), ready.error);
  }
  for (const char* ending : {".pvd", "_000000.vtu", "_000001.vtu"})
    EXPECT_TRUE(fs::exists(file(std::string("out/") + ready.name + ending))) << ending;
}

INSTANTIATE_TEST_SUITE_P(Ready, DgfemCases, testing::ValuesIn(ready_cases),
                         [](const testing::TestParamInfo<ReadyCase>& one) { return std::string(one.param.name); });

TEST(DgfemCaseList, IsThatOfTheDirectory) {
  std::set<std::string> there, tested;
  for (const auto& entry : fs::directory_iterator(data_directory()))
    if (entry.path().extension() == ".toml") there.insert(entry.path().stem().string());
  for (const ReadyCase& one : ready_cases) tested.insert(one.name);
  EXPECT_EQ(there, tested);
}

/// A square cavity; `pieces` replace the lines that begin alike.
std::string square(const std::vector<std::pair<std::string, std::string>>& pieces = {}) {
  std::string text = R"toml(mesh = { box = [2, 2] }
order = 2
final_time = 1.0
[equation]
system = "maxwell_tm"
[boundaries]
default = "pec"
[initial]
Ez = "sin(pi * x) * sin(pi * y)"
[time]
cfl = 0.9
[output]
sample_every = 0.1
vtk = "none"
)toml";
  for (const auto& [from, to] : pieces) text.replace(text.find(from), from.size(), to);
  return text;
}

TEST_F(DgfemCaseFiles, StopsOnASignalWithACheckpointFromWhichItGoesOn) {
  write_bytes(file("long.toml"), square({{"final_time = 1.0", "final_time = 1e7"}}));
  const test::ProcessResult result = test::run_process(
      "/usr/bin/timeout", {"--preserve-status", "-s", "INT", "-k", "60", "2", test::built_binary("rtcg-dgfem").string(),
                           "run", file("long.toml"), "-o", file("out")});
  EXPECT_EQ(result.exit_code, 130) << result.err;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(result.err, found, std::regex("t = (\\S+), step [0-9]+; \"--restart (\\S+)\" goes on")))
      << result.err;
  const std::string checkpoint = found[2];
  const double time = std::stod(found[1]);
  ASSERT_TRUE(fs::exists(checkpoint));
  write_bytes(file("long.toml"), square({{"final_time = 1.0", "final_time = " + std::to_string(time + 1)}}));
  const test::ProcessResult rest =
      run({"run", file("long.toml"), "-o", file("out"), "--restart", checkpoint, "--json", "-"});
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
}

TEST_F(DgfemCaseFiles, ARunWithAbsorbingLayersGoesOnBitForBit) {
  fs::copy_file(data_directory() / "dipole.msh", file("dipole.msh"));
  std::string text = read_bytes(data_directory() / "dipole.toml");
  for (const auto& [from, to] :
       {std::pair{"final_time = [0-9.]+", "final_time = 0.2"},
        {R"(\[output\])", "[initial]\nEz = \"exp(-pow(x - 1, 2) / 0.1)\"\n[output]\ncheckpoint_every = 0.1"}})
    text = std::regex_replace(text, std::regex(from), to);
  write_bytes(file("dipole.toml"), text);
  ASSERT_EQ(run({"run", file("dipole.toml"), "-o", file("a"), "--order", "1"}).exit_code, 0);
  std::set<fs::path> checkpoints;
  for (const auto& entry : fs::directory_iterator(file("a")))
    if (entry.path().extension() == ".h5") checkpoints.insert(entry.path());
  ASSERT_EQ(checkpoints.size(), 2u);
  const test::ProcessResult rest =
      run({"run", file("dipole.toml"), "-o", file("b"), "--order", "1", "--restart", checkpoints.begin()->string()});
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(read_bytes(scratch_ / "b" / checkpoints.rbegin()->filename().string()), read_bytes(*checkpoints.rbegin()));
}

TEST_F(DgfemCaseFiles, AStepTooLongEndsWithTheLastGoodCheckpoint) {
  write_bytes(file("fast.toml"), square({{"cfl = 0.9", "step = 0.2"},
                                         {"final_time = 1.0", "final_time = 100.0"},
                                         {"sample_every = 0.1", "sample_every = 0.2\ncheckpoint_every = 0.2"}}));
  const test::ProcessResult result = run({"run", file("fast.toml"), "-o", file("out")});
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_NE(result.err.find("energy has grown from 0.118"), std::string::npos) << result.err;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(result.err, found, std::regex("last good checkpoint is (\\S+)"))) << result.err;
  EXPECT_TRUE(fs::exists(std::string(found[1])));
}

TEST_F(DgfemCaseFiles, RefusesWhatIsWrongInOneLineThatSaysWhere) {
  const auto fails = [&](const std::vector<std::pair<std::string, std::string>>& pieces, const std::string& message) {
    write_bytes(file("wrong.toml"), square(pieces));
    const test::ProcessResult result = run({"info", file("wrong.toml")});
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  };
  fails({{"order = 2", "ordre = 2"}}, "wrong.toml:2: ");
  fails({{"order = 2", "order = 11"}}, "wrong.toml:2: ");
  fails({{"box = [2, 2]", "box = [2]"}}, "wrong.toml:1: ");
  fails({{"box = [2, 2]", "file = \"none.msh\""}}, "none.msh: cannot be read");
  fails({{"default = \"pec\"", "\"x-\" = \"pec\""}}, "boundaries of the mesh: x-, x+, y-, y+");
  fails({{"default = \"pec\"", "default = \"pek\""}}, "pec");
  fails({{"Ez = ", "Ey = "}}, "Ey");
  fails({{"sin(pi * x)", "sin(pi * )"}}, "wrong.toml:9: ");
  fails({{"vtk = \"none\"", "vtk = \"all\""}}, "wrong.toml:14: ");
  fails({{"cfl = 0.9", "scheme = \"rk4\""}}, "wrong.toml:11: ");
}

TEST_F(DgfemCaseFiles, SaysWhatCannotBeWritten) {
  write_bytes(file("square.toml"), square());
  write_bytes(file("taken"), "a file");
  const test::ProcessResult result = run({"run", file("square.toml"), "-o", file("taken/out")});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_NE(result.err.find("taken"), std::string::npos) << result.err;
  EXPECT_EQ(run({"run", file("none.toml"), "-o", file("out")}).exit_code, 3);
  EXPECT_EQ(run({"run", file("square.toml")}).exit_code, 2);
  EXPECT_EQ(run({"run", file("square.toml"), "-o", file("out"), "--order", "11"}).exit_code, 2);
  EXPECT_EQ(run({"run", file("square.toml"), "-o", file("out"), "--device", "cuda:77"}).exit_code, 4);
  EXPECT_EQ(read_bytes(file("taken")), "a file");
}

TEST_F(DgfemCaseFiles, AFullDiskKeepsWhatWasWritten) {
  write_bytes(file("square.toml"),
              square({{"box = [2, 2]", "box = [60, 60]"}, {"final_time = 1.0", "final_time = 0.02"}}));
  // A limit for each file stands for the disk: tables fit, the checkpoint does not.
  const test::ProcessResult result = test::run_process(
      "/bin/sh", {"-c", "ulimit -f 600; exec \"$0\" \"$@\"", test::built_binary("rtcg-dgfem").string(), "run",
                  file("square.toml"), "-o", file("out")});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_NE(result.err.find(".h5"), std::string::npos) << result.err;
  EXPECT_TRUE(fs::exists(file("out/energy.csv")));
  for (const auto& entry : fs::directory_iterator(file("out"))) EXPECT_EQ(entry.path().filename(), "energy.csv");
}

TEST_F(DgfemCaseFiles, ConvergenceGivesRatesOfOrderPlusOne) {
  write_bytes(file("exact.toml"), square() + "[exact]\nEz = \"sin(pi * x) * sin(pi * y) * cos(sqrt(2.0) * pi * t)\"\n");
  const test::ProcessResult result =
      run({"convergence", file("exact.toml"), "--orders", "2,3", "--refine", "2,4", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto solutions = nlohmann::json::parse(result.out, nullptr, false)["solutions"];
  ASSERT_EQ(solutions.size(), 4u);
  for (const std::size_t fine : {1u, 3u})
    EXPECT_NEAR(solutions[fine]["rate"].get<double>(), solutions[fine]["order"].get<double>() + 1, 0.4);
}

}  // namespace
}  // namespace rtcg
