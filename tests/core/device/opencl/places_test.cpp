#include "rtcg/device/opencl/places.h"

#include <gtest/gtest.h>

namespace rtcg {
namespace {

TEST(RestorePlaces, PhysicalLinesBecomeTheUsersOwn) {
  const std::string text =
      "prelude\nprelude\n#line 1 \"user.cl\"\none\ntwo\n#line 1 \"a.h\"\nheader\n#line 4 \"user.cl\"\nfour\n";
  EXPECT_EQ(opencl::restore_places("<kernel>:5:3: error: x\n<kernel>:7:1: error: y\n<kernel>:9: z", text),
            "user.cl:2:3: error: x\na.h:1:1: error: y\nuser.cl:4: z");
  EXPECT_EQ(opencl::restore_places("<kernel>:2:3: error: x, <kernel>:99:1: y, <kernel>: z", text),
            "<kernel>:2:3: error: x, <kernel>:99:1: y, <kernel>: z");
  EXPECT_EQ(opencl::restore_places("user.cl:1:1: error: x", text), "user.cl:1:1: error: x");
}

}  // namespace
}  // namespace rtcg
