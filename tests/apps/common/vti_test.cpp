#include "apps/common/vti.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::app {
namespace {

class VtiFile : public testing::Test {
 protected:
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_.path()), std::filesystem::directory_iterator()));
  }
  ScratchDirectory directory_;
};

TEST_F(VtiFile, StatesItsGridAndFields) {
  if (!vti_available()) GTEST_SKIP() << "built without VTK";
  VtiImage image{.points = {3, 2, 2}, .origin = {-1, 5, 0}, .spacing = {0.5, 0.25, 2}, .fields = {}};
  image.fields.push_back({"magnitude_dB", std::vector<float>(12, -3.0f)});
  const auto file = directory_ / "a.vti";
  write_vti(file, image);
  const std::string text = read_bytes(file);
  for (const char* part : {"WholeExtent=\"0 2 0 1 0 1\"", "Origin=\"-1 5 0\"", "Spacing=\"0.5 0.25 2\"",
                           "Name=\"magnitude_dB\"", "Scalars=\"magnitude_dB\""})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(files(), 1u);
  image.fields[0].values.pop_back();
  EXPECT_THROW(write_vti(file, image), UsageError);
}

}  // namespace
}  // namespace rtcg::app
