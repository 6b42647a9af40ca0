// What several processes, or one after another, see of the compile cache. The children are this test binary again,
// told by environment variables what to do.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "rtcg/compile/compiler.h"
#include "support/devices.h"

namespace rtcg {
namespace {

namespace fs = std::filesystem;

// Not run by itself: what the children do.
TEST(CompileProcess, DISABLED_Child) {
  const char* text = std::getenv("RTCG_TEST_TEXT");
  ASSERT_NE(text, nullptr);
  try {
    const Stream stream(Device::preferred());
    const Module module = compile(stream.device(), Source("child.cl", text));
    const Buffer x = Buffer::of<float>(stream, 1);
    if (std::getenv("RTCG_TEST_LAUNCH")) {
      module.kernel("f")(stream, Grid::of(1, 1), x);
      std::printf("value %g\n", static_cast<double>(x.read<float>()[0]));
    }
    std::printf("from_cache %d\n", module.from_cache());
  } catch (const CompileError& error) {
    std::printf("CompileError %s\n", error.what());
  }
}

class CompileProcesses : public testing::Test {
 protected:
  CompileProcesses() : directory(fs::temp_directory_path() / ("rtcg_process_test_" + std::to_string(::getpid()))) {
    fs::create_directories(directory);
  }
  ~CompileProcesses() override { fs::remove_all(directory); }

  std::string run(const std::string& text, const std::string& environment = "RTCG_TEST_LAUNCH=1") const {
    const std::string command =
        "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX RTCG_CACHE=1 RTCG_CACHE_READONLY= RTCG_COMPILE_CHECK= "
        "RTCG_CACHE_DIR='" +
        directory.string() + "' RTCG_TEST_TEXT='" + text + "' " + environment + " '" +
        fs::read_symlink("/proc/self/exe").string() +
        "' --gtest_also_run_disabled_tests --gtest_filter=CompileProcess.DISABLED_Child 2>&1; echo status $?";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string output;
    char part[4096];
    while (pipe && std::fgets(part, sizeof part, pipe.get())) output += part;
    return output;
  }
  std::size_t entries() const {
    return CompileCache({.directory = directory, .readonly_tiers = {}, .lock_directory = {}, .warn = {}}).list().size();
  }
  /// Nothing in any cache, PoCL's own included.
  std::string text(int value) const {
    return "kernel void f(global float* x) { x[0] = " + std::to_string(value) + "; /* " + directory.string() + " */ }";
  }
  fs::path directory;
};

bool has(const std::string& output, const char* what) {
  return output.find(what) != std::string::npos;
}

TEST_F(CompileProcesses, TheSecondStartCompilesNothing) {
  const std::string first = run(text(3)), second = run(text(3));
  EXPECT_TRUE(has(first, "value 3\nfrom_cache 0") && has(first, "status 0")) << first;
  EXPECT_TRUE(has(second, "value 3\nfrom_cache 1") && has(second, "status 0")) << second;
  EXPECT_EQ(entries(), 1u);
}

TEST_F(CompileProcesses, AProgramThatIsNeverLaunchedIsStored) {
  const std::string first = run(text(4), "");
  EXPECT_TRUE(has(first, "from_cache 0") && has(first, "status 0")) << first;
  EXPECT_EQ(entries(), 1u);
}

TEST_F(CompileProcesses, ProcessesStartedTogetherCompileOnce) {
  std::vector<std::string> outputs(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& output : outputs) threads.emplace_back([&] { output = run(text(5)); });
  }
  int compiled = 0;
  for (const std::string& output : outputs) {
    EXPECT_TRUE(has(output, "value 5") && has(output, "status 0")) << output;
    compiled += has(output, "from_cache 0");
  }
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(CompileProcesses, AnotherTextOrNoCacheCompiles) {
  run(text(6));
  EXPECT_TRUE(has(run(text(7)), "value 7\nfrom_cache 0"));
  EXPECT_TRUE(has(run(text(6), "RTCG_CACHE=0 RTCG_TEST_LAUNCH=1"), "value 6\nfrom_cache 0"));
  EXPECT_EQ(entries(), 2u);
}

TEST_F(CompileProcesses, TheCheckHookCompilesEveryKernelForCuda) {
  if (cuda_architectures().empty()) GTEST_SKIP() << "no NVRTC here";
  const std::string broken =
      "kernel void f(global float* x) { x[0] = 1; }\n#ifdef RTCG_CUDA\n#error not for CUDA\n#endif\n";
  const std::string output = run(broken, "RTCG_DEVICE=opencl:0 RTCG_COMPILE_CHECK=sm_80,sm_90 RTCG_TEST_LAUNCH=1");
  EXPECT_TRUE(has(output, "CompileError child.cl:3")) << output;
  EXPECT_TRUE(has(run(broken, "RTCG_DEVICE=opencl:0 RTCG_TEST_LAUNCH=1"), "value 1"));
}

}  // namespace
}  // namespace rtcg
