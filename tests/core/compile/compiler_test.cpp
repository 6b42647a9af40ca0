#include "rtcg/compile/compiler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "rtcg/environment.h"
#include "support/devices.h"

namespace rtcg {
namespace {

namespace fs = std::filesystem;

class CompileOnDevice : public test::DeviceTest {
 protected:
  CompileOnDevice() : directory(fs::temp_directory_path() / ("rtcg_compiler_test_" + std::to_string(::getpid()))) {
    fs::create_directories(directory);
  }
  ~CompileOnDevice() override { fs::remove_all(directory); }

  /// Runs kernel f(global float*) on one element.
  float result_of(const Module& module) const {
    const Stream stream(device());
    const Buffer x = Buffer::of<float>(stream, 1);
    module.kernel("f")(stream, Grid::of(1, 1), x);
    return x.read<float>()[0];
  }
  std::string error_of(const Source& source) const {
    try {
      compile(device(), source);
    } catch (const CompileError& error) {
      return error.what();
    }
    return {};
  }
  /// So that earlier runs of the tests have left nothing in the cache.
  static std::string unique() {
    static int count = 0;
    return std::to_string(::getpid()) + "_" +
           std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + "_" + std::to_string(count++);
  }
  fs::path directory;
};

TEST_P(CompileOnDevice, SameSourceGivesTheSameModule) {
  const Source source("f.cl", "kernel void f(global float* x) { x[0] = 1; } // " + unique());
  const Module first = compile(device(), source), second = compile(device(), source);
  EXPECT_EQ(first.kernel("f").native(), second.kernel("f").native());
  EXPECT_FALSE(second.from_cache());
}

TEST_P(CompileOnDevice, DefinesOptionsAndTextsNeverCollide) {
  const std::string text = "kernel void f(global float* x) { x[0] = VALUE; } // " + unique();
  EXPECT_EQ(result_of(compile(device(), Source("f.cl", text).define("VALUE", 1.5f))), 1.5f);
  EXPECT_EQ(result_of(compile(device(), Source("f.cl", text).define("VALUE", -2.5f))), -2.5f);
  EXPECT_EQ(result_of(compile(device(), Source("f.cl", text).option("-DVALUE=3"))), 3.0f);
  EXPECT_EQ(result_of(compile(device(), Source("f.cl", text).option("-DVALUE=4"))), 4.0f);
  std::set<std::string> keys;
  for (const Source& source :
       {Source("f.cl", text), Source("f.cl", text).define("A"), Source("f.cl", text).define("A", "2"),
        Source("f.cl", text).define("B"), Source("f.cl", text).define("A").define("B"),
        Source("f.cl", text).define("B").define("A"), Source("f.cl", text).option("A"),
        Source("f.cl", text).fast_math(), Source("f.cl", text + " "), Source("f.cl", text, Dialect::raw),
        Source("f.cl", text).option("A").option("B"), Source("f.cl", text).option("A B")})
    keys.insert(manifest_for(device(), source).key().hex());
  EXPECT_EQ(keys.size(), 12u);
}

TEST_P(CompileOnDevice, TheNameMattersOnlyWhereItReachesTheBinary) {
  const auto key = [&](const char* name, const char* text) { return manifest_for(device(), Source(name, text)).key(); };
  EXPECT_EQ(key("a.cl", "kernel void f() {}"), key("b.cl", "kernel void f() {}"));
  EXPECT_NE(key("a.cl", "kernel void f() { printf(__FILE__); }"), key("b.cl", "kernel void f() { printf(__FILE__); }"));
}

TEST_P(CompileOnDevice, EditingAnIncludedHeaderCompilesAgain) {
  const std::string text =
      "#include \"outer.h\"\nkernel void f(global float* x) { x[0] = VALUE; } // " + unique() + "\n";
  Source source("f.cl", text);
  source.include_directory(directory);
  std::ofstream(directory / "outer.h") << "#include \"inner.h\"\n";
  std::ofstream(directory / "inner.h") << "#define VALUE 1\n";
  EXPECT_EQ(result_of(compile(device(), source)), 1.0f);
  std::ofstream(directory / "inner.h") << "#define VALUE 2\n";
  EXPECT_EQ(result_of(compile(device(), source)), 2.0f);
  fs::remove(directory / "inner.h");
  EXPECT_NE(error_of(source).find("inner.h"), std::string::npos);
}

TEST_P(CompileOnDevice, ErrorsPointAtTheUsersLine) {
  const std::string text =
      error_of(Source("user.cl", "// first line\nkernel void f(global float* x) {\n\tx[0] = missing + 1;\n}\n"));
  EXPECT_EQ(text.find("user.cl:3:9: error: "), 0u) << text;
  EXPECT_NE(text.find("\n  \tx[0] = missing + 1;\n  \t       ^\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("prelude"), std::string::npos) << text;
}

TEST_P(CompileOnDevice, ErrorsPointIntoHeaders) {
  Source source("user.cl", "#include \"lib.h\"\nkernel void f(global float* x) { x[0] = one(); }\n");
  source.header("lib.h", "#pragma once\n\ninline float one() { return oops; }\n");
  EXPECT_EQ(error_of(source).find("lib.h:3:29: error: "), 0u) << error_of(source);
  EXPECT_NE(error_of(source).find("inline float one() { return oops; }"), std::string::npos);
}

TEST_P(CompileOnDevice, CompileErrorKeepsLogAndOptions) {
  try {
    compile(device(), Source("user.cl", "kernel void f(global float* x) { y; }").fast_math());
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_NE(error.log().find("user.cl"), std::string::npos);
    ASSERT_FALSE(error.options().empty());
    ASSERT_FALSE(error.diagnostics().empty());
    EXPECT_EQ(error.diagnostics()[0].line, 1);
  }
}

TEST_P(CompileOnDevice, ManyThreadsCompileOneKeyOnce) {
  const Source source("f.cl", "kernel void f(global float* x) { x[0] = 8; } // " + unique());
  const std::size_t stores = CompileCache::standard().statistics().stores;
  std::vector<Handle> handles(8);
  {
    std::vector<std::jthread> threads;
    for (Handle& handle : handles)
      threads.emplace_back([&] { handle = compile(device(), source).kernel("f").native(); });
  }
  for (const Handle handle : handles) EXPECT_EQ(handle, handles[0]);
  if (!CompileCache::standard().directory().empty()) {
    // One binary of the device's, and one of each architecture that RTCG_COMPILE_CHECK names.
    EXPECT_EQ(CompileCache::standard().statistics().stores, stores + 1 + environment().check_architectures.size());
  }
}

TEST_P(CompileOnDevice, AFailedCompilationIsTriedAgain) {
  const Source source("f.cl", "kernel void f(global float* x) { x[0] = nothing; } // " + unique());
  EXPECT_NE(error_of(source), "");
  EXPECT_NE(error_of(source), "");
}

TEST_P(CompileOnDevice, BinaryIsStoredAndLoads) {
  const Source source("f.cl", "kernel void f(global float* x) { x[0] = 9; } // " + unique());
  const Module module = compile(device(), source);
  EXPECT_EQ(result_of(module), 9.0f);
  if (!CompileCache::standard().directory().empty()) {
    const auto entry = CompileCache::standard().find(manifest_for(device(), source));
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->metadata, "kernel void f(global float* x);\n");
    EXPECT_EQ(result_of(load_module(device(), entry->binary, "f.bin")), 9.0f);
  }
  EXPECT_EQ(result_of(load_module(device(), module.binary(), "f.bin")), 9.0f);
}

TEST_P(CompileOnDevice, CompileAllKeepsTheOrderAndThrowsTheFirstError) {
  std::vector<Source> sources;
  const std::string text = "kernel void f(global float* x) { x[0] = VALUE; } // " + unique();
  for (int i = 0; i < 6; ++i) sources.push_back(Source("f" + std::to_string(i) + ".cl", text).define("VALUE", i));
  const std::vector<Module> modules = compile_all(device(), sources);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(result_of(modules[static_cast<std::size_t>(i)]), static_cast<float>(i));
  sources[2] = Source("bad2.cl", "kernel void f() { error2; }");
  sources[4] = Source("bad4.cl", "kernel void f() { error4; }");
  try {
    compile_all(device(), sources);
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_EQ(std::string(error.what()).find("bad2.cl:1:"), 0u) << error.what();
  }
}

TEST_P(CompileOnDevice, CudaTextsAreForCudaOnly) {
  const Source source("f.cu", "__global__ void f() {}", Dialect::cuda);
  if (device().properties().backend == Backend::cuda) {
    EXPECT_NO_THROW(compile(device(), source));
  } else {
    EXPECT_THROW(compile(device(), source), UsageError);
  }
}

TEST(CheckCuda, CompilesWithoutAGpuAndReportsErrors) {
  const std::vector<std::string> architectures = cuda_architectures();
  if (architectures.empty()) GTEST_SKIP() << "no NVRTC here";
  const Source good("good.cl", "kernel void f(global float* x) { x[get_global_id(0)] = 1; }");
  EXPECT_GT(check_cuda(good, "sm_90").binary_bytes, 0u);
  EXPECT_EQ(check_cuda(good, "sm_90").kernels, std::vector<std::string>{"f"});
  EXPECT_TRUE(check_cuda(good, "sm_90").from_cache || CompileCache::standard().directory().empty());
  try {
    check_cuda(Source("bad.cl", "\nkernel void f(global float* x) { x[0] = a; }\n"), "sm_90");
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_EQ(std::string(error.what()).find("bad.cl:2:41: error: "), 0u) << error.what();
  }
  EXPECT_THROW(check_cuda(good, "sm_1"), DeviceError);
}

TEST_P(CompileOnDevice, OpenClTextsAreForOpenClOnly) {
  // With RTCG_COMPILE_CHECK this also shows that such a text is left out of the check.
  const Source source("f.cl", "kernel void f(global float16* x) { x[0].s01 = x[0].sf0; }", Dialect::opencl);
  if (device().properties().backend == Backend::opencl) {
    EXPECT_NO_THROW(compile(device(), source));
  } else {
    EXPECT_THROW(compile(device(), source), UsageError);
  }
}

TEST(CheckCuda, RefusesTextsForOpenClAlone) {
  if (cuda_architectures().empty()) GTEST_SKIP() << "no NVRTC here";
  EXPECT_THROW(check_cuda(Source("f.cl", "kernel void f(global float* x) {}", Dialect::opencl), "sm_90"), UsageError);
}

TEST(CheckCuda, NoticesAKernelThatIsNotOne) {
  if (cuda_architectures().empty()) GTEST_SKIP() << "no NVRTC here";
  // CUDA's __global__ comes down to __attribute__((global)).
  const Source source("lost.cu", "#define global\nextern \"C\" __global__ void f(float* x) { x[0] = 1; }\n",
                      Dialect::raw);
  EXPECT_THROW(check_cuda(source, "sm_90"), CompileError);
}

TEST(CheckCuda, TakesCudaTextsWithTheToolkitsHeaders) {
  if (cuda_architectures().empty()) GTEST_SKIP() << "no NVRTC here";
  const Source source("half.cu",
                      "#include <cuda_fp16.h>\nclass A { public: int local; private: int global; };\n"
                      "extern \"C\" __global__ void f(__half* x) { x[threadIdx.x] = __float2half(1.0f); }\n",
                      Dialect::cuda);
  EXPECT_EQ(check_cuda(source, "sm_90").kernels, std::vector<std::string>{"f"});
}

RTCG_INSTANTIATE_FOR_DEVICES(CompileOnDevice);

}  // namespace
}  // namespace rtcg
