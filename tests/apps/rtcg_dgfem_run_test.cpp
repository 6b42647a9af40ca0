// rtcg-dgfem run as a user sees it: the files of a run, of a run continued, and of one that cannot be.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/process.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

/// The lowest mode of a square between perfect conductors: frequency 1 / sqrt(2).
std::string cavity(const std::string& more = "") {
  return R"toml(order = 4
final_time = 24.0
mesh = { box = [3, 3] }
[equation]
system = "maxwell_tm"
[boundaries]
default = "pec"
[initial]
Ez = "sin(pi * x) * sin(pi * y)"
[exact]
Ez = "sin(pi * x) * sin(pi * y) * cos(sqrt(2.0) * pi * t)"
[[probes]]
name = "centre"
at = [0.5, 0.45]
[[planes]]
name = "all"
points = [16, 16]
[output]
every = 8.0
sample_every = 0.1
checkpoint_every = 12.0
frequencies = [0.7071067811865476, 0.1]
)toml" + more;
}

class DgfemRun : public testing::Test {
 protected:
  void SetUp() override {
    binary_ = test::built_binary("rtcg-dgfem").string();
    ASSERT_TRUE(std::filesystem::exists(binary_)) << binary_;
  }
  std::string file(const std::string& name) const { return (scratch_ / name).string(); }
  test::ProcessResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "run");
    return test::run_process(binary_, arguments);
  }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  ScratchDirectory scratch_;
  std::string binary_;
};

TEST_F(DgfemRun, WritesFieldsTablesResonancesAndGoesOnFromACheckpoint) {
  write_bytes(file("cavity.toml"), cavity());
  const test::ProcessResult whole = run({file("cavity.toml"), "-o", file("a"), "--json", "-"});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const auto summary = nlohmann::json::parse(whole.out, nullptr, false);
  ASSERT_TRUE(summary.is_object()) << whole.out;
  EXPECT_LT(summary["measures"]["Ez.l2"].get<double>(), 2e-2);
  bool found = false;
  for (const auto& peak : summary["resonances"])
    if (peak["probe"] == "centre.Ez" && peak["amplitude"].get<double>() > 0.9) {
      found = true;
      EXPECT_NEAR(peak["frequency"].get<double>(), std::sqrt(0.5), 1e-4);
    }
  EXPECT_TRUE(found) << summary["resonances"].dump();
  const std::string probes = read_bytes(file("a/probes.csv")), energy = read_bytes(file("a/energy.csv")),
                    list = read_bytes(file("a/cavity.pvd"));
  EXPECT_EQ(count(probes, "\n"), 242u);
  EXPECT_EQ(count(list, "<DataSet"), 4u);
  EXPECT_EQ(count(read_bytes(file("a/cavity_all.pvd")), ".vti"), 4u);
  EXPECT_EQ(count(read_bytes(file("a/fourier.csv")), "\n"), 3u);

  // From the middle, in a directory that an interrupted run left behind.
  std::filesystem::path middle;
  for (const auto& entry : std::filesystem::directory_iterator(file("a")))
    if (entry.path().extension() == ".h5" && (middle.empty() || entry.path() < middle)) middle = entry.path();
  std::filesystem::copy(file("a"), file("b"));
  const test::ProcessResult rest =
      run({file("cavity.toml"), "-o", file("b"), "--restart", middle.string(), "--json", "-"});
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(read_bytes(file("b/probes.csv")), probes);
  EXPECT_EQ(read_bytes(file("b/energy.csv")), energy);
  EXPECT_EQ(read_bytes(file("b/fourier.csv")), read_bytes(file("a/fourier.csv")));
  EXPECT_EQ(read_bytes(file("b/cavity.pvd")), list);
  EXPECT_EQ(read_bytes(file("b/cavity_000003.vtu")), read_bytes(file("a/cavity_000003.vtu")));

  // Another order goes on as well; another mesh does not.
  write_bytes(file("finer.toml"), cavity());
  EXPECT_EQ(run({file("finer.toml"), "-o", file("c"), "--restart", middle.string(), "--order", "5"}).exit_code, 0);
  std::string sums = cavity();
  sums.replace(sums.find("0.1]"), 3, "0.2");
  write_bytes(file("sums.toml"), sums);
  const test::ProcessResult lost = run({file("sums.toml"), "-o", file("e"), "--restart", middle.string()});
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_NE(lost.err.find("no Fourier integrals of these probes at these frequencies"), std::string::npos) << lost.err;
  std::string other = cavity();
  other.replace(other.find("[3, 3]"), 6, "[3, 4]");
  write_bytes(file("other.toml"), other);
  const test::ProcessResult refused = run({file("other.toml"), "-o", file("d"), "--restart", middle.string()});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("the state of another mesh"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(file("d")));
}

TEST_F(DgfemRun, RefusesAProbeOutsideAndSaysWhereTheMeshIs) {
  write_bytes(file("far.toml"), cavity("[[probes]]\nname = \"far\"\nat = [2, 2]\n"));
  const test::ProcessResult result = run({file("far.toml"), "-o", file("a")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("probe 'far' at (2, 2, 0) is in no element; the mesh reaches from (0, 0, 0) to (1, 1, 0)"),
            std::string::npos)
      << result.err;
}

}  // namespace
}  // namespace rtcg
