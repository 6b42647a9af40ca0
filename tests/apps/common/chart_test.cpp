#include "apps/common/chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "apps/common/picture.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::app {
namespace {

Chart search() {
  Chart chart{.title = "A search", .x_label = "variant", .y_label = "time (us)", .series = {}, .logarithmic = true};
  Chart::Series variants{.name = "variants", .x = {}, .y = {}},
      best{.name = "best so far", .x = {}, .y = {}, .mark = Chart::Mark::steps, .colour = Chart::Colour::orange};
  double least = 1e9;
  for (int n = 0; n < 120; ++n) {
    const double time = 40 + 300.0 * ((n * 37) % 101) / (n + 5);
    variants.x.push_back(n), variants.y.push_back(time);
    best.x.push_back(n), best.y.push_back(least = std::min(least, time));
  }
  chart.series = {
      variants,
      best,
      {.name = "default", .x = {0}, .y = {90}, .mark = Chart::Mark::level, .colour = Chart::Colour::green},
      {.name = "failed", .x = {7, 30}, .y = {}, .mark = Chart::Mark::at_edge, .colour = Chart::Colour::red}};
  return chart;
}

class ChartFile : public testing::Test {
 protected:
  void SetUp() override {
    if (!pictures_available()) GTEST_SKIP() << "built without OpenCV";
  }
  std::filesystem::path file() const { return directory_ / "chart.png"; }
  ScratchDirectory directory_;
};

TEST_F(ChartFile, IsAPng) {
  write_chart(file(), search());
  const std::string png = read_bytes(file());
  ASSERT_GT(png.size(), 3000u);
  EXPECT_EQ(png.substr(1, 3), "PNG");
}

TEST_F(ChartFile, ShowsWhatItIsGiven) {
  write_chart(file(), search());
  const std::string all = read_bytes(file());
  for (std::size_t without = 0; without < 4; ++without) {
    Chart chart = search();
    chart.series[without].x.resize(without == 2 ? 0 : 1),
        chart.series[without].y.resize(without == 3 ? 0 : chart.series[without].x.size());
    write_chart(file(), chart);
    EXPECT_NE(read_bytes(file()), all) << search().series[without].name;
  }
  Chart linear = search();
  linear.logarithmic = false;
  write_chart(file(), linear);
  EXPECT_NE(read_bytes(file()), all);
}

TEST_F(ChartFile, DrawsASinglePointAndFailuresAlone) {
  for (const bool logarithmic : {false, true}) {
    write_chart(file(), {.series = {{.name = "one", .x = {3}, .y = {0.001}}}, .logarithmic = logarithmic});
    write_chart(file(), {.series = {{.name = "none", .x = {0, 1}, .y = {}, .mark = Chart::Mark::at_edge}},
                         .logarithmic = logarithmic});
  }
}

TEST_F(ChartFile, RefusesWhatCannotBeDrawn) {
  const auto series = [](double x, double y) { return Chart{.series = {{.name = "s", .x = {x}, .y = {y}}}}; };
  EXPECT_MESSAGE(UsageError, "no points", write_chart(file(), {}));
  EXPECT_MESSAGE(UsageError, "cannot be drawn", write_chart(file(), series(std::nan(""), 1)));
  EXPECT_MESSAGE(UsageError, "cannot be drawn",
                 write_chart(file(), series(1, std::numeric_limits<double>::infinity())));
  Chart negative = series(1, -1);
  write_chart(file(), negative);
  negative.logarithmic = true;
  EXPECT_MESSAGE(UsageError, "cannot be drawn", write_chart(file(), negative));
  negative.series[0].y.clear();
  EXPECT_MESSAGE(UsageError, "1 places and 0 heights", write_chart(file(), negative));
  EXPECT_MESSAGE(InputError, "nowhere", write_chart(directory_ / "nowhere/a.png", series(1, 1)));
}

}  // namespace
}  // namespace rtcg::app
