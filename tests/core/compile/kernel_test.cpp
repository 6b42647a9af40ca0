#include "rtcg/compile/kernel.h"

#include <gtest/gtest.h>

#include <complex>
#include <thread>

#include "rtcg/compile/compiler.h"
#include "support/devices.h"

namespace rtcg {
namespace {

class KernelOnDevice : public test::DeviceTest {
 protected:
  template <class... Arguments>
  static std::string error_of(const Kernel& kernel, const Stream& stream, const Arguments&... arguments) {
    try {
      kernel(stream, Grid::of(1, 1), arguments...);
    } catch (const UsageError& error) {
      return error.what();
    }
    return {};
  }
};

constexpr const char* axpy_text =
    "kernel void axpy(global float* restrict y, global const float* restrict x, float a, int n) {\n"
    "  const int i = get_global_id(0);\n  if (i < n) y[i] += a * x[i];\n}\n";

TEST_P(KernelOnDevice, ComputesWhatItsTextSays) {
  const Stream stream = this->stream();
  const int n = 1000;
  std::vector<float> x(n), y(n, 1);
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i);
  const Buffer bx = Buffer::from(stream, x), by = Buffer::from(stream, y);
  kernel("axpy", axpy_text)(stream, Grid::over(n), by, bx, 2.0f, n);
  const std::vector<float> result = by.read<float>();
  for (int i = 0; i < n; ++i) ASSERT_EQ(result[static_cast<std::size_t>(i)], 1 + 2.0f * static_cast<float>(i));
}

TEST_P(KernelOnDevice, RefusesArgumentsThatDoNotFit) {
  const Stream stream = this->stream();
  const Kernel axpy = kernel("axpy", axpy_text);
  const Buffer floats = Buffer::of<float>(stream, 4), doubles = Buffer::of<double>(stream, 4);
  floats.zero(stream);
  ASSERT_NE(axpy.signature(), nullptr);
  EXPECT_EQ(axpy.signature()->parameters.size(), 4u);
  EXPECT_TRUE(axpy.signature()->parameters[1].is_const);
  EXPECT_EQ(error_of(axpy, stream, floats, floats, 2.0, 4),
            "kernel axpy: argument 3 (float a): expected a float value, given a double value");
  EXPECT_EQ(error_of(axpy, stream, floats, floats, 2, 4),
            "kernel axpy: argument 3 (float a): expected a float value, given a int value");
  EXPECT_EQ(error_of(axpy, stream, floats, floats, 2.0f, std::size_t{4}),
            "kernel axpy: argument 4 (int n): expected a int value, given a ulong value");
  EXPECT_EQ(error_of(axpy, stream, doubles, floats, 2.0f, 4),
            "kernel axpy: argument 1 (global float* restrict y): expected a Buffer of float, given a Buffer of double");
  EXPECT_EQ(error_of(axpy, stream, 1.0f, floats, 2.0f, 4),
            "kernel axpy: argument 1 (global float* restrict y): expected a Buffer of float, given a float value");
  EXPECT_EQ(error_of(axpy, stream, floats, floats, 2.0f).find("kernel axpy takes 4 arguments"), 0u);
  EXPECT_EQ(error_of(axpy, stream, floats, Buffer(), 2.0f, 4),
            "kernel axpy: argument 2 (global const float* restrict x) is an empty Buffer");
  EXPECT_EQ(error_of(axpy, stream, floats, floats, 2.0f, 4u), "");
  // The check of one list of types must not stand for another.
  EXPECT_NE(error_of(axpy, stream, floats, floats, 2.0, 4), "");
  EXPECT_EQ(error_of(axpy, stream, floats, floats, 2.0f, 4), "");
}

TEST_P(KernelOnDevice, PassesComplexValuesAndStructs) {
  struct Affine {
    float scale, shift;
  };
  const Stream stream = this->stream();
  const Module module = compile(
      device(), Source("mix.cl",
                       "struct Affine { float scale, shift; };\n"
                       "kernel void rotate_all(global cfloat_t* z, cfloat_t w, struct Affine affine) {\n"
                       "  z[0] = cfloat_scale(cfloat_mul(z[0], w), affine.scale); z[0].x += affine.shift; }\n"));
  const Buffer z = Buffer::from(stream, std::vector<std::complex<float>>{{1, 2}});
  module.kernel("rotate_all")(stream, Grid::of(1, 1), z, std::complex<float>(3, -1), Affine{2, 0.5f});
  EXPECT_EQ(z.read<std::complex<float>>()[0], std::complex<float>(10.5f, 10));
}

TEST_P(KernelOnDevice, LaunchesFromManyThreads) {
  const Stream own = stream();
  const Kernel axpy = kernel("axpy", axpy_text);
  std::vector<std::jthread> threads;
  std::vector<float> sums(4);
  for (std::size_t t = 0; t < sums.size(); ++t)
    threads.emplace_back([&, t] {
      const Stream mine(device());
      const Buffer x = Buffer::from(mine, std::vector<float>(8, 1.0f)),
                   y = Buffer::from(mine, std::vector<float>(8, 0.0f));
      for (int i = 0; i < 200; ++i) axpy(mine, Grid::of(1, 8), y, x, static_cast<float>(t + 1), 8);
      sums[t] = y.read<float>()[7];
    });
  threads.clear();
  for (std::size_t t = 0; t < sums.size(); ++t) EXPECT_EQ(sums[t], 200.0f * static_cast<float>(t + 1));
}

TEST_P(KernelOnDevice, UnknownKernelsAreNamedWithThoseThereAre) {
  const Module module = compile(device(), Source("axpy.cl", axpy_text));
  EXPECT_EQ(module.kernel_names(), std::vector<std::string>{"axpy"});
  try {
    module.kernel("saxpy");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "axpy.cl has no kernel saxpy; it has axpy");
  }
  EXPECT_EQ(module.kernel("axpy").native(), module.kernel("axpy").native());
}

TEST(Kernel, StreamMustBeOfTheKernelsDevice) {
  const std::vector<Device> devices = test::test_devices();
  std::vector<Device> two = devices;
  if (two.size() < 2) {
    try {
      two.push_back(Device::find("debug:0"));
    } catch (const DeviceError&) {
      GTEST_SKIP() << "one device only";
    }
  }
  if (two[0] == two[1]) GTEST_SKIP() << "one device only";
  const Kernel axpy = compile(two[0], Source("axpy.cl", axpy_text)).kernel("axpy");
  const Stream other(two[1]);
  const Buffer x = Buffer::of<float>(other, 4);
  EXPECT_THROW(axpy(other, Grid::of(1, 4), x, x, 1.0f, 4), UsageError);
}

RTCG_INSTANTIATE_FOR_DEVICES(KernelOnDevice);

}  // namespace
}  // namespace rtcg
