#include "vision/features.h"

#include <random>

#include "rtcg/array/interchange/hdf5.h"
#include "rtcg/array/interchange/npy.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg::vision {
namespace {

constexpr const char* two_layers = R"(name = "two"
[[layers]]
normalise = { size = 3 }
[[layers]]
filter = { count = 4, size = 3 }
clip = { min = 0 }
pool = { size = 3, order = 2, stride = 2 }
)";

class FeaturesTest : public rtcg::test::DeviceTest {
 protected:
  /// 23 images of 12 x 14 as a .npy of this type.
  template <class T>
  std::filesystem::path stack(const char* name, double scale) {
    std::mt19937 random(5);
    std::vector<T> values(23 * 12 * 14);
    for (T& v : values) v = static_cast<T>(scale * std::uniform_real_distribution<double>(0, 1)(random));
    write_npy(scratch_ / name, Array::from(stream_, values, Shape{23, 12, 14}));
    return scratch_ / name;
  }
  std::string refusal(const std::filesystem::path& file, const std::string& model = two_layers) {
    return message_of<InputError>([&] {
      const Model made(stream_, parse_model(model));
      write_features(made, *open_images(file, made.description().input), scratch_ / "out.h5");
    });
  }

  const ScratchDirectory scratch_;
  const Stream stream_{device()};
};

TEST_P(FeaturesTest, AreTheModelsOfEachImageWhateverTheBatch) {
  const auto images = open_images(stack<float>("x.npy", 1), {});
  const Model model(stream_, parse_model(two_layers));
  const Array all = load_images(stream_, *images);
  ASSERT_EQ(all.shape(), (Shape{23, 12, 14, 1}));
  const std::vector<float> expected = model(all).to_vector<float>();
  for (const std::size_t batch : {0, 1, 5, 23, 100}) {
    std::vector<std::size_t> progress;
    const FeatureReport report = write_features(model, *images, scratch_ / "f.h5",
                                                {batch, 2, [&](std::size_t done) { progress.push_back(done); }});
    const hdf5::File file = hdf5::File::open(scratch_ / "f.h5");
    EXPECT_EQ(file.shape("/features"), (hdf5::Shape{23, 3, 4, 4}));
    EXPECT_EQ(file.read<float>("/features"), expected) << batch;
    const std::vector<std::string> names = file.read_texts("/files");
    ASSERT_EQ(names.size(), 23u);
    EXPECT_EQ(names[22], "x.npy[22]");
    EXPECT_EQ(parse_model(std::get<std::string>(file.attributes("/features").at("model"))), model.description());
    EXPECT_EQ(report.images, 23u);
    EXPECT_EQ(report.height * report.width * report.channels, 48u);
    EXPECT_EQ(progress.back(), 23u);
    EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
    const Array features = extract_features(model, *images, {batch, 3, {}});
    EXPECT_EQ(features.shape(), (Shape{23, 48}));
    EXPECT_EQ(features.to_vector<float>(), expected);
    EXPECT_EQ(extract_features(model, all, batch).to_vector<float>(), expected);
  }
}

TEST_P(FeaturesTest, IntegersAreFractionsOfTheirLargestValue) {
  const auto bytes = open_images(stack<std::uint8_t>("b.npy", 255), {});
  const auto words = open_images(stack<std::uint16_t>("w.npy", 65535), {});
  const auto doubles = open_images(stack<double>("d.npy", 1), {});
  for (const std::size_t k : {0, 22}) {
    const HostImage b = bytes->read(k), w = words->read(k), d = doubles->read(k);
    for (std::size_t p = 0; p < d.pixels.size(); ++p) {
      ASSERT_NEAR(b.pixels[p], d.pixels[p], 1.0 / 255);
      ASSERT_NEAR(w.pixels[p], d.pixels[p], 1.0 / 65535);
    }
  }
}

TEST_P(FeaturesTest, BadStacksAreRefusedByName) {
  std::vector<float> values(3 * 12 * 12, 0.5f);
  values[2 * 144 + 13] = NAN;
  write_npy(scratch_ / "nan.npy", Array::from(stream_, values, Shape{3, 12, 12}));
  EXPECT_NE(refusal(scratch_ / "nan.npy").find("nan.npy[2]: pixel (1, 1)"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "out.h5"));
  write_npy(scratch_ / "small.npy", Array::zeros(stream_, {3, 4, 4}, Dtype::f32));
  EXPECT_NE(refusal(scratch_ / "small.npy").find("small.npy[0], 4 x 4 pixels: "), std::string::npos);
  write_npy(scratch_ / "flat.npy", Array::zeros(stream_, {3, 4}, Dtype::f32));
  EXPECT_NE(refusal(scratch_ / "flat.npy").find("[image, y, x]"), std::string::npos);
  write_npy(scratch_ / "long.npy", Array::zeros(stream_, {3, 14, 14}, Dtype::i64));
  EXPECT_NE(refusal(scratch_ / "long.npy").find("int64"), std::string::npos);
  std::string whole = read_bytes(scratch_ / "small.npy");
  whole.pop_back();
  write_bytes(scratch_ / "cut.npy", whole);
  EXPECT_NE(refusal(scratch_ / "cut.npy").find("cut.npy"), std::string::npos);
  EXPECT_NE(refusal(scratch_ / "none.npy").find("there is no such"), std::string::npos);
}

/// Grey pixels of two sizes in turn.
class MixedSizes : public ImageSource {
 public:
  std::size_t size() const override { return 7; }
  std::string name(std::size_t index) const override { return "image " + std::to_string(index); }
  std::string folder(std::size_t) const override { return {}; }
  HostImage read(std::size_t index) const override {
    const std::size_t edge = index < 3 ? 12 : index < 5 ? 15 : 12;
    return {edge, edge, 1, std::vector<float>(edge * edge, static_cast<float>(index))};
  }
};

TEST_P(FeaturesTest, ImagesOfSeveralSizesNeedFeaturesOfOne) {
  const MixedSizes images;
  EXPECT_NE(message_of<InputError>([&] {
              write_features(Model(stream_, parse_model(two_layers)), images, scratch_ / "out.h5");
            }).find("image 3: 15 x 15 pixels give features"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "out.h5"));
  EXPECT_NE(message_of<InputError>([&] { load_images(stream_, images); }).find("image 3: 15 x 15"), std::string::npos);
  const Model model(stream_, parse_model("[[layers]]\npool = { size = 2 }\nresample = { size = 3 }\n"));
  const std::vector<float> features = extract_features(model, images).to_vector<float>();
  ASSERT_EQ(features.size(), 63u);
  for (std::size_t k = 0; k < 63; ++k) EXPECT_EQ(features[k], 4.0f * static_cast<float>(k / 9));
}

RTCG_INSTANTIATE_FOR_DEVICES(FeaturesTest);

}  // namespace
}  // namespace rtcg::vision
