// The binary `rtcg`, run as a user runs it.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/process.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

using nlohmann::json;
using test::ProcessResult;

constexpr const char* axpy =
    "__kernel void axpy(__global T* y, __global const T* x, T a, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i < n) y[i] += a * x[i];\n"
    "}\n";

class RtcgTest : public testing::Test {
 protected:
  void SetUp() override { write_bytes(scratch_ / "axpy.cl", axpy); }
  ProcessResult rtcg(std::vector<std::string> arguments, std::map<std::string, std::string> environment = {}) {
    environment.insert({{"RTCG_CACHE_DIR", (scratch_ / "cache").string()},
                        {"RTCG_CACHE", ""},
                        {"RTCG_CACHE_READONLY", ""},
                        {"RTCG_COMPILE_CHECK", ""}});
    return test::run_process("rtcg", arguments, environment);
  }
  json rtcg_json(std::vector<std::string> arguments, int exit_code = 0) {
    arguments.insert(arguments.end(), {"--json", "-"});
    const ProcessResult result = rtcg(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    return json::parse(result.out);
  }
  std::string text() const { return (scratch_ / "axpy.cl").string(); }
  /// The exit code, when the standard error is one line that contains `part` and the standard output is empty.
  int refusal(const std::vector<std::string>& arguments, const std::string& part,
              const std::map<std::string, std::string>& environment = {}) {
    const ProcessResult result = rtcg(arguments, environment);
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.err.rfind("rtcg: ", 0), 0u) << result.err;
    EXPECT_EQ(result.out, "");
    return result.exit_code;
  }
  ScratchDirectory scratch_;
};

TEST_F(RtcgTest, SaysItsVersionAndHelpsEverywhere) {
  EXPECT_NE(rtcg({"--version"}).out.find("rtcg 0."), std::string::npos);
  const std::vector<std::vector<std::string>> commands = {{},
                                                          {"devices"},
                                                          {"info"},
                                                          {"compile"},
                                                          {"cache"},
                                                          {"cache", "stat"},
                                                          {"cache", "list"},
                                                          {"cache", "why"},
                                                          {"cache", "verify"},
                                                          {"cache", "trim"},
                                                          {"cache", "clear"}};
  for (std::vector<std::string> command : commands) {
    const bool is_leaf = !command.empty() && command != std::vector<std::string>{"cache"};
    command.push_back("--help");
    const ProcessResult result = rtcg(command);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_TRUE(!is_leaf || result.out.find("Example") != std::string::npos) << result.out;
  }
}

TEST_F(RtcgTest, MistakesOnTheCommandLineEndWith2) {
  EXPECT_EQ(refusal({}, "subcommand is required"), 2);
  EXPECT_EQ(refusal({"frobnicate"}, "there is no command 'frobnicate'; see 'rtcg --help'"), 2);
  EXPECT_EQ(refusal({"cache", "frobnicate"}, "there is no command 'frobnicate'; see 'rtcg cache --help'"), 2);
  EXPECT_EQ(refusal({"--frobnicate"}, "there is no option '--frobnicate'"), 2);
  EXPECT_EQ(refusal({"devices", "--frobnicate"}, "--frobnicate"), 2);
  EXPECT_EQ(refusal({"devices", "extra"}, "extra"), 2);
  EXPECT_EQ(refusal({"compile"}, "FILE is required"), 2);
  EXPECT_EQ(refusal({"compile", text(), "--device"}, "--device"), 2);
  EXPECT_EQ(refusal({"compile", text(), "-D", "2x=1"}, "not an identifier"), 2);
  EXPECT_EQ(refusal({"compile", text(), "-D", ""}, "not an identifier"), 2);
  EXPECT_EQ(refusal({"compile", text(), "--arch", "sm_90", "--device", "cuda:0"}, "excludes"), 2);
  EXPECT_EQ(refusal({"compile", text(), "--arch", ""}, "--arch: needs a value"), 2);
  EXPECT_EQ(refusal({"compile", text(), "--save", ""}, "--save: needs a value"), 2);
  EXPECT_EQ(refusal({"cache", "trim", "--limit", "-3"}, "--limit: '-3' is not a whole number of at least 0"), 2);
  EXPECT_EQ(refusal({"cache", "trim", "--limit", "99999999999999999999"}, "--limit"), 2);
  EXPECT_EQ(refusal({"cache", "stat"}, "turned off", {{"RTCG_CACHE", "0"}}), 2);
  EXPECT_EQ(refusal({"info"}, "RTCG_CACHE_LIMIT=lots", {{"RTCG_CACHE_LIMIT", "lots"}}), 2);
  EXPECT_EQ(refusal({"info"}, "RTCG_CACHE=maybe", {{"RTCG_CACHE", "maybe"}}), 2);
}

TEST_F(RtcgTest, FilesThatAreNotThereEndWith3) {
  EXPECT_EQ(refusal({"compile", (scratch_ / "absent.cl").string()}, "absent.cl"), 3);
  EXPECT_EQ(refusal({"compile", scratch_.path().string()}, scratch_.path().string()), 3);
  EXPECT_EQ(refusal({"compile", text(), "-I", "/nowhere/at/all"}, "/nowhere/at/all"), 3);
  EXPECT_EQ(refusal({"compile", text(), "-DT=float", "--save", "/nowhere/at/all/x"}, "/nowhere/at/all/x"), 3);
  EXPECT_EQ(rtcg({"devices", "--json", "/nowhere/at/all/x"}).exit_code, 3);
}

TEST_F(RtcgTest, ADeviceThatIsNotThereEndsWith4) {
  EXPECT_EQ(refusal({"compile", text(), "--device", "cuda:77"}, "cuda:77"), 4);
  EXPECT_EQ(refusal({"compile", text(), "-DT=float", "--device", "No Such Device"}, "No Such Device"), 4);
  EXPECT_EQ(refusal({"compile", text(), "-DT=float"}, "opencl:99", {{"RTCG_DEVICE", "opencl:99"}}), 4);
}

TEST_F(RtcgTest, DevicesListsBothBackEndsWithReasons) {
  const json result = rtcg_json({"devices"});
  ASSERT_EQ(result["backends"].size(), 2u);
  for (const json& backend : result["backends"]) EXPECT_NE(backend["detail"], "");
  EXPECT_EQ(result["backends"][0]["name"], "CUDA");
  EXPECT_EQ(result["backends"][1]["name"], "OpenCL");
  ASSERT_FALSE(result["devices"].empty());
  const std::string all = rtcg({"devices"}).out;
  for (const json& device : result["devices"]) {
    EXPECT_NE(all.find(device["id"].get<std::string>()), std::string::npos);
    EXPECT_GT(device["global_memory"], 0);
  }
  EXPECT_TRUE(result["preferred"].is_string());
}

TEST_F(RtcgTest, InfoShowsTheEnvironmentInForce) {
  const ProcessResult result = rtcg(
      {"info", "--json", "-"}, {{"RTCG_CACHE_LIMIT", "7"}, {"RTCG_CACHE_READONLY", "/a:/b"}, {"RTCG_DEVICE", "x"}});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json info = json::parse(result.out);
  EXPECT_EQ(info["environment"]["RTCG_CACHE_LIMIT"], "7");
  EXPECT_EQ(info["environment"]["RTCG_CACHE_READONLY"], "/a:/b");
  EXPECT_EQ(info["environment"]["RTCG_DEVICE"], "x");
  EXPECT_EQ(info["cache"]["directory"], (scratch_ / "cache").string());
  EXPECT_EQ(json::parse(rtcg({"info", "--json", "-"}, {{"RTCG_CACHE", "0"}}).out)["cache"]["enabled"], false);
}

TEST_F(RtcgTest, CacheLiesWhereTheSpecificationsSay) {
  const auto place = [&](std::map<std::string, std::string> environment) {
    environment["RTCG_CACHE_DIR"] = "";
    environment["POCL_CACHE_DIR"] = (scratch_ / "pocl").string();  // it would follow XDG_CACHE_HOME too
    return json::parse(rtcg({"info", "--json", "-"}, environment).out)["cache"]["directory"].get<std::string>();
  };
  EXPECT_EQ(place({{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}), "/x/rtcg");
  EXPECT_EQ(place({{"XDG_CACHE_HOME", "relative"}, {"HOME", "/h"}}), "/h/.cache/rtcg");
  EXPECT_EQ(place({{"XDG_CACHE_HOME", ""}, {"HOME", "/h"}}), "/h/.cache/rtcg");
}

TEST_F(RtcgTest, CompilesReportsAndHitsTheCacheInTheNextRun) {
  const json first = rtcg_json({"compile", text(), "-D", "T=float"});
  EXPECT_EQ(first["cached"], false);
  ASSERT_EQ(first["kernels"].size(), 1u);
  EXPECT_EQ(first["kernels"][0]["name"], "axpy");
  EXPECT_GT(first["kernels"][0]["max_work_group"], 0);
  EXPECT_EQ(rtcg_json({"compile", text(), "-DT=float"})["cached"], true);
  EXPECT_EQ(rtcg_json({"compile", text(), "-DT=int"})["cached"], false);
  EXPECT_EQ(rtcg_json({"compile", text(), "-DT=float", "--fast-math"})["cached"], false);
  EXPECT_EQ(rtcg_json({"cache", "stat"})["entries"], 3);
  const ProcessResult shown = rtcg({"compile", text(), "-DT=float"});
  EXPECT_NE(shown.out.find("from the cache"), std::string::npos) << shown.out;
  EXPECT_EQ(shown.err, "");
}

TEST_F(RtcgTest, ErrorsShowTheLineAndACaretAndEndWith4) {
  write_bytes(scratch_ / "bad.cl", std::string(axpy) + "__kernel void f() { undeclared = 1; }\n");
  const std::string bad = (scratch_ / "bad.cl").string();
  const ProcessResult result = rtcg({"compile", bad, "-DT=float"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.err.find("bad.cl:5"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("undeclared = 1;"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("^"), std::string::npos) << result.err;
  const json report = rtcg_json({"compile", bad, "-DT=float"}, 4);
  ASSERT_FALSE(report["diagnostics"].empty());
  EXPECT_EQ(report["diagnostics"][0]["line"], 5);
  EXPECT_EQ(report["diagnostics"][0]["severity"], "error");
}

TEST_F(RtcgTest, SavesTheBinary) {
  const std::string saved = (scratch_ / "axpy.bin").string();
  ASSERT_EQ(rtcg({"compile", text(), "-DT=float", "--save", saved}).exit_code, 0);
  EXPECT_GT(std::filesystem::file_size(saved), 100u);
}

TEST_F(RtcgTest, CompilesForAnArchitectureWithoutAGpu) {
  if (json::parse(rtcg({"info", "--json", "-"}).out)["nvrtc_architectures"].empty())
    GTEST_SKIP() << "no NVRTC on this machine";
  const json first = rtcg_json({"compile", text(), "-DT=float", "--arch", "sm_90"});
  EXPECT_EQ(first["kernels"][0]["name"], "axpy");
  EXPECT_EQ(rtcg_json({"compile", text(), "-DT=float", "--arch", "sm_90"})["cached"], true);
  EXPECT_EQ(rtcg({"compile", text(), "-DT=float", "--arch", "sm_1"}).exit_code, 4);
}

TEST_F(RtcgTest, CacheWhyNamesWhatChanged) {
  EXPECT_NE(rtcg({"cache", "why", text(), "-DT=float"}).out.find("empty"), std::string::npos);
  ASSERT_EQ(rtcg({"compile", text(), "-DT=float"}).exit_code, 0);
  EXPECT_EQ(rtcg_json({"cache", "why", text(), "-DT=float"})["cached"], true);
  const json other_define = rtcg_json({"cache", "why", text(), "-DT=int"});
  EXPECT_EQ(other_define["cached"], false);
  EXPECT_EQ(other_define["differences"], json::array({"define T: \"float\" against \"int\""}));
  write_bytes(scratch_ / "axpy.cl", std::string(axpy) + "// edited\n");
  EXPECT_EQ(rtcg_json({"cache", "why", text(), "-DT=float"})["differences"][0],
            "text, line 5: the end against \"// edited\"");
}

TEST_F(RtcgTest, EditingAnIncludedHeaderCompilesAgain) {
  write_bytes(scratch_ / "factor.h", "#define FACTOR 2\n");
  write_bytes(scratch_ / "user.cl", "#include \"factor.h\"\n__kernel void f(__global int* x) { x[0] = FACTOR; }\n");
  const std::string user = (scratch_ / "user.cl").string();
  EXPECT_EQ(rtcg_json({"compile", user})["cached"], false);
  EXPECT_EQ(rtcg_json({"compile", user})["cached"], true);
  write_bytes(scratch_ / "factor.h", "#define FACTOR 3\n");
  EXPECT_EQ(rtcg_json({"compile", user})["cached"], false);
}

TEST_F(RtcgTest, CacheListVerifyTrimAndClear) {
  ASSERT_EQ(rtcg({"compile", text(), "-DT=float"}).exit_code, 0);
  ASSERT_EQ(rtcg({"compile", text(), "-DT=int"}).exit_code, 0);
  const json list = rtcg_json({"cache", "list"});
  ASSERT_EQ(list["entries"].size(), 2u);
  EXPECT_NE(rtcg({"cache", "list"}).out.find("axpy"), std::string::npos);
  EXPECT_EQ(rtcg_json({"cache", "verify"})["checked"], 2);

  const std::string entry = list["entries"][0]["path"];
  std::string bytes = read_bytes(entry);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_bytes(entry, bytes);
  const ProcessResult corrupt = rtcg({"cache", "verify"});
  EXPECT_EQ(corrupt.exit_code, 3);
  EXPECT_NE(corrupt.out.find("wrong checksum"), std::string::npos) << corrupt.out;
  EXPECT_NE(rtcg({"cache", "list"}).out.find("corrupt"), std::string::npos);
  EXPECT_EQ(rtcg_json({"cache", "verify", "--remove"})["removed"], 1);
  EXPECT_EQ(rtcg_json({"cache", "stat"})["entries"], 1);
  EXPECT_EQ(rtcg_json({"cache", "trim"})["removed"], 0);
  EXPECT_EQ(rtcg_json({"cache", "trim", "--limit", "0"})["removed"], 1);
  ASSERT_EQ(rtcg({"compile", text(), "-DT=float"}).exit_code, 0);
  EXPECT_EQ(rtcg_json({"cache", "clear"})["removed"], 1);
  EXPECT_EQ(rtcg_json({"cache", "stat"})["entries"], 0);

  // A directory with an entry's name cannot be removed, not even by root.
  std::filesystem::create_directories(std::filesystem::path(entry));
  const ProcessResult stuck = rtcg({"cache", "clear"});
  EXPECT_EQ(stuck.exit_code, 3);
  EXPECT_NE(stuck.err.find("1 of 1 kernels could not be removed"), std::string::npos) << stuck.err;
}

TEST_F(RtcgTest, AnUnusableCacheIsOneWarningAndNoFailure) {
  write_bytes(scratch_ / "file", "x");
  const ProcessResult result =
      rtcg({"compile", text(), "-DT=float"}, {{"RTCG_CACHE_DIR", (scratch_ / "file" / "cache").string()}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("rtcg: warning: kernel cache: "), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST_F(RtcgTest, JsonGoesToAFileAndTextToTheScreen) {
  const std::string file = (scratch_ / "devices.json").string();
  const ProcessResult result = rtcg({"devices", "--json", file});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("OpenCL"), std::string::npos);
  EXPECT_TRUE(json::parse(read_bytes(file)).contains("devices"));
}

TEST_F(RtcgTest, AFullStandardOutputIsAnError) {
  const ProcessResult result =
      test::run_process("/bin/sh", {"-c", "exec \"$0\" devices > /dev/full", test::built_binary("rtcg").string()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace rtcg
