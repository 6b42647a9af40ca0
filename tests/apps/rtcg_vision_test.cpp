// rtcg-vision as a script sees it: command lines, exit codes, files, JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "apps/common/picture.h"
#include "apps/common/vti.h"
#include "rtcg/io/hdf5.h"
#include "support/process.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

constexpr const char* space = R"(name = "tiny"
[[layers]]
normalise = { size = 3, threshold = [0.1, 1] }
[[layers]]
filter = { count = [2, 4, 8], size = [3, 5] }
pool = { size = 3, order = [1, 2], stride = 2 }
)";

class VisionCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(test::built_binary("rtcg-vision"))) GTEST_SKIP() << "rtcg-vision is not built";
    write_bytes(at("space.toml"), space);
    write_bytes(
        at("model.toml"),
        "name = \"m\"\n[[layers]]\nfilter = { count = 3, size = 3 }\npool = { size = 2, order = 1, stride = 2 }\n");
    stack("x.npy", {24, 12, 14}, 1);
  }
  std::string at(const std::string& name) const { return (scratch_ / name).string(); }
  /// A .npy of noise about stripes along y for even images, along x for odd ones.
  void stack(const std::string& name, const std::vector<std::size_t>& shape, float scale) const {
    std::mt19937 random(3);
    std::normal_distribution<float> noise(0, 0.2f);
    std::vector<float> values;
    for (std::size_t k = 0; k < shape[0]; ++k)
      for (std::size_t y = 0; y < shape[1]; ++y)
        for (std::size_t x = 0; x < shape[2]; ++x)
          values.push_back(scale * (((k % 2 == 0 ? y : x) % 4 < 2 ? 1 : 0) + noise(random)));
    npy(name, shape, values);
  }
  void npy(const std::string& name, const std::vector<std::size_t>& shape, const std::vector<float>& values) const {
    std::string extents;
    for (const std::size_t n : shape) extents += fmt::format("{}, ", n);
    std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", extents);
    header.resize(118 - 1, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
    bytes += header;
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    write_bytes(at(name), bytes);
  }
  /// Runs with `{}` in arguments standing for the scratch directory.
  test::ProcessResult run(std::vector<std::string> arguments) const {
    for (std::string& argument : arguments)
      if (const auto place = argument.find("{}"); place != argument.npos)
        argument.replace(place, 2, scratch_.path().string());
    return test::run_process("rtcg-vision", arguments, environment());
  }
  std::map<std::string, std::string> environment() const { return {{"RTCG_WISDOM_DIR", at("wisdom")}}; }
  nlohmann::json json(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--json", "-"});
    const test::ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
  }
  /// The command fails with this code and one line that has the text, and leaves no output behind.
  void refused(const std::vector<std::string>& arguments, int code, const std::string& text) const {
    const test::ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, code) << fmt::format("{}", fmt::join(arguments, " ")) << "\n" << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(at("out.h5")));
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.path()))
      EXPECT_EQ(entry.path().string().find("out.h5"), std::string::npos) << entry.path();
  }
  std::vector<std::string> search(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"search", "--space", "{}/space.toml", "--images", "{}/x.npy"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  std::string in_turn() const {
    std::string labels;
    for (int k = 0; k < 24; ++k) labels += k % 2 == 0 ? "rows\n" : "columns\n";
    write_bytes(at("labels.txt"), labels);
    return "{}/labels.txt";
  }

  const ScratchDirectory scratch_;
};

TEST_F(VisionCommand, FilterWritesResponsesThatAreTheCorrelation) {
  const auto result = json({"filter", "{}/x.npy", "--bank", "gabor:size=5,orientations=4,frequencies=1/4", "-o",
                            "{}/r.h5", "--stride", "2x1", "--clip", "0,none"});
  EXPECT_EQ(result["responses"], nlohmann::json({24, 4, 10, 4}));
  const hdf5::File file = hdf5::File::open(at("r.h5"));
  ASSERT_EQ(file.shape("/responses"), (hdf5::Shape{24, 4, 10, 4}));
  ASSERT_EQ(file.shape("/bank"), (hdf5::Shape{4, 5, 5, 1}));
  EXPECT_EQ(std::get<std::string>(file.attributes("/responses").at("axes")), "image y x filter");
  EXPECT_EQ(file.read_texts("/files")[23], "x.npy[23]");
  EXPECT_EQ(file.read<double>("/y"), (std::vector<double>{0, 2, 4, 6}));
  const std::vector<float> responses = file.read<float>("/responses"), bank = file.read<float>("/bank");
  const std::string bytes = read_bytes(at("x.npy"));
  std::vector<float> pixels(24 * 12 * 14);
  std::memcpy(pixels.data(), bytes.data() + 128, pixels.size() * sizeof(float));
  std::size_t place = 0;
  for (std::size_t k = 0; k < 24; ++k)
    for (std::size_t y = 0; y < 4; ++y)
      for (std::size_t x = 0; x < 10; ++x)
        for (std::size_t n = 0; n < 4; ++n) {
          double sum = 0;
          for (std::size_t j = 0; j < 5; ++j)
            for (std::size_t i = 0; i < 5; ++i)
              sum += static_cast<double>(pixels[(k * 12 + 2 * y + j) * 14 + x + i]) * bank[(n * 5 + j) * 5 + i];
          ASSERT_NEAR(responses[place++], std::max(0.0, sum), 1e-5);
        }
  // Its own file serves as a bank; batches change nothing.
  ASSERT_EQ(run({"filter", "{}/x.npy", "--bank", "{}/r.h5", "-o", "{}/again.h5", "--stride", "2x1", "--clip", "0,none",
                 "--batch", "7", "-q"})
                .exit_code,
            0);
  EXPECT_EQ(hdf5::File::open(at("again.h5")).read<float>("/responses"), responses);
}

TEST_F(VisionCommand, FilterDrawsAndStacks) {
  if (!app::pictures_available() || !app::vti_available()) GTEST_SKIP() << "built without OpenCV or VTK";
  const auto result =
      run({"filter", "{}/x.npy", "--bank", "gabor:size=5,orientations=4,frequencies=1/4", "-o", "{}/r.h5", "--border",
           "reflect", "--bias", "1", "--expression", "x * (n + 1)", "--png", "{}/r.png", "--vti", "{}/r.vti"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("24 x 12 x 14 x 4"), std::string::npos) << result.out;
  EXPECT_EQ(read_bytes(at("r.png")).substr(1, 3), "PNG");
  const std::string vti = read_bytes(at("r.vti"));
  EXPECT_NE(vti.find("WholeExtent=\"0 13 0 11 0 3\""), std::string::npos);
  EXPECT_NE(vti.find("x.npy[15]"), std::string::npos);
  EXPECT_EQ(vti.find("x.npy[16]"), std::string::npos);
}

TEST_F(VisionCommand, FilterRefusesWhatMakesNoSense) {
  const auto filter = [&](std::vector<std::string> more, int code, const std::string& text) {
    std::vector<std::string> arguments{"filter", "{}/x.npy", "-o", "{}/out.h5"};
    if (std::find(more.begin(), more.end(), "--bank") == more.end())
      arguments.insert(arguments.end(), {"--bank", "gabor:size=5"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    refused(arguments, code, text);
  };
  filter({"--border", "mirror"}, 2, "there are valid, zero");
  filter({"--stride", "0"}, 2, "--stride '0'");
  filter({"--stride", "1x2x3"}, 2, "NYxNX");
  filter({"--clip", "1"}, 2, "MIN,MAX");
  filter({"--clip", "2,1"}, 2, "above the maximum");
  filter({"--bias", "1,2"}, 2, "2 numbers for 96 filters");
  filter({"--bias", "a"}, 2, "not a finite number");
  filter({"--expression", "x + y"}, 3, "there is no 'y'");
  filter({"--allow", "int8"}, 2, "exact, tf32, fp16");
  filter({"--bank", "gabor:size=no"}, 2, "gabor");
  filter({"--bank", "{}/none.h5"}, 3, "none.h5");
  filter({"--bank", "gabor:size=13"}, 3, "x.npy[0]: filters of 13 x 13 do not fit");
  filter({"--png", "{}/nowhere/a.png"}, 3, "nowhere");
  filter({"--device", "nothing"}, 4, "nothing");
  stack("small.npy", {2, 9, 14}, 1);
  filter({"{}/small.npy"}, 3, "small.npy[0]: 9 x 14 x 1; the images before it are 12 x 14 x 1");
  write_bytes(at("broken.png"), "no picture");
  filter({"{}/broken.png"}, app::pictures_available() ? 3 : 2, "broken.png");
  npy("nan.npy", {1, 12, 14}, std::vector<float>(168, NAN));
  filter({"{}/nan.npy"}, 3, "nan.npy[0]");
  npy("bank.npy", {2, 3, 3, 5}, std::vector<float>(90, 1));
  filter({"--bank", "{}/bank.npy"}, 3, "x.npy[0]: 1 channels");
  npy("flat.npy", {9, 10}, std::vector<float>(90, 1));
  filter({"--bank", "{}/flat.npy"}, 3, "[filter, y, x, channel]");
  refused({"filter", "{}/x.npy", "--bank", "gabor:size=5", "-o", "{}/nowhere/out.h5"}, 3, "cannot be written");
  refused({"filter", "{}/x.npy", "--bank", "gabor:size=5", "-o", "{}/x.npy"}, 2, "is also an input");
  refused({"filter", "{}/x.npy", "-o", "{}/out.h5"}, 2, "--bank");
}

TEST_F(VisionCommand, FeaturesOfAStackAndOfWrongModels) {
  const auto result = json({"features", "--model", "{}/model.toml", "{}/x.npy", "-o", "{}/f.h5"});
  EXPECT_EQ(result["features"], nlohmann::json({5, 6, 3}));
  EXPECT_EQ(hdf5::File::open(at("f.h5")).shape("/features"), (hdf5::Shape{24, 5, 6, 3}));
  write_bytes(at("odd.toml"), "name = \"m\"\n[[layers]]\nfilter = { cuont = 3, size = 3 }\n");
  refused({"features", "--model", "{}/odd.toml", "{}/x.npy", "-o", "{}/out.h5"}, 3, "odd.toml:3");
  refused({"features", "--model", "{}/odd.toml", "{}/x.npy", "-o", "{}/out.h5"}, 3, "count");
  stack("small.npy", {2, 3, 3}, 1);
  refused({"features", "--model", "{}/model.toml", "{}/small.npy", "-o", "{}/out.h5"}, 3, "small.npy[0]");
}

TEST_F(VisionCommand, SearchReportsItsBestAndGoesOnAfterBeingKilled) {
  const std::string labels = in_turn();
  const auto whole = json(search({"--labels", labels, "--trials", "6", "-o", "{}/whole"}));
  EXPECT_EQ(whole["classes"], nlohmann::json({"columns", "rows"}));
  EXPECT_GT(whole["best"][0]["accuracy"], 0.9);
  EXPECT_EQ(whole["chance"], 0.5);
  EXPECT_TRUE(std::filesystem::exists(at("whole/best-1.toml")));
  EXPECT_EQ(std::filesystem::exists(at("whole/accuracy.png")), app::pictures_available());

  const int child = test::fork_one([&] {
    for (const auto& [name, value] : environment()) setenv(name.c_str(), value.c_str(), 1);
    const std::string program = test::built_binary("rtcg-vision").string(), x = at("x.npy"), s = at("space.toml"),
                      l = at("labels.txt"), part = at("part");
    execl(program.c_str(), "rtcg-vision", "search", "--space", s.c_str(), "--images", x.c_str(), "--labels", l.c_str(),
          "-o", part.c_str(), "--trials", "100000", "-q", nullptr);
    return 99;
  });
  for (int wait = 0; wait < 3000; ++wait) {
    const std::string journal =
        std::filesystem::exists(at("part/trials.jsonl")) ? read_bytes(at("part/trials.jsonl")) : "";
    if (std::count(journal.begin(), journal.end(), '\n') >= 3) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGKILL);
  EXPECT_EQ(test::wait_for(child), 128 + SIGKILL);
  const auto resumed = json(search({"--labels", labels, "--trials", "6", "-o", "{}/part"}));
  EXPECT_GE(resumed["resumed"], 2);
  ASSERT_EQ(resumed["trials"].size(), 6u);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(resumed["trials"][k]["accuracy"], whole["trials"][k]["accuracy"]) << k;
}

TEST_F(VisionCommand, SearchRefusesWrongLabelsSpacesAndPlaces) {
  const auto wrong = [&](const std::vector<std::string>& more, int code, const std::string& text) {
    refused(search(more), code, text);
  };
  wrong({"--labels", "12x0,11x1", "-o", "{}/s"}, 3, "23 labels for 24 images");
  wrong({"--labels", "24x0", "-o", "{}/s"}, 2, "nothing to tell apart");
  wrong({"--labels", "folders", "-o", "{}/s"}, 3, "lies in no folder");
  wrong({"--labels", "{}/none.txt", "-o", "{}/s"}, 3, "none.txt");
  wrong({"--labels", "22x0,2x1", "-o", "{}/s"}, 2, "class 1 has 2 samples");
  wrong({"--labels", "12x0,12x1", "-o", "{}/s", "--classifier", "tree"}, 2, "ridge or svm");
  wrong({"--labels", "12x0,12x1", "-o", "{}/x.npy/s"}, 3, "cannot be made");
  write_bytes(at("space.toml"), "name = \"t\"\n[[layers]]\nfilter = { count = [2, 3], size = 3, strde = 2 }\n");
  wrong({"--labels", "12x0,12x1", "-o", "{}/s"}, 3, "space.toml:3");
  EXPECT_FALSE(std::filesystem::exists(at("s")));
  write_bytes(at("space.toml"), space);
  npy("x.npy", {24, 12, 14}, std::vector<float>(24 * 12 * 14, 0.5f));
  wrong({"--labels", "12x0,12x1", "-o", "{}/s", "--trials", "2"}, 5, "constant");
}

TEST_F(VisionCommand, TuneRemembersAndHelpHasExamples) {
  const auto result = json({"tune", "--input", "20x20x1", "--bank", "2x3x3x1", "--variants", "2", "--seconds", "60"});
  EXPECT_EQ(result["variants"].size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(at("wisdom/filterbank.jsonl")));
  refused({"tune", "--input", "20x20x1", "--bank", "2x3x3x2"}, 2, "channels");
  refused({"tune", "--input", "20x20", "--bank", "2x3x3x2"}, 2, "20x20");
  refused({"tune", "--input", "2x2x1", "--bank", "2x3x3x1"}, 2, "do not fit");
  for (const char* command : {"filter", "features", "search", "tune"})
    EXPECT_NE(run({command, "--help"}).out.find(fmt::format("Example: rtcg-vision {}", command)), std::string::npos);
}

}  // namespace
}  // namespace rtcg
