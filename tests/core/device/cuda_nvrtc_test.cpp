#include "rtcg/device/cuda/nvrtc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "rtcg/error.h"

namespace rtcg::cuda {
namespace {

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    try {
      version();
    } catch (const DeviceError& error) {
      GTEST_SKIP() << "no NVRTC on this machine: " << error.what();
    }
  }
};

CompileRequest request_of(std::string text) {
  return {"user.cu", std::move(text), {}};
}

std::string_view text_of(const std::vector<std::byte>& binary) {
  return {reinterpret_cast<const char*>(binary.data()), binary.size()};
}

std::string log_of_failure(const CompileRequest& request) {
  try {
    compile(request, "sm_80");
  } catch (const BuildFailure& failure) {
    return failure.log;
  }
  ADD_FAILURE() << "compiled, but should not have:\n" << request.text;
  return {};
}

constexpr const char* axpy = R"(
extern "C" __global__ void axpy(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
})";

TEST_F(Nvrtc, MakesACubinPerArchitecture) {
  const auto old_binary = compile(request_of(axpy), "sm_80").binary;
  const auto new_binary = compile(request_of(axpy), "sm_90").binary;
  for (const auto* binary : {&old_binary, &new_binary}) {
    EXPECT_TRUE(text_of(*binary).starts_with("\177ELF"));
    EXPECT_NE(text_of(*binary).find(".text.axpy"), std::string_view::npos);
  }
  EXPECT_NE(old_binary, new_binary);
}

TEST_F(Nvrtc, MakesPtxForVirtualArchitectures) {
  const auto output = compile(request_of(axpy), "compute_80");
  EXPECT_NE(text_of(output.binary).find(".target sm_80"), std::string_view::npos);
  EXPECT_NE(text_of(output.binary).find(".entry axpy"), std::string_view::npos);
  EXPECT_EQ(output.binary.back(), std::byte{0});
}

TEST_F(Nvrtc, GivesTheSameBinaryForTheSameText) {
  EXPECT_EQ(compile(request_of(axpy), "sm_90").binary, compile(request_of(axpy), "sm_90").binary);
}

TEST_F(Nvrtc, ReportsErrorsAtTheUsersLine) {
  const std::string log = log_of_failure(
      request_of("#define prelude\n#line 1 \"mine.cl\"\nint f() {\n  return there_is_no_such_thing;\n}\n"));
  EXPECT_NE(log.find("mine.cl(2): error"), std::string::npos) << log;
  EXPECT_NE(log.find("there_is_no_such_thing"), std::string::npos) << log;
}

TEST_F(Nvrtc, ReportsAnUnknownOption) {
  CompileRequest request = request_of(axpy);
  request.options = {"--no-such-option"};
  EXPECT_NE(log_of_failure(request).find("no-such-option"), std::string::npos);
}

TEST_F(Nvrtc, KeepsWarningsOfASuccess) {
  const auto output = compile(request_of("extern \"C\" __global__ void f() { int never_used; }"), "sm_80");
  EXPECT_NE(output.log.find("never_used"), std::string::npos) << output.log;
  EXPECT_TRUE(compile(request_of(axpy), "sm_80").log.empty());
}

TEST_F(Nvrtc, TakesFunctionsWithoutExecutionSpaceAndNamesAMissingHeader) {
  EXPECT_FALSE(compile(request_of("inline float tile() { return 16; }\nextern \"C\" __global__ void f(float* y) { *y = "
                                  "tile(); }"),
                       "sm_90")
                   .binary.empty());
  EXPECT_NE(log_of_failure(request_of("#include \"inner.h\"\n")).find("inner.h"), std::string::npos);
}

TEST_F(Nvrtc, FindsTheToolkitsOwnHeaders) {
  EXPECT_FALSE(
      compile(
          request_of("#include <cuda_fp16.h>\nextern \"C\" __global__ void f(__half* y) { *y = __float2half(2.f); }"),
          "sm_90")
          .binary.empty());
}

TEST_F(Nvrtc, PassesOptionsOn) {
  CompileRequest request = request_of("extern \"C\" __global__ void f(float* y) { *y = WIDTH; }");
  EXPECT_NE(log_of_failure(request).find("WIDTH"), std::string::npos);
  request.options = {"-DWIDTH=3"};
  EXPECT_FALSE(compile(request, "sm_80").binary.empty());
}

TEST_F(Nvrtc, NamesWhatItKnowsWhenAskedForSomethingElse) {
  for (const char* architecture : {"sm_20", "gfx90a", "compute_", "sm_900"}) {
    try {
      compile(request_of(axpy), architecture);
      ADD_FAILURE() << architecture;
    } catch (const DeviceError& error) {
      EXPECT_NE(std::string(error.what()).find("sm_90"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(architecture), std::string::npos) << error.what();
    }
  }
}

TEST_F(Nvrtc, CompilesOnManyThreadsAtOnce) {
  std::vector<std::vector<std::byte>> binaries(6);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < binaries.size(); ++i)
    threads.emplace_back([&, i] {
      CompileRequest request = request_of(axpy);
      request.options = {"-DUNUSED=" + std::to_string(i)};
      binaries[i] = compile(request, "sm_90").binary;
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& binary : binaries) EXPECT_EQ(binary, binaries.front());
}

TEST_F(Nvrtc, KnowsItsVersionAndArchitectures) {
  EXPECT_TRUE(version().starts_with("NVRTC 1")) << version();
  EXPECT_NE(std::find(architectures().begin(), architectures().end(), "sm_90"), architectures().end());
  EXPECT_TRUE(std::find(architectures().begin(), architectures().end(), "sm_90") < architectures().end() - 1);
}

TEST(NvrtcTarget, IsTheDevicesOwnArchitectureWhereKnown) {
  const std::vector<std::string> supported{"sm_75", "sm_80", "sm_90", "sm_100"};
  EXPECT_EQ(target_for("sm_90", supported), "sm_90");
  EXPECT_EQ(target_for("sm_100", supported), "sm_100");
}

TEST(NvrtcTarget, IsPtxOfTheNewestOneBelowADeviceItDoesNotKnow) {
  const std::vector<std::string> supported{"sm_75", "sm_80", "sm_90", "sm_100"};
  EXPECT_EQ(target_for("sm_86", supported), "compute_80");
  EXPECT_EQ(target_for("sm_130", supported), "compute_100");
}

TEST(NvrtcTarget, RefusesADeviceOlderThanAllOfThem) {
  const std::vector<std::string> supported{"sm_75", "sm_80"};
  try {
    target_for("sm_60", supported);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("sm_75 and newer"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rtcg::cuda
