// rtcg-radar as a script sees it: command lines, exit codes, files, JSON.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "apps/common/picture.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

class RadarCommand : public testing::Test {
 protected:
  void SetUp() override {
    const char* binaries = std::getenv("RTCG_BIN_DIR");
    if (binaries == nullptr) GTEST_SKIP() << "RTCG_BIN_DIR is not set; ctest sets it";
    binary_ = std::filesystem::path(binaries) / "rtcg-radar";
    ASSERT_TRUE(std::filesystem::exists(binary_)) << binary_;
    write_bytes(scratch_ / "targets.csv", "x,y,z,re,im\n3,-2,0,1,0\n-6,4,0,0,0.5\n");
  }

  /// Runs in the scratch directory.
  Outcome run(const std::string& arguments) const {
    const std::string err = (scratch_ / "stderr.txt").string();
    const std::string line =
        fmt::format("cd '{}' && '{}' {} 2>'{}'", scratch_.path().string(), binary_.string(), arguments, err);
    Outcome outcome;
    FILE* pipe = popen(line.c_str(), "r");
    char buffer[4096];
    for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.out.append(buffer, n);
    const int status = pclose(pipe);
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.err = read_bytes(err);
    std::filesystem::remove(err);
    return outcome;
  }
  nlohmann::json json(const std::string& arguments) const {
    const Outcome outcome = run(arguments + " --json -");
    EXPECT_EQ(outcome.exit_code, 0) << arguments << "\n" << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }
  void simulate(const std::string& more = "") const {
    const Outcome outcome = run("simulate -o p.h5 --targets targets.csv --pulses 61 --samples 101 " + more);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(scratch_.path())) ++count;
    return count;
  }

  ScratchDirectory scratch_;
  std::filesystem::path binary_;
};

TEST_F(RadarCommand, FromTargetsToAMeasuredPoint) {
  simulate();
  const auto image = json(
      "image p.h5 -o out.h5 --size 301x201 --spacing 0.1 --center 2,-1,0 --window hamming --nfft 2048 --interp linear "
      "--precision accurate");
  EXPECT_EQ(image["pulses"], 61);
  EXPECT_EQ(image["grid"]["size"], nlohmann::json({301, 201, 1}));
  EXPECT_EQ(image["processing"]["nfft"], 2048);
  EXPECT_DOUBLE_EQ(image["backprojections"], 301.0 * 201 * 61);
  EXPECT_GT(image["gbp_per_s"], 0);
  EXPECT_GT(image["ser_estimate_db"], 50);
  EXPECT_NEAR(image["peak"]["magnitude"], 61 * 101, 0.01 * 61 * 101);
  EXPECT_NEAR(image["peak"]["at_m"][0], 3, 0.051);
  EXPECT_NEAR(image["peak"]["at_m"][1], -2, 0.051);
  EXPECT_EQ(image["files"]["image"], "out.h5");

  const auto quality = json("quality out.h5 --at 3,-2 --at -6,4");
  ASSERT_EQ(quality["points"].size(), 2u);
  const auto& point = quality["points"][0];
  EXPECT_NEAR(point["peak_m"][0], 3, 0.01);
  EXPECT_NEAR(point["peak_m"][1], -2, 0.01);
  EXPECT_NEAR(point["range"]["irw_m"], 1.303 * image["geometry"]["range_resolution_m"].get<double>(), 0.02);
  EXPECT_LT(point["range"]["pslr_db"], -38);
  EXPECT_NEAR(point["cross_range"]["irw_m"],
              0.8859 * image["geometry"]["cross_range_resolution_m"].get<double>() * 60 / 61, 0.01);
  EXPECT_NEAR(point["cross_range"]["pslr_db"], -13.26, 0.4);
  EXPECT_NEAR(quality["points"][1]["magnitude"], 0.5 * 61 * 101, 0.01 * 61 * 101);
}

TEST_F(RadarCommand, TextResultGoesToTheStandardOutputAndJsonToAFile) {
  simulate();
  const Outcome outcome = run("image p.h5 -o out.h5 --size 41x41 --spacing 0.2 --json out.json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* word : {"kernel", "Gbp/s", "phase error", "out.h5"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  EXPECT_EQ(nlohmann::json::parse(read_bytes(scratch_ / "out.json"))["command"], "image");
}

TEST_F(RadarCommand, BlocksOfPulsesGiveTheSameImageAndDoubleBoundsTheError) {
  simulate();
  for (const char* line : {"image p.h5 -o a.h5 --size 81x61 --spacing 0.2 -q",
                           "image p.h5 -o b.h5 --size 81x61 --spacing 0.2 --block-pulses 7 -q",
                           "image p.h5 -o c.h5 --size 81x61 --spacing 0.2 --precision double -q"})
    ASSERT_EQ(run(line).exit_code, 0) << line;
  EXPECT_EQ(json("quality b.h5 --reference a.h5")["reference"]["identical"], true);
  const auto against_double = json("quality a.h5 --reference c.h5")["reference"];
  EXPECT_GT(against_double["ser_db"], 55);
  EXPECT_GT(against_double["coherence_minimum"], 0.999);
  EXPECT_EQ(run("quality a.h5 --reference targets.csv").exit_code, 3);
}

TEST_F(RadarCommand, PartOfThePulsesIsWhatIsAskedFor) {
  simulate();
  EXPECT_EQ(json("image p.h5 -o a.h5 --size 21x21 --pulses 10:31")["pulses"], 21);
  EXPECT_EQ(json("image p.h5 -o a.h5 --size 21x21 --pulses :1")["pulses"], 1);
  EXPECT_EQ(run("image p.h5 -o a.h5 --pulses 5:5").exit_code, 2);
  EXPECT_EQ(run("image p.h5 -o a.h5 --pulses 0:62").exit_code, 2);
}

TEST_F(RadarCommand, VolumesTerrainAndViewsAreWritten) {
  simulate();
  const auto volume = json("image p.h5 -o v.h5 --size 31x21x3 --spacing 0.2x0.3x1");
  EXPECT_EQ(volume["grid"]["spacing_m"], nlohmann::json({0.2, 0.3, 1.0}));
  write_bytes(scratch_ / "hill.asc", "ncols 2\nnrows 2\nxllcorner -60\nyllcorner -60\ncellsize 60\n5 5\n5 5\n");
  EXPECT_EQ(json("image p.h5 -o t.h5 --size 31x21 --spacing 0.2 --dem hill.asc")["grid"]["terrain"], true);
  EXPECT_EQ(json("image p.h5 -o z.h5 --size 31x21 --spacing 0.2 --center 0,0,5")["grid"]["terrain"], false);
  EXPECT_GT(json("quality t.h5 --reference z.h5")["reference"]["ser_db"], 50);
  EXPECT_EQ(run("image p.h5 -o t.h5 --size 31x21x2 --dem hill.asc").exit_code, 2);

  const std::string help = run("image --help").out;
  EXPECT_NE(help.find("--png"), std::string::npos);
  for (const char* view : {"--png v.png", "--vti v.vti"}) {
    const Outcome outcome = run(fmt::format("image p.h5 -o v.h5 --size 31x21x3 --spacing 0.2 {}", view));
    const std::string file = std::string(view).substr(6);
    if (outcome.err.find("this build has no") != std::string::npos)
      EXPECT_EQ(outcome.exit_code, 2);
    else
      EXPECT_GT(read_bytes(scratch_ / file).size(), 500u) << outcome.err;
  }
}

TEST_F(RadarCommand, WrongOptionsAreRefusedBeforeTheWorkAndLeaveNothing) {
  simulate();
  const std::size_t before = files();
  for (const char* wrong : {"--size 0x5",
                            "--size 5",
                            "--size axb",
                            "--size 1x2x3x4",
                            "--spacing 0",
                            "--spacing -1",
                            "--spacing 1x2x3x4",
                            "--spacing nan",
                            "--center 1",
                            "--center 1,2,3,4",
                            "--center a,b",
                            "--window hann",
                            "--azimuth-window taylor:0,-3",
                            "--interp cubic",
                            "--interp sinc:5",
                            "--precision half",
                            "--nfft 64",
                            "--nfft 8193",
                            "--nfft x",
                            "--png-range 0",
                            "--colours jet",
                            "--block-pulses -1",
                            "--no-such-option",
                            "extra_subcommand --size"}) {
    const Outcome outcome = run(fmt::format("image p.h5 -o out.h5 {}", wrong));
    EXPECT_TRUE(outcome.exit_code == 2 || outcome.exit_code == 3) << wrong << ": " << outcome.exit_code << outcome.err;
    EXPECT_FALSE(outcome.err.empty()) << wrong;
    EXPECT_EQ(files(), before) << wrong;
  }
  EXPECT_EQ(run("image p.h5").exit_code, 2);
  EXPECT_EQ(run("image -o out.h5").exit_code, 2);
  EXPECT_EQ(run("").exit_code, 2);
  EXPECT_EQ(run("simulate -o s.h5 --samples 0").exit_code, 2);
  EXPECT_EQ(run("simulate -o s.h5 --azimuth 3").exit_code, 2);
  EXPECT_EQ(run("quality p.h5 --at 3").exit_code, 2);
  EXPECT_EQ(files(), before);
}

TEST_F(RadarCommand, TheSameInputGivesTheSameFileHoweverPulsesAreBlocked) {
  simulate();
  ASSERT_EQ(run("image p.h5 -o whole.h5 --size 40x40").exit_code, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // past the second that a file might be stamped with
  ASSERT_EQ(run("image p.h5 -o blocks.h5 --size 40x40 --block-pulses 7").exit_code, 0);
  EXPECT_EQ(read_bytes(scratch_ / "whole.h5"), read_bytes(scratch_ / "blocks.h5"));
}

TEST_F(RadarCommand, FilesThatCannotBeReadOrWrittenAreNamed) {
  simulate();
  const std::string pulses = read_bytes(scratch_ / "p.h5");
  write_bytes(scratch_ / "short.h5", pulses.substr(0, pulses.size() / 2));
  const std::size_t before = files();
  const auto expect = [&](const std::string& line, int code, const std::string& name) {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.exit_code, code) << line << outcome.err;
    EXPECT_NE(outcome.err.find(name), std::string::npos) << line << outcome.err;
    EXPECT_EQ(files(), before) << line;
  };
  expect("image missing.mat -o out.h5", 3, "missing.mat");
  expect("image short.h5 -o out.h5 --size 11x11", 3, "short.h5");
  expect("image targets.csv -o out.h5", 3, "targets.csv");
  expect("image p.h5 -o nowhere/out.h5", 3, "nowhere");
  if (app::pictures_available()) expect("image p.h5 -o out.h5 --png nowhere/out.png", 3, "nowhere");
  expect("image p.h5 -o p.h5", 2, "p.h5");
  expect("image p.h5 -o out.h5 --json out.h5", 2, "out.h5");
  expect("image p.h5 -o out.h5 --dem missing.asc", 3, "missing.asc");
  expect("simulate -o s.h5 --targets missing.csv", 3, "missing.csv");
  expect("quality missing.h5", 3, "missing.h5");
  expect("image p.h5 -o out.h5 --device no-such-device", 4, "no-such-device");
  EXPECT_EQ(read_bytes(scratch_ / "p.h5"), pulses);
}

TEST_F(RadarCommand, DoubtfulImagesComeWithNumbers) {
  simulate();
  EXPECT_NE(run("image p.h5 -o a.h5 --size 11x11 --spacing 2 -q").err.find("coarser than the resolution"),
            std::string::npos);
  const auto wide = json("image p.h5 -o a.h5 --size 21x21 --spacing 0.2 --center 60,0,0");
  ASSERT_EQ(wide["warnings"].size(), 2u);
  EXPECT_NE(wide["warnings"][0].get<std::string>().find("stays empty"), std::string::npos);
  EXPECT_NE(wide["warnings"][1].get<std::string>().find("zero everywhere"), std::string::npos);
  EXPECT_TRUE(wide["entropy"].is_null());
  EXPECT_TRUE(json("image p.h5 -o a.h5 --size 21x21 --spacing 0.1")["warnings"].empty());
}

TEST_F(RadarCommand, InfoSaysWhatToExpect) {
  simulate("--azimuth 88:92 --bandwidth 500e6");
  const auto info = json("info p.h5");
  EXPECT_EQ(info["pulses"], 61);
  EXPECT_EQ(info["samples"], 101);
  EXPECT_DOUBLE_EQ(info["frequency_step_hz"], 5e6);
  EXPECT_NEAR(info["geometry"]["azimuth_deg"], 90, 1e-9);
  EXPECT_NEAR(info["geometry"]["aperture_deg"], 4, 1e-9);
  EXPECT_NEAR(info["geometry"]["slant_swath_m"], 29.979, 1e-3);
  EXPECT_EQ(info["suggested"]["spacing_m"], 0.1);
  const Outcome text = run("info p.h5");
  EXPECT_NE(text.out.find("suggested"), std::string::npos);
}

TEST_F(RadarCommand, ImpossibleNumbersAreRefusedInOneLine) {
  simulate();
  for (const char* arguments :
       {"image p.h5 -o a.h5 --center 1e308,0", "image p.h5 -o a.h5 --size 1x1 --spacing 1e300", "image p.h5 -o -",
        "image p.h5 -o a.h5 --nfft -1", "image p.h5 -o a.h5 --block-pulses 18446744073709551616",
        "simulate -o a.h5 --pulses 0", "simulate -o a.h5 --snr -1e6", "image p.h5 -o targets.csv --dem targets.csv"}) {
    const Outcome outcome = run(std::string(arguments) + " -q");
    EXPECT_EQ(outcome.exit_code, 2) << arguments << "\n" << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_LT(outcome.err.size(), 300u) << outcome.err;
  }
  EXPECT_EQ(files(), 2u);
}

TEST_F(RadarCommand, NoiseRepeatsWithItsSeed) {
  simulate("--snr 10 --seed 7");
  ASSERT_EQ(run("image p.h5 -o a.h5 --size 41x41 --spacing 0.3 -q").exit_code, 0);
  simulate("--snr 10 --seed 7");
  ASSERT_EQ(run("image p.h5 -o b.h5 --size 41x41 --spacing 0.3 -q").exit_code, 0);
  simulate("--snr 10 --seed 8");
  ASSERT_EQ(run("image p.h5 -o c.h5 --size 41x41 --spacing 0.3 -q").exit_code, 0);
  EXPECT_EQ(json("quality b.h5 --reference a.h5")["reference"]["identical"], true);
  EXPECT_EQ(json("quality c.h5 --reference a.h5")["reference"]["identical"], false);
}

}  // namespace
}  // namespace rtcg
