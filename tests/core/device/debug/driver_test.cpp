#include <gtest/gtest.h>

#include "support/devices.h"

namespace rtcg {
namespace {

class DebugDevice : public testing::Test {
 protected:
  void SetUp() override {
    bool has_cpu = false;
    for (const Device& device : Device::all()) {
      has_cpu =
          has_cpu || (device.properties().backend == Backend::opencl && device.properties().kind == DeviceKind::cpu);
    }
    if (!has_cpu) GTEST_SKIP() << "needs an OpenCL CPU device";
    // The device's own threads do not survive a plain fork.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }

  static Device device() { return Device::find("debug:0"); }
  static Kernel kernel(const std::string& name, const std::string& text) {
    return compile(device(), Source(name + ".cl", text)).kernel(name);
  }
  static std::string message_of(const auto& action) {
    try {
      action();
    } catch (const DeviceError& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
  static void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
  }
};

const char* const copy_text = R"(
kernel void copy(global float* to, global const float* from, int shift) {
  to[get_global_id(0)] = from[get_global_id(0) + shift];
})";

const char* const through_address_text = R"(
kernel void store(global float* value, ulong other) { ((global float*)other)[get_global_id(0)] = value[0]; })";

TEST_F(DebugDevice, IsFoundByIdOnlyAndOnce) {
  EXPECT_EQ(device().id(), "debug:0");
  EXPECT_TRUE(device() == Device::find("DEBUG:0"));
  for (const Device& other : Device::all()) EXPECT_NE(other.id(), "debug:0");
  EXPECT_THROW(Device::find("debug:99"), DeviceError);
}

TEST_F(DebugDevice, RightProgramsRunAsElsewhere) {
  const Stream stream(device());
  const Kernel copy = kernel("copy", copy_text);
  const std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Buffer from = Buffer::from(stream, values), to = Buffer::of<float>(stream, 8);
  copy(stream, Grid::of(4, 2), to, from, 2);
  EXPECT_EQ(to.read<float>(), (std::vector<float>{2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(DebugDevice, HostReadsOfDeviceMemoryDie) {
  const Stream stream(device());
  const Buffer buffer = Buffer::from(stream, std::vector<float>(1000, 1.0f));
  void* inside = nullptr;
  {
    // What a program that takes a device address for its own would have.
    const Buffer mapped = Buffer::of<float>(stream, 1000, MemoryKind::mapped);
    inside = mapped.map(Access::write).data();
    EXPECT_DEATH(static_cast<volatile float*>(inside)[3] = 1,
                 "host access to device memory: byte 12 of buffer [0-9]+ .4000 bytes.");
  }
}

TEST_F(DebugDevice, HostWritesThroughAReadingMapDie) {
  const Stream stream(device());
  const Buffer mapped = Buffer::of<float>(stream, 16, MemoryKind::mapped);
  mapped.zero(stream);
  const auto mapping = mapped.map(Access::read);
  EXPECT_EQ(mapping.as<float>()[5], 0.0f);
  EXPECT_DEATH(const_cast<volatile float*>(mapping.as<float>().data())[0] = 1,
               "host access to device memory: byte 0 of buffer");
}

TEST_F(DebugDevice, KernelsThatRunPastTheEndDie) {
  const Stream stream(device());
  const Kernel copy = kernel("copy", copy_text);
  const Buffer from = Buffer::from(stream, std::vector<float>(64, 1.0f)), to = Buffer::of<float>(stream, 64);
  EXPECT_DEATH(copy(stream, Grid::of(1, 64), to, from, 1),
               "kernel 'copy' ran past the end of buffer [0-9]+ .256 bytes.: byte 256");
  EXPECT_DEATH(copy(stream, Grid::of(1, 64), to, from, -2000),
               "kernel 'copy' reached 8000 bytes before the start of buffer");
}

TEST_F(DebugDevice, KernelsThatReachMemoryNotPassedToThemDie) {
  const Stream stream(device());
  const Kernel store = kernel("store", through_address_text);
  const Buffer value = Buffer::from(stream, std::vector<float>{7});
  const Buffer other = Buffer::of<float>(stream, 100, MemoryKind::mapped);
  const auto address = reinterpret_cast<std::uintptr_t>(other.map(Access::write).data());
  EXPECT_DEATH(store(stream, Grid::of(1, 1), value, static_cast<std::uint64_t>(address + 8)),
               "kernel 'store' reached byte 8 of buffer [0-9]+ .400 bytes., which was not passed to it");
}

TEST_F(DebugDevice, WritesIntoThePaddingAreFoundAfterTheKernel) {
  const Stream stream(device());
  const Kernel copy = kernel("copy", copy_text);
  const Buffer from = Buffer::from(stream, std::vector<float>(64, 1.0f)), to = Buffer::of<float>(stream, 63);
  expect_in(message_of([&] { copy(stream, Grid::of(1, 64), to, from, 0); }),
            "kernel copy wrote beyond the ends of buffer");
}

TEST_F(DebugDevice, ReadingWhatNobodyWroteIsRefused) {
  const Stream stream(device());
  const Kernel copy = kernel("copy", copy_text);
  const Buffer fresh = Buffer::of<float>(stream, 64), to = Buffer::of<float>(stream, 64);
  expect_in(message_of([&] { copy(stream, Grid::of(1, 64), to, fresh, 0); }),
            "debug:0: kernel copy, parameter 'from': nothing was ever written to buffer");
  expect_in(message_of([&] { fresh.read<float>(); }), "copy to the host: nothing was ever written");
  expect_in(message_of([&] { to.copy_from(stream, fresh); }), "copy: nothing was ever written");

  fresh.zero(stream);
  copy(stream, Grid::of(1, 64), to, fresh, 0);
  EXPECT_EQ(to.read<float>(), std::vector<float>(64, 0.0f));
}

TEST_F(DebugDevice, FreshMemoryReadsAsNotANumber) {
  const Stream stream(device());
  const Kernel add = kernel("add", "kernel void add(global float* x) { x[get_global_id(0)] += 1; }");
  const Buffer x = Buffer::of<float>(stream, 8);
  add(stream, Grid::of(1, 8), x);
  for (const float value : x.read<float>()) EXPECT_TRUE(std::isnan(value));
}

TEST_F(DebugDevice, UnwrittenTexturesAreRefused) {
  const Stream stream(device());
  const Kernel sample = kernel("sample", R"(
kernel void sample(read_only image2d_t image, global float* out) {
  const sampler_t sampler = RTCG_SAMPLER(nearest, clamp);
  out[0] = read_imagef(image, sampler, make_float2(0.5f, 0.5f)).x;
})");
  const Texture texture(stream, {.width = 4, .height = 4});
  const Buffer out = Buffer::of<float>(stream, 1);
  expect_in(message_of([&] { sample(stream, Grid::of(1, 1), texture, out); }),
            "parameter 'image': nothing was ever written");
  texture.write(std::span<const float>(std::vector<float>(16, 2.5f)));
  sample(stream, Grid::of(1, 1), texture, out);
  EXPECT_EQ(out.read<float>()[0], 2.5f);
}

TEST_F(DebugDevice, MappedBuffersAreNotForKernels) {
  const Stream stream(device());
  const Kernel add = kernel("add", "kernel void add(global float* x) { x[get_global_id(0)] += 1; }");
  const Buffer x = Buffer::of<float>(stream, 8, MemoryKind::mapped);
  {
    const auto mapping = x.map(Access::write);
    std::fill_n(mapping.as<float>().begin(), 8, 4.0f);
    expect_in(message_of([&] { add(stream, Grid::of(1, 8), x); }), "is mapped by the host");
  }
  add(stream, Grid::of(1, 8), x);
  EXPECT_EQ(x.map(Access::read).as<float>()[7], 5.0f);
}

TEST_F(DebugDevice, SlicesShareTheirRootsState) {
  const Stream stream(device());
  const Kernel copy = kernel("copy", copy_text);
  const std::size_t step = device().properties().base_alignment;
  const Buffer whole(stream, 2 * step), to(stream, step);
  whole.write(std::vector<std::uint8_t>(2 * step, 3));
  copy(stream, Grid::of(1, step / 4), to, whole.slice(step, step), 0);
  EXPECT_EQ(to.read<std::uint8_t>(), std::vector<std::uint8_t>(step, 3));
}

}  // namespace
}  // namespace rtcg
