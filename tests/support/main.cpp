#include <gtest/gtest.h>

#include <cstdlib>

#include "support/scratch_directory.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // No test reads or writes the user's own wisdom.
  const rtcg::ScratchDirectory wisdom;
  setenv("RTCG_WISDOM_DIR", wisdom.path().c_str(), 1);
  return RUN_ALL_TESTS();
}
