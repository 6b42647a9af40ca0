#include "apps/common/outputs.h"

#include <fmt/format.h>

#include <system_error>

#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"

namespace rtcg::app {

void check_outputs(const std::vector<Output>& outputs, const std::vector<std::filesystem::path>& inputs) {
  const auto same = [](const std::filesystem::path& a, const std::filesystem::path& b) {
    std::error_code error;
    return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
  };
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    if (output->file.empty()) continue;
    if (output->file == "-")
      throw UsageError(fmt::format("{} -: expected a file; only --json goes to the standard output", output->option));
    for (const auto& input : inputs)
      if (same(output->file, input))
        throw UsageError(
            fmt::format("{} {}: is also an input, which would be overwritten", output->option, output->file.string()));
    for (auto other = outputs.begin(); other != output; ++other)
      if (!other->file.empty() && same(output->file, other->file))
        throw UsageError(
            fmt::format("{} {}: is also the file of {}", output->option, output->file.string(), other->option));
    const AsideFile probe(output->file);
  }
}

}  // namespace rtcg::app
