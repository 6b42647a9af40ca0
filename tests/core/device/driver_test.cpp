#include "rtcg/device/driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg {
namespace {

class DriverTest : public test::DeviceTest {
 protected:
  Driver& driver() const { return device().driver(); }

  static CompileRequest request(std::string text) {
    CompileRequest request;
    request.name = "test";
    request.text = std::move(text);
    return request;
  }
};

const char* const scale_text = R"(
kernel void scale(global float* to, float factor, int n) {
  int i = get_global_id(0);
  if (i < n) to[i] = factor * i;
})";

TEST_P(DriverTest, EightThreadsLaunchOneKernelWithTheirOwnArguments) {
  constexpr int count = 512, launches = 200;
  const Kernel scale = kernel("scale", scale_text);
  std::vector<int> wrong(8, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const Stream s(device());
      const Buffer buffer = Buffer::of<float>(s, count);
      for (int launch = 0; launch < launches; ++launch) {
        const auto factor = static_cast<float>(t * 1000 + launch);
        scale(s, Grid::over(count, 64), buffer, factor, count);
        if (launch % 10 != 0) continue;
        const auto values = buffer.read<float>();
        for (int i = 0; i < count; ++i) wrong[t] += values[i] != factor * static_cast<float>(i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

TEST_P(DriverTest, BinariesLoadAgain) {
  const Module module = compile(device(), Source("scale.cl", scale_text));
  const Handle program = driver().load(module.binary());
  const Handle kernel = driver().kernel(program, "scale");
  const Stream s = stream();
  const Buffer buffer = Buffer::of<float>(s, 10);
  const float factor = 3;
  const int n = 10;
  const Argument arguments[] = {{buffer.argument(), {ScalarType::f32, 1, ArgumentSpace::buffer, 0}},
                                {&factor, {ScalarType::f32, 1, ArgumentSpace::value, 4}},
                                {&n, {ScalarType::i32, 1, ArgumentSpace::value, 4}}};
  driver().launch(s.native(), kernel, Grid::over(10, 16), arguments);
  EXPECT_EQ(buffer.read<float>()[9], 27.0f);
  EXPECT_THROW(driver().kernel(program, "absent"), DeviceError);
  driver().release_kernel(kernel);
  driver().release_program(program);
}

TEST_P(DriverTest, WhatIsNoBinaryIsRefused) {
  const std::vector<std::byte> rubbish(1000, std::byte{0x5A});
  EXPECT_THROW(driver().load(rubbish), DeviceError);
  EXPECT_THROW(driver().load({}), DeviceError);
}

TEST_P(DriverTest, WrongTextsAreBuildFailuresWithALog) {
  try {
    driver().build(request("void broken( {"));
    FAIL() << "it compiled";
  } catch (const BuildFailure& failure) {
    EXPECT_NE(failure.log.find("error"), std::string::npos) << failure.log;
  }
}

TEST_P(DriverTest, ResourcesOfAKernelSayWhatALaunchMayUse) {
  const KernelResources resources = kernel("scale", scale_text).resources();
  EXPECT_GT(resources.max_work_group, 0);
  EXPECT_LE(resources.max_work_group, static_cast<int>(device().properties().max_work_group));
}

TEST_P(DriverTest, GroupsLargerThanTheDeviceAllowsAreNamed) {
  const Kernel scale = kernel("scale", scale_text);
  const Stream s = stream();
  const Buffer buffer = Buffer::of<float>(s, 16);
  try {
    scale(s, Grid::of(1, 1 << 20), buffer, 1.0f, 16);
    FAIL() << "it ran";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("scale"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("1048576"), std::string::npos) << error.what();
  }
  scale(s, Grid::of(1, 16), buffer, 2.0f, 16);
  EXPECT_EQ(buffer.read<float>()[15], 30.0f) << "the device works on";
}

TEST_P(DriverTest, FreeMemoryFollowsAllocations) {
  if (device().properties().backend != Backend::opencl) GTEST_SKIP() << "other processes share a CUDA device";
  const std::size_t before = driver().free_memory();
  const Handle memory = driver().allocate(1 << 20, MemoryKind::device);
  EXPECT_EQ(driver().free_memory(), before - (1 << 20));
  driver().release(memory, MemoryKind::device);
  EXPECT_EQ(driver().free_memory(), before);
}

RTCG_INSTANTIATE_FOR_DEVICES(DriverTest);

}  // namespace
}  // namespace rtcg
