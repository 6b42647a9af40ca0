#include <cstdlib>

#include "radar/io/dem.h"
#include "radar/pulses.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::radar {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> crashes(const std::string& target) {
  const char* source = std::getenv("RTCG_SOURCE_DIR");
  const fs::path directory = fs::path(source ? source : ".") / "fuzz/crashes" / target;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  EXPECT_FALSE(files.empty()) << directory;
  return files;
}

TEST(FormerCrashes, OfPulseFilesAreErrorsOfOneLine) {
  for (const fs::path& file : crashes("pulses"))
    EXPECT_MESSAGE(InputError, file.filename().string(), open_pulses(std::span(&file, 1))->collection());
}

TEST(FormerCrashes, OfTerrainAreErrorsOfOneLine) {
  const ImageGrid grid{4, 3, 1, 0.5, 0.25, 1, {10, 20, 0}, {}};
  for (const fs::path& file : crashes("heights"))
    EXPECT_MESSAGE(InputError, file.filename().string(), read_heights(file.string(), grid));
}

}  // namespace
}  // namespace rtcg::radar
