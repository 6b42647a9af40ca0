// Other processes for tests: run a binary and look at everything it gave back, or fork the test itself.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rtcg::test {

struct ProcessResult {
  int exit_code = -1;  ///< 128 + signal when a signal ended it
  std::string out, err;
};

/// Runs `program` (a path, or the name of a binary of this build) to its end. `environment` is set over the test's own;
/// an empty value unsets.
ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const std::map<std::string, std::string>& environment = {});

/// Path of a binary of this build: below $RTCG_BIN_DIR, else beside the test's own directory.
std::filesystem::path built_binary(const std::string& name);

/// Forks `count` children that run body(index) and end with its result, 99 when it throws. Returns their exit codes.
std::vector<int> fork_all(int count, const std::function<int(int)>& body);
/// Forks one child and returns its process id.
int fork_one(const std::function<int()>& body);
/// Waits for a child; its exit code as in ProcessResult.
int wait_for(int process);

}  // namespace rtcg::test
