#include "radar/simulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "host_imaging.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg::radar {
namespace {

std::vector<std::complex<float>> all_samples(PulseSource& source) {
  std::vector<std::complex<float>> samples(source.collection().pulses() * source.collection().samples);
  source.read(0, source.collection().pulses(), samples);
  return samples;
}

class Simulation : public rtcg::test::DeviceTest {};

TEST_P(Simulation, EqualsThePlainSumInDoublePrecision) {
  const std::vector<PointTarget> targets{{{3, -4, 0.5}, {1, 0}}, {{-20, 31, 2}, {0.5, -2}}, {{0, 0, 0}, {-1, 0.25}}};
  for (const std::size_t samples : {1u, 7u, 101u}) {
    StoredPulses pulses =
        simulate(stream(), circular_trajectory(13, 7000, 7300, 0.2, 0.3), targets, {.samples = samples});
    const auto found = all_samples(pulses);
    const auto expected = test::host_history(pulses.collection(), targets);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t n = 0; n < found.size(); ++n)
      ASSERT_LT(std::abs(test::Complex(found[n]) - expected[n]), 1e-6) << samples << " samples, value " << n;
  }
}

TEST_P(Simulation, DescribesTheBandAndTheFlight) {
  const StoredPulses pulses = simulate(stream(), straight_trajectory(5, 3000, 4000, 100), {},
                                       {.samples = 11, .centre_frequency = 9e9, .bandwidth = 1e9});
  const Collection& c = pulses.collection();
  EXPECT_NO_THROW(c.check());
  ASSERT_EQ(c.pulses(), 5u);
  EXPECT_DOUBLE_EQ(c.first_frequency[4], 8.5e9);
  EXPECT_DOUBLE_EQ(c.frequency_step[4], 1e8);
  EXPECT_DOUBLE_EQ(c.reference_range[2], 5000);
  EXPECT_EQ(c.antenna[0], Vec3(3000, -50, 4000));
  EXPECT_EQ(c.antenna[4], Vec3(3000, 50, 4000));
}

TEST_P(Simulation, NoTargetsGiveSilence) {
  StoredPulses pulses = simulate(stream(), straight_trajectory(2, 3000, 4000, 100), {}, {.samples = 5});
  for (const auto& sample : all_samples(pulses)) EXPECT_EQ(std::abs(sample), 0);
}

TEST_P(Simulation, NoiseHasItsPowerIsWhiteAndRepeats) {
  const auto trajectory = straight_trajectory(64, 3000, 4000, 100);
  const auto run = [&](std::uint64_t seed, std::optional<double> snr) {
    StoredPulses pulses =
        simulate(stream(), trajectory, {{{1, 2, 0}, {0, 2}}}, {.samples = 512, .snr_db = snr, .seed = seed});
    return all_samples(pulses);
  };
  const auto clean = run(1, {}), noisy = run(1, 3), other = run(2, 3);
  EXPECT_EQ(noisy, run(1, 3));
  double power = 0;
  std::complex<double> mean = 0, circular = 0, neighbours = 0, seeds = 0, before = 0;
  for (std::size_t n = 0; n < clean.size(); ++n) {
    const std::complex<double> noise(noisy[n] - clean[n]);
    power += std::norm(noise), mean += noise, circular += noise * noise, neighbours += noise * std::conj(before);
    seeds += noise * std::conj(std::complex<double>(other[n] - clean[n]));
    before = noise;
  }
  const double expected = static_cast<double>(clean.size()) * 4 * std::pow(10.0, -0.3),
               spread = expected / std::sqrt(static_cast<double>(clean.size()));
  EXPECT_NEAR(power, expected, 5 * spread);
  EXPECT_LT(std::abs(mean), 5 * std::sqrt(expected));
  EXPECT_LT(std::abs(circular), 7 * spread);
  EXPECT_LT(std::abs(neighbours), 5 * spread);
  EXPECT_LT(std::abs(seeds), 5 * spread);
}

TEST_P(Simulation, RefusesWhatCannotBe) {
  const auto flight = straight_trajectory(2, 3000, 4000, 100);
  EXPECT_THROW(simulate(stream(), {}, {}, {}), UsageError);
  EXPECT_THROW(simulate(stream(), {{0, 0, 0}}, {}, {}), UsageError);
  EXPECT_THROW(simulate(stream(), flight, {{{std::nan(""), 0, 0}, 1}}, {}), UsageError);
  EXPECT_THROW(simulate(stream(), flight, {}, {.samples = 0}), UsageError);
  EXPECT_THROW(simulate(stream(), flight, {}, {.centre_frequency = 1e9, .bandwidth = 3e9}), UsageError);
  EXPECT_THROW(simulate(stream(), flight, {}, {.bandwidth = 0}), UsageError);
}

RTCG_INSTANTIATE_FOR_DEVICES(Simulation);

TEST(Trajectory, KeepsItsDistanceAndItsEnds) {
  const auto arc = circular_trajectory(7, 100, 50, 0.5, 1.5);
  for (const Vec3& place : arc) EXPECT_NEAR(place.norm(), std::hypot(100, 50), 1e-9);
  EXPECT_NEAR(std::atan2(arc.front().y(), arc.front().x()), 0.5, 1e-12);
  EXPECT_NEAR(std::atan2(arc.back().y(), arc.back().x()), 1.5, 1e-12);
  EXPECT_EQ(straight_trajectory(1, 100, 50, 10).front(), Vec3(100, 0, 50));
  EXPECT_THROW(straight_trajectory(0, 100, 50, 10), UsageError);
  EXPECT_THROW(circular_trajectory(3, 0, 0, 0, 1), UsageError);
}

class TableFile : public testing::Test {
 protected:
  const std::filesystem::path& with(const std::string& text) {
    std::ofstream(file_) << text;
    return file_;
  }
  ScratchDirectory scratch_;
  std::filesystem::path file_ = scratch_ / "table";
};

TEST_F(TableFile, TargetsAreReadWithBlanksAndForeignLineEnds) {
  const auto targets = read_targets(with("\xef\xbb\xbfx, y,z,re,im\r\n1,2,3,4,-5e-1\r\n\r\n -1 ,0,0, 1,0\r\n"));
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[0].position, Vec3(1, 2, 3));
  EXPECT_EQ(targets[0].amplitude, std::complex<double>(4, -0.5));
  EXPECT_EQ(targets[1].position, Vec3(-1, 0, 0));
}

TEST_F(TableFile, ErrorsNameFileAndLine) {
  for (const auto& [text, line] :
       std::vector<std::pair<std::string, std::string>>{{"1,2,3,4,5\n", ":1:"},
                                                        {"x,y,z,re,im\n1,2,3,4\n", ":2:"},
                                                        {"x,y,z,re,im\n1,2,3,4,5,6\n", ":2:"},
                                                        {"x,y,z,re,im\n1,2,3,4,5\n1,2,x,4,5\n", ":3:"},
                                                        {"x,y,z,re,im\n1,2,nan,4,5\n", ":2:"},
                                                        {"x,y,z,re,im\n1,,3,4,5\n", ":2:"}})
    try {
      read_targets(with(text));
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(file_.string() + line), std::string::npos) << error.what();
    }
  EXPECT_THROW(read_targets(with("x,y,z,re,im\n")), InputError);
  EXPECT_THROW(read_targets(with("")), InputError);
  EXPECT_THROW(read_targets(file_.string() + ".not_there"), InputError);
}

TEST_F(TableFile, TrajectoryIsReadInOrder) {
  const auto flight = read_trajectory(with("x,y,z\n7000,-1,7000\n7000,1,7000\n"));
  ASSERT_EQ(flight.size(), 2u);
  EXPECT_EQ(flight[1], Vec3(7000, 1, 7000));
}

TEST(BuiltInScene, IsNotItsOwnMirrorImage) {
  const auto targets = built_in_scene();
  for (const Vec3& mirror : {Vec3(-1, 1, 1), Vec3(1, -1, 1), Vec3(-1, -1, 1)}) {
    std::size_t matched = 0;
    for (const PointTarget& a : targets)
      for (const PointTarget& b : targets) matched += (a.position.cwiseProduct(mirror) - b.position).norm() < 1 ? 1 : 0;
    EXPECT_LT(matched, targets.size() * 2 / 3);
  }
}

}  // namespace
}  // namespace rtcg::radar
