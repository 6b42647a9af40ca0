#include <gtest/gtest.h>

#include <cstdlib>

#include "support/scratch_directory.h"

int main(int argc, char** argv) {
  // No test reads or writes the user's own wisdom. Before all else: listing the devices reads the environment.
  const rtcg::ScratchDirectory wisdom;
  setenv("RTCG_WISDOM_DIR", wisdom.path().c_str(), 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
