#include "radar/io/gotcha.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

namespace fs = std::filesystem;

fs::path gotcha_file(int azimuth) {
  const char* source = std::getenv("RTCG_SOURCE_DIR");
  return fs::path(source ? source : ".") / fmt::format("../shared/data/radar/data_3dsar_pass1_az{:03}_HH.mat", azimuth);
}

TEST(Gotcha, RealFilesJoinInAzimuth) {
  const std::vector<fs::path> files{gotcha_file(2), gotcha_file(1)};
  for (const fs::path& file : files)
    if (!fs::exists(file)) GTEST_SKIP() << file << " is not here";
  const std::unique_ptr<PulseSource> source = open_pulses(files);
  const Collection& c = source->collection();
  ASSERT_EQ(c.pulses(), 234u);
  EXPECT_EQ(c.samples, 424u);
  EXPECT_NEAR(c.frequency_step[0], 1471301.6, 1);
  EXPECT_NEAR(c.first_frequency[0], 9.2881e9, 1e5);
  EXPECT_NEAR(c.swath(), 101.9, 0.1);
  double previous = -1;
  for (std::size_t p = 0; p < c.pulses(); ++p) {
    const double azimuth = std::atan2(c.antenna[p].y(), c.antenna[p].x());
    EXPECT_GT(azimuth, previous);
    previous = azimuth;
    EXPECT_NEAR(c.antenna[p].norm(), c.reference_range[p], 2e-3);
  }
  EXPECT_EQ(c.range_correction.size(), 234u);
  std::vector<std::complex<float>> all(234 * 424), part(3 * 424);
  source->read(0, 234, all);
  source->read(116, 3, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 116 * 424));
}

}  // namespace
}  // namespace rtcg::radar
