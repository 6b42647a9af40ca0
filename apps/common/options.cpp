#include "apps/common/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "apps/common/logging.h"

namespace rtcg::app {

void add_device_option(CLI::App& command, CommonOptions& options) {
  command
      .add_option("--device", options.device,
                  "Device: an id such as cuda:0 or opencl:0, or a part of its name; see 'rtcg devices'")
      ->type_name("ID");
}

void add_output_options(CLI::App& command, CommonOptions& options) {
  command
      .add_option("--json", options.json,
                  "Write the result as JSON to FILE, or to the standard output for - or where no FILE follows")
      ->type_name("FILE")
      ->expected(0, 1)
      ->default_str("-")
      ->each([](const std::string& target) {
        if (target == "-") set_verbosity(Verbosity::quiet);
      });
  command.add_flag_callback(
      "-q,--quiet",
      [&options] {
        options.quiet = true;
        set_verbosity(Verbosity::quiet);
      },
      "Say nothing but warnings and errors");
}

std::function<std::string(const std::string&)> whole_number(std::uint64_t least) {
  return [least](const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= least) return std::string();
    if (error == std::errc::result_out_of_range) return fmt::format("'{}' is more than there can be", text);
    return fmt::format("'{}' is not a whole number of at least {}", text, least);
  };
}

Device select_device(const CommonOptions& options) {
  return options.device.empty() ? Device::preferred() : Device::find(options.device);
}

}  // namespace rtcg::app
