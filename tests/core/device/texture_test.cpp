#include "rtcg/device/texture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg {
namespace {

using Texel = std::array<float, 4>;

/// What read_imagef is to give, in double precision, from the definition of the two filters and the two edges.
class Reference {
 public:
  Reference(const TextureDescription& description, std::vector<float> texels)
      : description_(description), texels_(std::move(texels)) {}

  double operator()(double x, double y, double z, unsigned channel) const {
    if (description_.filter == TextureFilter::nearest) {
      return texel(std::floor(x), std::floor(y), std::floor(z), channel);
    }
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1, at[3] = {x - 0.5, y - 0.5, z - 0.5};
      if (description_.depth == 1) at[2] = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double low = std::floor(at[axis]), fraction = at[axis] - low;
        const bool high = (corner >> axis & 1) != 0;
        weight *= high ? fraction : 1 - fraction;
        at[axis] = low + (high ? 1 : 0);
      }
      if (weight != 0) sum += weight * texel(at[0], at[1], at[2], channel);
    }
    return sum;
  }

 private:
  double texel(double x, double y, double z, unsigned channel) const {
    const double extent[3] = {double(description_.width), double(description_.height), double(description_.depth)};
    double at[3] = {x, y, description_.depth == 1 ? 0 : z};
    for (int axis = 0; axis < 3; ++axis) {
      const double inside = std::clamp(at[axis], 0.0, extent[axis] - 1);
      if (inside != at[axis] && description_.edge == TextureEdge::zero) return 0;
      at[axis] = inside;
    }
    const double index = ((at[2] * extent[1] + at[1]) * extent[0] + at[0]) * description_.channels + channel;
    return texels_[static_cast<std::size_t>(index)];
  }

  TextureDescription description_;
  std::vector<float> texels_;
};

class TextureTest : public test::DeviceTest {
 protected:
  void SetUp() override {
    if (!device().properties().has_images) GTEST_SKIP() << device().id() << " has no images";
  }

  /// Positions inside, on texel borders, within half a texel of every edge and far outside.
  static std::vector<Texel> positions(const TextureDescription& d) {
    std::vector<Texel> result;
    const auto along = [](std::size_t extent) {
      const auto n = static_cast<float>(extent);
      return std::vector<float>{-3.0f, -0.75f,    -0.25f,   0.125f,     0.5f,      0.875f,  1.5f,
                                2.25f, n - 0.75f, n - 0.5f, n - 0.125f, n + 0.25f, n + 5.0f};
    };
    for (const float x : along(d.width)) {
      for (const float y : along(d.height)) {
        if (d.depth == 1)
          result.push_back({x, y, 0, 0});
        else
          for (const float z : along(d.depth)) result.push_back({x, y, z, 0});
      }
    }
    return result;
  }

  std::vector<Texel> sample(const Texture& texture, const std::vector<Texel>& at) const {
    const TextureDescription& d = texture.description();
    const std::string filter = d.filter == TextureFilter::linear ? "linear" : "nearest";
    const std::string edge = d.edge == TextureEdge::clamp ? "clamp" : "zero";
    const std::string image = d.depth == 1 ? "image2d_t" : "image3d_t";
    const std::string position = d.depth == 1 ? "make_float2(at[i].x, at[i].y)" : "at[i]";
    const Kernel kernel = this->kernel("sample", "kernel void sample(read_only " + image +
                                                     R"( image, global float4* out, global const float4* at, int n) {
  const sampler_t sampler = RTCG_SAMPLER()" + filter +
                                                     ", " + edge + R"();
  int i = get_global_id(0);
  if (i < n) out[i] = read_imagef(image, sampler, )" +
                                                     position + ");\n}\n");
    const Stream s = stream();
    const Buffer positions(s, at.size() * sizeof(Texel)), out(s, at.size() * sizeof(Texel));
    positions.write(at.data(), at.size() * sizeof(Texel));
    kernel(s, Grid::over(at.size(), 64), texture, out, positions, static_cast<int>(at.size()));
    return out.read<Texel>();
  }

  void check(const TextureDescription& d) const {
    const std::size_t count = d.width * d.height * d.depth * d.channels;
    std::vector<float> texels(count);
    for (std::size_t i = 0; i < count; ++i) texels[i] = static_cast<float>((i * 37 + 11) % 256) / 255.0f;
    const Texture texture(stream(), d);
    if (d.format == TextureFormat::float32) {
      texture.write(std::span<const float>(texels));
    } else {
      std::vector<std::uint8_t> bytes(count);
      for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>((i * 37 + 11) % 256);
      texture.write(std::span<const std::uint8_t>(bytes));
    }
    const Reference reference(d, texels);
    const auto at = positions(d);
    const auto values = sample(texture, at);
    // Texture units interpolate with 8 bits of fraction an axis, and the values here lie in 0..1.
    const double tolerance = d.filter == TextureFilter::linear ? 3.0 / 256 : 1e-6;
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (unsigned c = 0; c < d.channels; ++c) {
        ASSERT_NEAR(values[i][c], reference(at[i][0], at[i][1], at[i][2], c), tolerance)
            << "channel " << c << " at " << at[i][0] << ", " << at[i][1] << ", " << at[i][2];
      }
    }
  }

  void check_filters_and_edges(TextureDescription d) const {
    for (const auto filter : {TextureFilter::nearest, TextureFilter::linear}) {
      for (const auto edge : {TextureEdge::clamp, TextureEdge::zero}) {
        SCOPED_TRACE(testing::Message() << (filter == TextureFilter::linear ? "linear" : "nearest") << ", "
                                        << (edge == TextureEdge::clamp ? "clamp" : "zero"));
        d.filter = filter;
        d.edge = edge;
        check(d);
      }
    }
  }
};

TEST_P(TextureTest, PlanesOfOneChannel) {
  check_filters_and_edges({.width = 7, .height = 5});
}
TEST_P(TextureTest, PlanesOfTwoChannels) {
  check_filters_and_edges({.width = 6, .height = 4, .channels = 2});
}
TEST_P(TextureTest, PlanesOfFourBytes) {
  check_filters_and_edges({.width = 5, .height = 9, .channels = 4, .format = TextureFormat::unorm8});
}
TEST_P(TextureTest, Volumes) {
  check_filters_and_edges({.width = 6, .height = 5, .depth = 4});
}

TEST_P(TextureTest, WrongShapesAreRefused) {
  const Stream s = stream();
  EXPECT_THROW(Texture(s, {.width = 4, .height = 4, .channels = 3}), UsageError);
  EXPECT_THROW(Texture(s, {.width = 0, .height = 4}), UsageError);
  EXPECT_THROW(Texture(s, {.width = std::size_t{1} << 40, .height = 1}), DeviceError);
  const Texture texture(s, {.width = 4, .height = 4});
  EXPECT_EQ(texture.bytes(), 64u);
  EXPECT_THROW(texture.write(std::span<const float>(std::vector<float>(15))), UsageError);
}

RTCG_INSTANTIATE_FOR_DEVICES(TextureTest);

}  // namespace
}  // namespace rtcg
