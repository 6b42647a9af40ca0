// What a command's exit code says; the same for every binary of the suite.
#pragma once

#include <exception>

namespace rtcg::app {

enum ExitCode : int {
  exit_done = 0,
  exit_internal = 1,   ///< a mistake of the suite itself
  exit_usage = 2,      ///< the command line makes no sense
  exit_input = 3,      ///< a file is missing, wrong, or cannot be written
  exit_device = 4,     ///< no such device, too little memory, a driver failed, or a kernel did not compile
  exit_numerical = 5,  ///< the computation ran but its result cannot be used
};

ExitCode exit_code_of(const std::exception& error);

}  // namespace rtcg::app
