// The CUDA driver's own code over tests/core/device/fake_cuda.h.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <numeric>
#include <thread>

#include "core/device/fake_cuda.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/device/cuda/enumerate.h"
#include "rtcg/device/cuda/nvrtc.h"
#include "rtcg/device/pool.h"
#include "rtcg/error.h"

namespace rtcg::cuda {
namespace {

constexpr int invalid_value = 1, out_of_memory = 2, no_device = 100, illegal_address = 700;

FakeCuda& fake() {
  static void* library = dlopen(RTCG_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  static const auto function = reinterpret_cast<FakeCudaFunction>(dlsym(library, "fake_cuda"));
  return function();
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const DeviceError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no DeviceError";
  return {};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class FakeCudaDriver : public testing::Test {
 protected:
  void SetUp() override {
    fake() = FakeCuda();
    drivers_ = drivers(status_, {RTCG_FAKE_CUDA});
    ASSERT_EQ(drivers_.size(), 2u) << status_.detail;
    stream_ = driver().create_stream();
  }
  void TearDown() override {
    if (drivers_.empty()) return;
    driver().release_stream(stream_);
    drivers_.clear();
    EXPECT_EQ(fake().used, 0u);
    EXPECT_EQ(fake().host_blocks + fake().arrays + fake().textures + fake().streams + fake().events + fake().modules,
              0u);
    EXPECT_EQ(fake().contexts, 0u);
  }
  Driver& driver() { return *drivers_.front(); }
  Handle load(std::string_view text) { return driver().load(std::as_bytes(std::span(text))); }

  template <class T>
  std::vector<T> read(Handle memory, std::size_t count) {
    std::vector<T> values(count);
    driver().copy_out(stream_, values.data(), memory, 0, count * sizeof(T), true);
    return values;
  }

  BackendStatus status_;
  std::vector<std::shared_ptr<Driver>> drivers_;
  Handle stream_ = 0;
};

TEST(CudaEnumeration, SaysWhyThereIsNoLibrary) {
  BackendStatus status;
  EXPECT_TRUE(drivers(status, {"libcuda-which-is-not-there.so.1"}).empty());
  EXPECT_FALSE(status.available);
  EXPECT_EQ(status.name, "CUDA");
  EXPECT_TRUE(has(status.detail, "libcuda-which-is-not-there.so.1 not found")) << status.detail;
}

TEST(CudaEnumeration, SaysWhichFunctionALibraryLacks) {
  BackendStatus status;
  EXPECT_TRUE(drivers(status, {"libm.so.6"}).empty());
  EXPECT_TRUE(has(status.detail, "has no cuInit")) << status.detail;
}

TEST(CudaEnumeration, PassesOnWhyInitialisationFailed) {
  fake() = FakeCuda();
  fake().fail_once["cuInit"] = no_device;
  BackendStatus status;
  EXPECT_TRUE(drivers(status, {RTCG_FAKE_CUDA}).empty());
  EXPECT_FALSE(status.available);
  EXPECT_EQ(status.detail, "cuInit failed: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected");
}

TEST(CudaEnumeration, DescribesDevicesWithoutOpeningAContext) {
  fake() = FakeCuda();
  BackendStatus status;
  const auto found = drivers(status, {"libcuda-which-is-not-there.so.1", RTCG_FAKE_CUDA});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(status.available);
  EXPECT_TRUE(has(status.detail, "CUDA 13.0")) << status.detail;
  const DeviceProperties& first = found[0]->properties();
  EXPECT_EQ(first.id, "cuda:0");
  EXPECT_EQ(first.name, "Fake H200");
  EXPECT_EQ(first.architecture, "sm_90");
  EXPECT_EQ(first.global_memory, std::size_t{1} << 30);
  EXPECT_EQ(first.local_memory, 49152u);
  EXPECT_EQ(first.cache, std::size_t{60} << 20);
  EXPECT_EQ(first.clock_mhz, 1980u);
  EXPECT_EQ(first.compute_units, 132u);
  EXPECT_EQ(first.max_work_items, (std::array<std::size_t, 3>{1024, 1024, 64}));
  EXPECT_EQ(first.max_parameter_bytes, 32764u);
  EXPECT_EQ(found[1]->properties().architecture, "sm_86");
  EXPECT_EQ(fake().contexts, 0u);
}

TEST_F(FakeCudaDriver, MovesDataInAndOut) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 1);
  const Handle a = driver().allocate(4000, MemoryKind::device), b = driver().allocate(4000, MemoryKind::device);
  driver().copy_in(stream_, a, 0, values.data(), 4000, true);
  driver().copy(stream_, b, 2000, a, 0, 2000);
  driver().copy(stream_, b, 0, driver().slice(a, 2000, 2000), 0, 2000);
  std::rotate(values.begin(), values.begin() + 500, values.end());
  EXPECT_EQ(read<int>(b, 1000), values);
  driver().release(a, MemoryKind::device);
  driver().release(b, MemoryKind::device);
}

TEST_F(FakeCudaDriver, BlocksOnlyWhereAsked) {
  const Handle memory = driver().allocate(8, MemoryKind::device);
  const auto host = static_cast<double*>(driver().allocate_host(16));
  host[0] = 3.5, host[1] = 0;
  driver().copy_in(stream_, memory, 0, host, 8, false);
  driver().copy_out(stream_, host + 1, memory, 0, 8, false);
  EXPECT_EQ(host[1], 0) << "nobody has waited yet";
  driver().synchronize(stream_);
  EXPECT_EQ(host[1], 3.5);
  driver().release_host(host);
  driver().release(memory, MemoryKind::device);
}

TEST_F(FakeCudaDriver, FillsWithPatternsOfEveryWidth) {
  constexpr std::size_t bytes = 400000;  // more than the seed of a long pattern, and no power of two
  const Handle memory = driver().allocate(bytes + 32, MemoryKind::device);
  const unsigned char pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  for (const std::size_t width : {1u, 2u, 4u, 8u, 16u}) {
    const unsigned char edge = 0xee;
    driver().fill(stream_, memory, 0, bytes + 32, &edge, 1);
    driver().fill(stream_, memory, 16, bytes, pattern, width);
    const auto values = read<unsigned char>(memory, bytes + 32);
    for (std::size_t i = 0; i < bytes + 32; ++i) {
      const bool inside = i >= 16 && i < bytes + 16;
      ASSERT_EQ(values[i], inside ? pattern[(i - 16) % width] : edge) << "width " << width << ", byte " << i;
    }
  }
  driver().release(memory, MemoryKind::device);
}

TEST_F(FakeCudaDriver, FillsComplexZerosWithTheFastestMemset) {
  const Handle memory = driver().allocate(1600, MemoryKind::device);
  const std::complex<double> zero = 0;
  driver().fill(stream_, memory, 0, 1600, &zero, sizeof zero);
  EXPECT_EQ(read<std::complex<double>>(memory, 100), std::vector<std::complex<double>>(100));
  EXPECT_EQ(fake().calls["cuMemsetD2D32Async"], 0);
  driver().release(memory, MemoryKind::device);
}

TEST_F(FakeCudaDriver, MapsMappedMemoryAfterTheStreamsWork) {
  const Handle memory = driver().allocate(4096, MemoryKind::mapped);
  const std::uint32_t word = 0xabcd1234;
  driver().fill(stream_, memory, 0, 4096, &word, 4);
  const auto* seen = static_cast<const std::uint32_t*>(driver().map(stream_, memory, 0, 4096, Access::read));
  EXPECT_NE(reinterpret_cast<Handle>(seen), memory);
  EXPECT_EQ(seen[0], word);
  EXPECT_EQ(seen[1023], word);
  const Handle half = driver().slice(memory, 2048, 2048);
  EXPECT_EQ(driver().map(stream_, half, 1024, 1024, Access::read), seen + 768);
  EXPECT_TRUE(
      has(message_of([&] { driver().map(stream_, half, 1024, 1025, Access::read); }), "not within mapped memory"));
  driver().unmap(stream_, memory, const_cast<std::uint32_t*>(seen));
  driver().release(memory, MemoryKind::mapped);
  const Handle plain = driver().allocate(64, MemoryKind::device);
  EXPECT_TRUE(has(message_of([&] { driver().map(stream_, plain, 0, 64, Access::read); }), "not within mapped memory"));
  driver().release(plain, MemoryKind::device);
}

TEST_F(FakeCudaDriver, NamesDeviceCallAndReasonOfAFailure) {
  const Handle memory = driver().allocate(64, MemoryKind::device);
  const char byte = 0;
  EXPECT_EQ(message_of([&] { driver().copy_in(stream_, memory, 64, &byte, 1, true); }),
            "cuda:0 (Fake H200): cuMemcpyHtoDAsync failed: CUDA_ERROR_INVALID_VALUE (1): invalid argument");
  fake().fail_once["cuStreamSynchronize"] = illegal_address;
  EXPECT_TRUE(has(message_of([&] { driver().synchronize(stream_); }), "a kernel launched earlier did this"));
  fake().fail_once["cuMemHostGetDevicePointer"] = invalid_value;
  EXPECT_TRUE(has(message_of([&] { driver().allocate(64, MemoryKind::mapped); }), "cuMemHostGetDevicePointer failed"));
  fake().fail_once["cuEventRecord"] = invalid_value;
  EXPECT_TRUE(has(message_of([&] { driver().record_event(stream_); }), "cuEventRecord failed"));
  driver().release(memory, MemoryKind::device);
}

TEST_F(FakeCudaDriver, ThrowsOutOfMemoryAndThePoolRecovers) {
  fake().memory = 1 << 20;
  EXPECT_THROW(driver().allocate(2 << 20, MemoryKind::device), OutOfMemory);
  fake().fail_once["cuMemHostAlloc"] = out_of_memory;
  EXPECT_THROW(driver().allocate(64, MemoryKind::mapped), OutOfMemory);
  fake().fail_once["cuMemHostAlloc"] = out_of_memory;
  EXPECT_THROW(driver().allocate_host(64), OutOfMemory);
  MemoryPool& pool = driver().pool();
  pool.give_back(pool.acquire(stream_, 700 << 10, MemoryKind::device));
  pool.give_back(pool.acquire(stream_, 900 << 10, MemoryKind::device));
  EXPECT_EQ(driver().free_memory(), 64u << 10) << "900 KiB lie in a bin of 960";
  const std::string message = message_of([&] { pool.acquire(stream_, 3 << 20, MemoryKind::device); });
  EXPECT_TRUE(has(message, "3.00 MiB asked for, 1.00 MiB of ")) << message;
}

TEST_F(FakeCudaDriver, OrdersStreamsByEvents) {
  const Handle other = driver().create_stream();
  const Handle memory = driver().allocate(4, MemoryKind::device);
  const std::uint32_t one = 1, two = 2;
  driver().fill(stream_, memory, 0, 4, &one, 4);
  const Handle event = driver().record_event(stream_);
  driver().wait_event(other, event);
  driver().fill(other, memory, 0, 4, &two, 4);
  EXPECT_FALSE(driver().is_complete(event));
  driver().synchronize(other);
  EXPECT_TRUE(driver().is_complete(event));
  EXPECT_EQ(read<std::uint32_t>(memory, 1).front(), two);
  const Handle later = driver().record_event(stream_);
  driver().synchronize_event(later);
  EXPECT_DOUBLE_EQ(driver().seconds_between(event, later), 1e-3);
  driver().release_event(event);
  driver().release_event(later);
  driver().release_stream(other);
  driver().release(memory, MemoryKind::device);
}

TEST_F(FakeCudaDriver, WorksFromAnyThreadAndBesideOtherDevices) {
  Driver& second = *drivers_[1];
  const Handle there = second.create_stream();
  std::thread([&] {
    const Handle memory = driver().allocate(64, MemoryKind::device);
    second.synchronize(there);
    driver().release(memory, MemoryKind::device);
  }).join();
  second.release_stream(there);
  EXPECT_EQ(fake().contexts, 2u) << "one context per device, however many threads";
}

TEST_F(FakeCudaDriver, SetsTheContextOnlyWhenAnotherIsCurrent) {
  const int before = fake().calls["cuCtxSetCurrent"];
  for (int i = 0; i < 10; ++i) driver().synchronize(stream_);
  EXPECT_EQ(fake().calls["cuCtxSetCurrent"], before);
}

TEST_F(FakeCudaDriver, LaunchesWithTheArgumentsAsGiven) {
  const Handle program = load("fake module: axpy(8,8,4,4,16) other()");
  const Handle kernel = driver().kernel(program, "axpy");
  const Handle y = driver().allocate(64, MemoryKind::device);
  const float a = 2.5f;
  const std::int32_t n = 16;
  const std::complex<double> z{1, -1};
  const Handle x = driver().slice(y, 32, 32);
  const Argument arguments[] = {{&y, {}}, {&x, {}}, {&a, {}}, {&n, {}}, {&z, {}}};
  driver().launch(stream_, kernel, Grid::of(7, 5, 3, 32, 4, 2), arguments);
  ASSERT_EQ(fake().launches.size(), 1u);
  const FakeCuda::Launch& launch = fake().launches.front();
  const auto text = [](const auto& value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); };
  EXPECT_EQ(launch.kernel, "axpy");
  EXPECT_EQ(launch.arguments, (std::vector{text(y), text(x), text(a), text(n), text(z)}));
  EXPECT_EQ(std::vector(launch.groups, launch.groups + 3), (std::vector<unsigned>{7, 5, 3}));
  EXPECT_EQ(std::vector(launch.local, launch.local + 3), (std::vector<unsigned>{32, 4, 2}));
  EXPECT_EQ(reinterpret_cast<Handle>(launch.stream), stream_);
  driver().launch(stream_, driver().kernel(program, "other"), Grid{}, {});
  EXPECT_TRUE(fake().launches.back().arguments.empty());
  driver().release_kernel(kernel);
  driver().release_program(program);
  driver().release(y, MemoryKind::device);
}

TEST_F(FakeCudaDriver, AllowsLargeDynamicMemoryOncePerKernel) {
  const Handle program = load("fake module: tiled()");
  const Handle kernel = driver().kernel(program, "tiled");
  Grid grid;
  grid.dynamic_local_bytes = 40000;
  driver().launch(stream_, kernel, grid, {});
  EXPECT_EQ(fake().calls["cuFuncSetAttribute"], 0) << "fits beside the static part without asking";
  grid.dynamic_local_bytes = 48500;
  driver().launch(stream_, kernel, grid, {});
  grid.dynamic_local_bytes = 200000;
  driver().launch(stream_, kernel, grid, {});
  EXPECT_EQ(fake().calls["cuFuncSetAttribute"], 1);
  EXPECT_EQ(fake().allowed_dynamic_bytes, 232448 - 1024);
  EXPECT_EQ(fake().launches.back().dynamic_bytes, 200000u);
  grid.dynamic_local_bytes = 232000;
  const std::string message = message_of([&] { driver().launch(stream_, kernel, grid, {}); });
  EXPECT_TRUE(has(message, "'tiled' wants 1024 + 232000 bytes of local memory")) << message;
  driver().release_kernel(kernel);
  driver().release_program(program);
}

TEST_F(FakeCudaDriver, NamesTheKernelOfARefusedLaunch) {
  const Handle program = load("fake module: wide()");
  const std::string message =
      message_of([&] { driver().launch(stream_, driver().kernel(program, "wide"), Grid::of(1, 2048), {}); });
  EXPECT_TRUE(has(message, "launch of 'wide' on 1 x 1 x 1 groups of 2048 x 1 x 1 items")) << message;
  EXPECT_TRUE(has(message, "CUDA_ERROR_INVALID_VALUE")) << message;
  EXPECT_TRUE(has(message, "allow groups of at most 768 items")) << message;
  driver().release_program(program);
}

TEST_F(FakeCudaDriver, KnowsItsKernels) {
  const std::string text = "fake module: scan(8,4) copy(8)";
  const Handle program = load(text);
  EXPECT_EQ(driver().kernel_names(program), (std::vector<std::string>{"scan", "copy"}));
  const std::vector<std::byte> binary = driver().binary(program);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(binary.data()), binary.size()), text);
  const Handle scan = driver().kernel(program, "scan");
  const std::vector<ParameterInfo> parameters = driver().parameters(scan);
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[0].bytes, 8u);
  EXPECT_EQ(parameters[1].bytes, 4u);
  const KernelResources resources = driver().resources(scan);
  EXPECT_EQ(resources.registers, 40);
  EXPECT_EQ(resources.local_bytes, 1024);
  EXPECT_EQ(resources.private_bytes, 16);
  EXPECT_EQ(resources.constant_bytes, 256);
  EXPECT_EQ(resources.max_work_group, 768);
  EXPECT_EQ(resources.preferred_multiple, 32);
  const std::string message = message_of([&] { driver().kernel(program, "sort"); });
  EXPECT_TRUE(has(message, "no kernel 'sort' in the program; it has scan, copy")) << message;
  driver().release_program(program);
}

TEST_F(FakeCudaDriver, ShowsTheLogOfABinaryThatDoesNotLoad) {
  const std::string message = message_of([&] { load("neither fish nor fowl"); });
  EXPECT_TRUE(has(message, "CUDA_ERROR_INVALID_IMAGE")) << message;
  EXPECT_TRUE(has(message, "21 bytes for sm_90: neither cubin nor PTX")) << message;
}

TEST_F(FakeCudaDriver, BuildsWithNvrtcForItsArchitecture) {
  try {
    version();
  } catch (const DeviceError& error) {
    GTEST_SKIP() << "no NVRTC on this machine: " << error.what();
  }
  const CompileRequest request{"two.cu",
                               "extern \"C\" __global__ void first(float* y) { *y = 1; }\n"
                               "extern \"C\" __global__ void second(float* y) { *y = 2; }\n",
                               {}};
  const ProgramBuild built = driver().build(request);
  std::vector<std::string> names = driver().kernel_names(built.program);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(driver().binary(built.program), compile(request, "sm_90").binary);
  driver().release_program(built.program);
  EXPECT_EQ(driver().compiler_identity(), version() + " for sm_90");
  EXPECT_EQ(drivers_[1]->compiler_identity(), version() + " for sm_86");
  EXPECT_THROW(driver().build({"bad.cu", "not C++", {}}), BuildFailure);
}

TEST_F(FakeCudaDriver, WritesTexturesThroughArrays) {
  TextureDescription description;
  description.width = 5, description.height = 3, description.channels = 2;
  description.filter = TextureFilter::linear, description.edge = TextureEdge::zero;
  const Handle plane = driver().create_texture(description);
  constexpr int border = 3, linear = 1, clamp = 1, point = 0;
  EXPECT_EQ(fake().texture_address_mode, border);
  EXPECT_EQ(fake().texture_filter_mode, linear);
  EXPECT_EQ(fake().texture_flags, 0u) << "unnormalised coordinates, integers read as 0..1";
  std::vector<float> texels(30);
  std::iota(texels.begin(), texels.end(), 0.5f);
  driver().write_texture(stream_, plane, texels.data());
  ASSERT_EQ(fake().array_contents.size(), 120u);
  EXPECT_EQ(std::memcmp(fake().array_contents.data(), texels.data(), 120), 0);

  TextureDescription volume;
  volume.width = 4, volume.height = 3, volume.depth = 2, volume.format = TextureFormat::unorm8;
  const Handle solid = driver().create_texture(volume);
  EXPECT_EQ(fake().texture_address_mode, clamp);
  EXPECT_EQ(fake().texture_filter_mode, point);
  std::vector<unsigned char> voxels(24);
  std::iota(voxels.begin(), voxels.end(), static_cast<unsigned char>(7));
  driver().write_texture(stream_, solid, voxels.data());
  EXPECT_EQ(fake().array_contents, voxels);
  EXPECT_EQ(fake().arrays, 2u);
  driver().release_texture(plane);
  driver().release_texture(solid);
  EXPECT_TRUE(has(message_of([&] { driver().write_texture(stream_, solid, voxels.data()); }), "does not exist"));
}

TEST_F(FakeCudaDriver, ServesStreamsBuffersTexturesAndKernels) {
  const Device device(drivers_.front());
  const std::string text = "fake module: filter(8,8,4)";
  {
    const Stream stream(device);
    const Buffer values = Buffer::from(stream, std::vector<float>{1, 2, 3, 4});
    EXPECT_EQ(values.read<float>(), (std::vector<float>{1, 2, 3, 4}));
    const Buffer mapped = Buffer::of<int>(stream, 256, MemoryKind::mapped);
    mapped.fill(stream, 7);
    EXPECT_EQ(mapped.map().as<int>()[255], 7);
    const Texture image(stream, {.width = 4, .height = 4});
    image.write(std::span<const float>(std::vector<float>(16, 0.5f)));
    const Kernel filter = load_module(device, std::as_bytes(std::span(text)), "filter.cubin").kernel("filter");
    filter(stream, Grid::over(100, 64), values, image, 2.0f);
    ASSERT_EQ(fake().launches.size(), 1u);
    Handle passed[2] = {};
    std::memcpy(&passed[0], fake().launches[0].arguments[0].data(), 8);
    std::memcpy(&passed[1], fake().launches[0].arguments[1].data(), 8);
    EXPECT_EQ(passed[0], values.native());
    EXPECT_EQ(passed[1], *image.argument());
    EXPECT_EQ(fake().launches[0].groups[0], 2u);
    const HostBuffer host(device, 16);
    values.read_async(stream, host, 16);
    stream.synchronize();
    EXPECT_EQ(host.as<float>()[3], 4);
    EXPECT_TRUE(stream.record().is_complete());
  }
  EXPECT_EQ(device.pool().statistics().active_blocks, 0u);
  EXPECT_EQ(device.pool().statistics().held_blocks, 2u);
}

TEST_F(FakeCudaDriver, FreesTheArrayOfATextureThatCannotBeMade) {
  fake().fail_once["cuTexObjectCreate"] = invalid_value;
  EXPECT_TRUE(has(message_of([&] { driver().create_texture({}); }), "cuTexObjectCreate failed"));
  fake().fail_once["cuArray3DCreate"] = out_of_memory;
  EXPECT_THROW(driver().create_texture({}), OutOfMemory);
  EXPECT_EQ(fake().arrays, 0u);
}

}  // namespace
}  // namespace rtcg::cuda
