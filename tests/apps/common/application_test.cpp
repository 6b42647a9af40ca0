// What run_application makes of exceptions, without a process of its own.
#include "apps/common/application.h"

#include <CLI/CLI.hpp>
#include <new>

#include "apps/common/json_output.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace rtcg::app {
namespace {

int code_of(const std::function<void()>& work) {
  char name[] = "rtcg-test";
  char* arguments[] = {name, nullptr};
  return run_application(1, arguments, "A test", [&](CLI::App& app) { app.callback(work); });
}

TEST(Application, EveryKindOfFailureHasItsExitCode) {
  EXPECT_EQ(code_of([] {}), 0);
  EXPECT_EQ(code_of([] { throw std::logic_error("a mistake of ours"); }), 1);
  EXPECT_EQ(code_of([] { throw std::bad_alloc(); }), 4);
  EXPECT_EQ(code_of([] { throw UsageError("usage"); }), 2);
  EXPECT_EQ(code_of([] { throw InputError("input"); }), 3);
  EXPECT_EQ(code_of([] { throw DeviceError("device"); }), 4);
  EXPECT_EQ(code_of([] { throw OutOfMemory("device memory"); }), 4);
  EXPECT_EQ(code_of([] { throw NumericalError("diverged"); }), 5);
}

TEST(JsonOutput, KeepsTheOrderAndWritesNoNumberThatJsonLacks) {
  ScratchDirectory scratch;
  write_json((scratch / "a.json").string(), {{"z", 1}, {"a", std::nan("")}, {"name", "\xff"}});
  EXPECT_EQ(read_bytes(scratch / "a.json"), "{\n  \"z\": 1,\n  \"a\": null,\n  \"name\": \"\xef\xbf\xbd\"\n}\n");
  write_json("", {{"z", 1}});
  write_json("/dev/null", {{"z", 1}});
  EXPECT_MESSAGE(InputError, "cannot be written", write_json("/dev/full", {{"z", 1}}));
  EXPECT_MESSAGE(InputError, "not a regular file", write_json(scratch.path().string(), {{"z", 1}}));
}

}  // namespace
}  // namespace rtcg::app
