#include "apps/common/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "rtcg/error.h"

namespace rtcg::app {

void check_output(std::string_view option, const std::filesystem::path& file) {
  std::error_code error;
  if (file.filename().empty()) throw UsageError(fmt::format("{} '{}': expected the name of a file", option, file.string()));
  if (std::filesystem::is_directory(file, error)) throw UsageError(fmt::format("{} {}: is a directory, expected a file", option, file.string()));
  const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(directory, error)) throw UsageError(fmt::format("{} {}: there is no directory {}", option, file.string(), directory.string()));
  if (::access(directory.c_str(), W_OK | X_OK) != 0) throw UsageError(fmt::format("{} {}: the directory {} cannot be written to", option, file.string(), directory.string()));
}

void write_aside(const std::filesystem::path& file, const std::function<void(const std::filesystem::path&)>& write) {
  std::filesystem::path aside = file;
  aside.replace_filename(fmt::format(".{}.{}{}", file.stem().string(), ::getpid(), file.extension().string()));
  struct Remove {
    std::filesystem::path path;
    ~Remove() {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  } remove{aside};
  write(aside);
  std::error_code error;
  std::filesystem::rename(aside, file, error);
  if (error) throw InputError(fmt::format("{}: cannot be written: {}", file.string(), error.message()));
}

void write_bytes(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  std::ofstream output(file, std::ios::binary | std::ios::trunc);
  output.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  output.close();
  if (!output) throw InputError(fmt::format("{}: {} bytes could not be written (is the disk full?)", file.string(), bytes.size()));
}

}  // namespace rtcg::app
