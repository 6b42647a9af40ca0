// What only a real CUDA device can show of the CUDA driver. Texts are plain CUDA C++.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>
#include <thread>

#include "rtcg/device/cuda/nvrtc.h"
#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg {
namespace {

class CudaDeviceTest : public test::DeviceTest {
 protected:
  Module build(const std::string& text) const { return compile(device(), Source("test.cu", text, Dialect::raw)); }
};

TEST_P(CudaDeviceTest, DescribesItself) {
  const DeviceProperties& properties = device().properties();
  EXPECT_EQ(properties.simd_width, 32u);
  EXPECT_GE(properties.max_work_group, 1024u);
  EXPECT_GE(properties.local_memory, 49152u);
  EXPECT_EQ(properties.constant_memory, 65536u);
  EXPECT_GT(properties.cache, 0u);
  EXPECT_GT(properties.clock_mhz, 100u);
  EXPECT_NE(properties.driver.find("CUDA 1"), std::string::npos) << properties.driver;
  const std::size_t free = device().driver().free_memory();
  EXPECT_GT(free, 0u);
  EXPECT_LE(free, properties.global_memory);
}

TEST_P(CudaDeviceTest, FillsLargeBuffersWithLongPatterns) {
  const Stream s = stream();
  constexpr std::size_t count = (std::size_t{1} << 20) + 37;
  const Buffer buffer = Buffer::of<std::complex<double>>(s, count);
  const std::complex<double> edge{-1, -2}, value{0.1, 1e300};
  buffer.fill(s, edge);
  const Buffer middle = buffer.slice(4096, (count - 512) * sizeof edge);
  middle.fill(s, value);
  const auto values = buffer.read<std::complex<double>>();
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(values[i], i >= 256 && i < count - 256 ? value : edge) << "element " << i;
}

TEST_P(CudaDeviceTest, SharesMappedMemoryWithTheHost) {
  const Stream s = stream();
  const Buffer mapped = Buffer::of<int>(s, 1000, MemoryKind::mapped);
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 5);
  mapped.write(values);
  const Kernel twice = build(
                           "extern \"C\" __global__ void twice(int* x, int n) {\n"
                           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] *= 2;\n}")
                           .kernel("twice");
  twice(s, Grid::over(1000), mapped, 1000);
  {
    const auto view = mapped.map();
    EXPECT_EQ(view.as<int>()[999], 2 * 1004);
    view.as<int>()[0] = 77;
  }
  twice(s, Grid::over(1000), mapped, 1000);
  const Buffer plain = Buffer::of<int>(s, 1000);
  plain.copy_from(s, mapped);
  EXPECT_EQ(plain.read<int>()[0], 154);
  EXPECT_EQ(mapped.read<int>()[999], 4 * 1004);
}

TEST_P(CudaDeviceTest, LoadsPtxAndCubinOfTheSameText) {
  const CompileRequest request{
      "store.cu",
      "extern \"C\" __global__ void store(float* y, float a, double b) { *y = a + (float)b; }\n"
      "extern \"C\" __global__ void other() {}\n",
      {}};
  const std::string target = cuda::target_for(device().properties().architecture, cuda::architectures());
  const std::string number = target.substr(target.find('_') + 1);
  const Stream s = stream();
  for (const std::string& form : {target, "compute_" + number}) {
    Driver& driver = device().driver();
    const Handle program = driver.load(cuda::compile(request, form).binary);
    std::vector<std::string> names = driver.kernel_names(program);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"other", "store"})) << form;
    const Handle store = driver.kernel(program, "store");
    std::vector<std::size_t> sizes;
    for (const ParameterInfo& parameter : driver.parameters(store)) sizes.push_back(parameter.bytes);
    EXPECT_EQ(sizes, (std::vector<std::size_t>{8, 4, 8})) << form;
    EXPECT_TRUE(driver.parameters(driver.kernel(program, "other")).empty());
    const KernelResources resources = driver.resources(store);
    EXPECT_GT(resources.registers, 0);
    EXPECT_EQ(resources.private_bytes, 0);
    EXPECT_GE(resources.max_work_group, 1024);
    const Buffer y = Buffer::of<float>(s, 1);
    const float a = 1.5f;
    const double b = 0.25;
    const Argument arguments[] = {{y.argument(), {}}, {&a, {}}, {&b, {}}};
    driver.launch(s.native(), store, Grid{}, arguments);
    EXPECT_EQ(y.read<float>()[0], 1.75f) << form;
    driver.release_kernel(store);
    driver.release_program(program);
  }
  EXPECT_THROW(load_module(device(), std::as_bytes(std::span("neither fish nor fowl")), "bad"), DeviceError);
}

TEST_P(CudaDeviceTest, GivesMoreDynamicLocalMemoryThanTheDefault) {
  const Stream s = stream();
  const Kernel reverse = build(
                             "extern \"C\" __global__ void reverse(float* y, int n) {\n"
                             "  extern __shared__ float tile[];\n"
                             "  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = y[i];\n"
                             "  __syncthreads();\n"
                             "  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = tile[n - 1 - i];\n}")
                             .kernel("reverse");
  std::vector<float> values(24000);  // 96 kB
  std::iota(values.begin(), values.end(), 0.f);
  const Buffer buffer = Buffer::from(s, values);
  Grid grid = Grid::of(1, 256);
  grid.dynamic_local_bytes = static_cast<std::uint32_t>(buffer.bytes());
  reverse(s, grid, buffer, 24000);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(buffer.read<float>(), values);
  grid.dynamic_local_bytes = 1 << 20;
  EXPECT_THROW(reverse(s, grid, buffer, 24000), DeviceError);
}

TEST_P(CudaDeviceTest, RefusesALaunchThatCannotBeAndGoesOn) {
  const Stream s = stream();
  const Kernel one = build("extern \"C\" __global__ void one(int* y) { *y = 1; }").kernel("one");
  const Buffer y = Buffer::of<int>(s, 1);
  try {
    one(s, Grid::of(1, 4096), y);
    FAIL() << "no device has groups of 4096";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("launch of 'one'"), std::string::npos) << error.what();
  }
  one(s, Grid{}, y);
  EXPECT_EQ(y.read<int>()[0], 1);
}

TEST_P(CudaDeviceTest, ReadsTexturesWithFilterAndEdge) {
  const Stream s = stream();
  const Module module = build(
      "extern \"C\" __global__ void plane(cudaTextureObject_t t, const float2* at, float* y, int n) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = tex2D<float>(t, at[i].x, at[i].y);\n}\n"
      "extern \"C\" __global__ void solid(cudaTextureObject_t t, const float4* at, float* y, int n) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = tex3D<float>(t, at[i].x, at[i].y, at[i].z);\n}");
  const auto look = [&](const Texture& texture, const char* kernel, const std::vector<float>& at, int count) {
    const Buffer result = Buffer::of<float>(s, static_cast<std::size_t>(count));
    module.kernel(kernel)(s, Grid{}, texture, Buffer::from(s, at), result, count);
    return result.read<float>();
  };
  // At texel centres, half-way between two, between four, on the edge, and outside by a whole and by half a texel.
  const std::vector<float> at{0.5f, 0.5f, 1.0f, 0.5f, 1.0f, 1.0f, 2.5f, 1.5f, -1.5f, 0.5f, 3.0f, 1.5f};
  const std::vector<float> texels{1, 2, 4, 8, 16, 32};  // 3 x 2
  TextureDescription description{.width = 3, .height = 2, .filter = TextureFilter::linear};
  Texture clamped(s, description);
  clamped.write(std::span<const float>(texels));
  EXPECT_EQ(look(clamped, "plane", at, 6), (std::vector<float>{1, 1.5f, 6.75f, 32, 1, 32}));
  description.edge = TextureEdge::zero;
  Texture bordered(s, description);
  bordered.write(std::span<const float>(texels));
  EXPECT_EQ(look(bordered, "plane", at, 6), (std::vector<float>{1, 1.5f, 6.75f, 32, 0, 16}));
  description.filter = TextureFilter::nearest;
  description.format = TextureFormat::unorm8;
  Texture bytes(s, description);
  const std::vector<std::uint8_t> grey{0, 51, 102, 153, 204, 255};
  bytes.write(std::span<const std::uint8_t>(grey));
  const auto read = look(bytes, "plane", {0.5f, 0.5f, 1.2f, 0.7f, 2.9f, 1.9f}, 3);
  EXPECT_FLOAT_EQ(read[0], 0);
  EXPECT_FLOAT_EQ(read[1], 0.2f);
  EXPECT_FLOAT_EQ(read[2], 1);

  Texture volume(s, {.width = 2, .height = 2, .depth = 2, .filter = TextureFilter::linear});
  volume.write(std::span<const float>(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(look(volume, "solid", {1, 1, 1, 0, 1.5f, 0.5f, 1.5f, 0}, 2), (std::vector<float>{4.5f, 6}));
}

TEST_P(CudaDeviceTest, TimesWorkByEventsAndWorksOnEveryThread) {
  const Module module = build(
      "extern \"C\" __global__ void wait(long long ns) {\n"
      "  long long start, now;\n  asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(start));\n"
      "  do asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(now)); while (now - start < ns);\n}");
  std::vector<double> seconds(4);
  std::vector<std::thread> threads;
  for (double& result : seconds)
    threads.emplace_back([&] {
      const Stream s = stream();
      const Kernel wait = module.kernel("wait");
      wait(s, Grid{}, 0LL);
      const Event before = s.record();
      wait(s, Grid{}, 20000000LL);
      EXPECT_FALSE(before.is_complete() && s.record().is_complete()) << "the host does not wait";
      const Event after = s.record();
      result = seconds_between(before, after);
    });
  for (std::thread& thread : threads) thread.join();
  for (const double result : seconds) {
    EXPECT_GE(result, 0.019);
    EXPECT_LT(result, 1);
  }
}

std::vector<Device> cuda_devices() {
  std::vector<Device> devices = test::test_devices();
  std::erase_if(devices, [](const Device& device) { return device.properties().backend != Backend::cuda; });
  return devices;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CudaDeviceTest);
INSTANTIATE_TEST_SUITE_P(, CudaDeviceTest, testing::ValuesIn(cuda_devices()), test::device_test_name);

}  // namespace
}  // namespace rtcg
