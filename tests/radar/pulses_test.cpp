#include "radar/pulses.h"

#include <limits>

#include "radar/io/example_pulses.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::radar {
namespace {

namespace fs = std::filesystem;

TEST(Collection, BandAndSwathFollowFromTheFrequencies) {
  Collection c = example_collection(2, 101);
  c.first_frequency = {9.0e9, 9.2e9};
  c.frequency_step = {1e6, 2e6};
  EXPECT_DOUBLE_EQ(c.centre_frequency(), 9.1e9 + 50 * 1.5e6);
  EXPECT_DOUBLE_EQ(c.bandwidth(), 101 * 1.5e6);
  EXPECT_DOUBLE_EQ(c.swath(), speed_of_light / (2 * 2e6));
}

TEST(Collection, EveryFieldIsCheckedAndNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto broken = [](const auto& change) {
    Collection c = example_collection();
    change(c);
    return message_of<InputError>([&] { c.check(); });
  };
  EXPECT_NE(broken([](auto& c) { c.antenna.clear(); }).find("no pulses"), std::string::npos);
  EXPECT_NE(broken([](auto& c) { c.samples = 0; }).find("without samples"), std::string::npos);
  EXPECT_NE(broken([](auto& c) { c.samples = SIZE_MAX / 8; }).find("address space"), std::string::npos);
  EXPECT_NE(broken([&](auto& c) { c.antenna[2].y() = nan; }).find("pulse 2: the antenna position"), std::string::npos);
  EXPECT_NE(broken([](auto& c) { c.reference_range[3] = 0; }).find("pulse 3: reference range is 0"), std::string::npos);
  EXPECT_NE(broken([](auto& c) { c.first_frequency.pop_back(); }).find("first frequency has 6 values for 7 pulses"),
            std::string::npos);
  EXPECT_NE(broken([&](auto& c) { c.frequency_step[0] = nan; }).find("pulse 0: frequency step"), std::string::npos);
  EXPECT_NE(broken([](auto& c) { c.antenna[1].z() = -1e300; }).find("pulse 1: the antenna is farther"),
            std::string::npos);
  EXPECT_NE(broken([](auto& c) { c.first_frequency[2] = 1e300; }).find("pulse 2: first frequency is 1e+300"),
            std::string::npos);
  EXPECT_NE(broken([](auto& c) { c.range_correction = {1}; }).find("range correction has 1"), std::string::npos);
  EXPECT_NE(broken([&](auto& c) { c.phase_correction.assign(7, nan); }).find("phase correction"), std::string::npos);
  EXPECT_NO_THROW(example_collection().check());
}

TEST(StoredPulses, GiveBackBlocksAndRefuseWrongOnes) {
  StoredPulses pulses = example_pulses(5, 3);
  const std::vector<std::complex<float>> all = read_all(pulses);
  std::vector<std::complex<float>> two(6);
  pulses.read(2, 2, two);
  EXPECT_TRUE(std::equal(two.begin(), two.end(), all.begin() + 6));
  EXPECT_MESSAGE(UsageError, "of 5", pulses.read(4, 2, two));
  EXPECT_MESSAGE(UsageError, "of 5", pulses.read(SIZE_MAX, 2, two));
  EXPECT_MESSAGE(UsageError, "room for 6", pulses.read(0, 1, two));
  EXPECT_MESSAGE(InputError, "14 samples given",
                 StoredPulses(example_collection(5, 3), std::vector<std::complex<float>>(14)));
  std::vector<std::complex<float>> bad = all;
  bad[7] = {0, std::numeric_limits<float>::infinity()};
  EXPECT_MESSAGE(InputError, "pulse 2, sample 1", StoredPulses(example_collection(5, 3), bad));
}

class OpenPulses : public testing::Test {
 protected:
  std::string refusal(const fs::path& path) {
    return message_of<InputError>([&] { open_pulses(std::span(&path, 1)); });
  }
  ScratchDirectory scratch_;
};

TEST_F(OpenPulses, WhatIsNoPulseFileIsRefusedByName) {
  const auto written = [&](const std::string& bytes) {
    write_bytes(scratch_ / "file", bytes);
    return refusal(scratch_ / "file");
  };
  EXPECT_NE(written("").find("file: the file is empty"), std::string::npos);
  EXPECT_NE(written("x").find("Gotcha .mat, CPHD 1.x and the suite's HDF5 are read"), std::string::npos);
  EXPECT_NE(written("MATLAB 7.3 MAT-file").find("save it with -v7"), std::string::npos);
  EXPECT_NE(refusal(scratch_ / "none").find("none: no such file"), std::string::npos);
  EXPECT_NE(refusal(scratch_.path()).find("a directory"), std::string::npos);
  EXPECT_NE(refusal("/dev/null").find("not a regular file"), std::string::npos);
  EXPECT_MESSAGE(InputError, "no pulse files", open_pulses({}));
  write_bytes(scratch_ / "locked", "CPHD/1.1.0\n");
  fs::permissions(scratch_ / "locked", fs::perms::none);
  const bool readable_anyway = static_cast<bool>(std::ifstream(scratch_ / "locked"));  // by root
  EXPECT_NE(refusal(scratch_ / "locked").find(readable_anyway ? "CPHD header" : "check its permissions"),
            std::string::npos);
}

TEST_F(OpenPulses, FormatsDoNotMix) {
  write_bytes(scratch_ / "a", "CPHD/1.1.0\n");
  write_bytes(scratch_ / "b", "MATLAB 5.0 MAT-file");
  EXPECT_MESSAGE(InputError, "files joined must be alike",
                 open_pulses(std::vector<fs::path>{scratch_ / "a", scratch_ / "b"}));
}

}  // namespace
}  // namespace rtcg::radar
