#include "apps/common/json_output.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"

namespace rtcg::app {

void write_json(const std::string& target, const nlohmann::ordered_json& value) {
  if (target.empty()) return;
  // Device names and compiler logs are not always UTF-8.
  const std::string text = value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (target == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);  // run_application checks the stream at the end
    return;
  }
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(target, ignored);
  if (std::filesystem::is_character_file(status) || std::filesystem::is_fifo(status)) {
    // --json /dev/fd/3 and the like: there is nothing to rename.
    std::ofstream stream(target);
    if (!(stream << text << std::flush)) throw InputError(target + ": cannot be written");
    return;
  }
  write_file(target, text);
}

}  // namespace rtcg::app
