// The places a command writes to, checked before its work begins.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rtcg::app {

/// A place to write to and the option that named it.
struct Output {
  std::string option;
  std::filesystem::path file;  ///< empty: not asked for
};
/// UsageError when two outputs or an output and an input are one file, InputError when a file cannot be created.
void check_outputs(const std::vector<Output>& outputs, const std::vector<std::filesystem::path>& inputs);

}  // namespace rtcg::app
