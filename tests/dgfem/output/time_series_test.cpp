#include "dgfem/output/time_series.h"

#include <gtest/gtest.h>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(TimeSeries, ListsEachTimeOnceAlsoWhenARunIsContinued) {
  const ScratchDirectory scratch;
  {
    TimeSeries series(scratch / "run.pvd");
    EXPECT_EQ(series.file_of(0).filename(), "run_000000.vtu");
    for (const double time : {0.0, 0.1, 0.2, 0.30000000000000004}) series.add(time);
  }
  const std::string whole = read_bytes(scratch / "run.pvd");
  EXPECT_EQ(count(whole, "<DataSet "), 4u);
  EXPECT_NE(whole.find("timestep=\"0.30000000000000004\" part=\"0\" file=\"run_000003.vtu\""), std::string::npos);

  TimeSeries series = TimeSeries::continued(scratch / "run.pvd", 0.1);
  ASSERT_EQ(series.entries().size(), 2u);
  EXPECT_EQ(read_bytes(scratch / "run.pvd"), whole);  // until there is something new
  EXPECT_EQ(series.file_of(0.1).filename(), "run_000001.vtu");
  EXPECT_EQ(series.file_of(0.2).filename(), "run_000002.vtu");
  series.add(0.1);
  series.add(0.15);
  series.add(0.2);
  const std::string text = read_bytes(scratch / "run.pvd");
  EXPECT_EQ(count(text, "<DataSet "), 4u);
  EXPECT_EQ(count(text, "timestep=\"0.1\""), 1u);
  EXPECT_NE(text.find("timestep=\"0.15\" part=\"0\" file=\"run_000002.vtu\""), std::string::npos);
  EXPECT_NE(text.find("timestep=\"0.2\" part=\"0\" file=\"run_000003.vtu\""), std::string::npos);
}

TEST(TimeSeries, GivesFreeNumbers) {
  const ScratchDirectory scratch;
  write_bytes(scratch / "r.pvd", R"(<VTKFile type="Collection"><Collection>
    <DataSet timestep="0" file="r_000001.vtu"/><DataSet timestep="1" file="r_000007.vtu"/></Collection></VTKFile>)");
  TimeSeries series = TimeSeries::continued(scratch / "r.pvd", 5);
  EXPECT_EQ(series.file_of(2).filename(), "r_000002.vtu");
  TimeSeries first = TimeSeries::continued(scratch / "r.pvd", 0);
  EXPECT_EQ(first.file_of(2).filename(), "r_000002.vtu");
  EXPECT_TRUE(TimeSeries::continued(scratch / "none.pvd", 1).entries().empty());
}

TEST(TimeSeries, SaysWhatIsWrong) {
  const ScratchDirectory scratch;
  const auto open = [&](const std::string& text) {
    write_bytes(scratch / "r.pvd", text);
    return TimeSeries::continued(scratch / "r.pvd", 1);
  };
  EXPECT_MESSAGE(InputError, "r.pvd: no XML at byte", open("<VTKFile><Coll"));
  EXPECT_MESSAGE(InputError, "r.pvd: no list of times", open("<VTKFile/>"));
  EXPECT_MESSAGE(InputError, "timestep \"x\" and file \"a.vtu\"",
                 open("<VTKFile><Collection><DataSet timestep=\"x\" file=\"a.vtu\"/></Collection></VTKFile>"));
  EXPECT_MESSAGE(InputError, "its times do not ascend",
                 open("<VTKFile><Collection><DataSet timestep=\"1\" file=\"a.vtu\"/>"
                      "<DataSet timestep=\"0\" file=\"b.vtu\"/></Collection></VTKFile>"));
  TimeSeries nowhere(scratch / "none/r.pvd");
  EXPECT_MESSAGE(InputError, "cannot be written", nowhere.add(0));
  EXPECT_TRUE(nowhere.entries().empty());
}

}  // namespace
}  // namespace rtcg::dgfem
