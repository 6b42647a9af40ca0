#include "rtcg/tune/space.h"

#include "rtcg/error.h"
#include "rtcg/tune/tunable.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

using std::int64_t;

ParameterSpace sample() {
  ParameterSpace space;
  space.parameter("rows", {int64_t{1}, int64_t{2}, int64_t{8}}, int64_t{2})
      .parameter("kernel", {std::string("direct"), std::string("tiled")}, std::string("direct"))
      .constraint("tiles have at least 2 rows", {"rows", "kernel"},
                  [](const Configuration& c) { return c.word("kernel") != "tiled" || c.integer("rows") >= 2; });
  return space;
}

Configuration choice(int64_t rows, const std::string& kernel) {
  return Configuration({{"rows", rows}, {"kernel", kernel}});
}

TEST(ParameterSpace, HoldsConfigurationsAgainstValuesAndConstraints) {
  const ParameterSpace space = sample();
  EXPECT_EQ(space.standard(), choice(2, "direct"));
  EXPECT_EQ(space.objection(space.standard()), "");
  EXPECT_EQ(space.objection(choice(8, "tiled")), "");
  EXPECT_EQ(space.objection(choice(1, "tiled")), "breaks \"tiles have at least 2 rows\"");
  EXPECT_EQ(space.objection(choice(3, "tiled")), "rows=3 is not among the values");
  EXPECT_EQ(space.objection(Configuration({{"rows", int64_t{2}}})), "the parameter kernel is missing");
  Configuration more = choice(2, "direct");
  more.set("depth", int64_t{1});
  EXPECT_EQ(space.objection(more), "there is no parameter depth");
}

TEST(ParameterSpace, RefusesDescriptionsThatMakeNoSense) {
  ParameterSpace space = sample();
  EXPECT_MESSAGE(UsageError, "rows is there twice", space.parameter("rows", {true}, true));
  EXPECT_MESSAGE(UsageError, "has the value 4 twice", space.parameter("a", {int64_t{4}, int64_t{4}}, int64_t{4}));
  EXPECT_MESSAGE(UsageError, "the default 5 of the parameter a is none of its values",
                 space.parameter("a", {int64_t{4}}, int64_t{5}));
  EXPECT_MESSAGE(UsageError, "reads depth, which is no parameter",
                 space.constraint("deep", {"depth"}, [](const Configuration&) { return true; }));
  EXPECT_MESSAGE(UsageError, "the default (rows=2 kernel=direct) breaks \"many rows\"",
                 space.constraint("many rows", {"rows"}, [](const Configuration& c) { return c.integer("rows") > 2; }));
}

TEST(Demand, IsHeldAgainstTheDevice) {
  DeviceProperties device;
  device.max_work_group = 256;
  device.local_memory = 1024;
  const auto objection = [&](std::size_t items, std::size_t bytes) {
    Demand demand;
    demand.work_group_size = items, demand.local_bytes = bytes;
    return demand.objection(device);
  };
  EXPECT_EQ(objection(256, 1024), "");
  EXPECT_EQ(objection(257, 0), "a work-group of 257, where the device takes 256");
  EXPECT_EQ(objection(1, 1025), "1025 bytes of local memory, where the device has 1024");
}

}  // namespace
}  // namespace rtcg
