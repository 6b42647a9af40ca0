#include "rtcg/environment.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "rtcg/error.h"

namespace rtcg {

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return parts;
}

fs::path home() {
  if (fs::path path = variable("HOME"); path.is_absolute()) return path;
  const passwd* user = getpwuid(getuid());
  return user && user->pw_dir && user->pw_dir[0] == '/' ? fs::path(user->pw_dir) : fs::path();
}

/// The variable of this name, else `below` the base directory of the XDG specification, else below its default in HOME.
fs::path user_directory(const char* name, const char* xdg, const char* standard, const char* below) {
  if (const std::string chosen = variable(name); !chosen.empty()) return fs::absolute(chosen);
  // The XDG specification tells to ignore relative paths.
  if (const fs::path base = variable(xdg); base.is_absolute()) return base / below;
  const fs::path base = home();
  return base.empty() ? base : base / standard / below;
}

std::vector<fs::path> directories(const char* name) {
  std::vector<fs::path> result;
  for (const std::string& path : split(variable(name), ':')) result.push_back(fs::absolute(path));
  return result;
}

fs::path lock_directory() {
  // Under su and in containers the variable often names a directory that is not there or is another user's.
  const fs::path runtime = variable("XDG_RUNTIME_DIR");
  struct stat status {};
  if (runtime.is_absolute() && stat(runtime.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
      status.st_uid == geteuid())
    return runtime / "rtcg";
  return fs::path("/tmp") / ("rtcg-" + std::to_string(geteuid()));
}

bool read_switch(const char* name, bool fallback) {
  const std::string text = variable(name);
  if (text.empty()) return fallback;
  if (text == "0" || text == "1") return text == "1";
  throw UsageError(std::string(name) + "=" + text + ": neither 0 nor 1");
}

std::size_t read_mebibytes(const char* name, std::size_t fallback) {
  const std::string text = variable(name);
  if (text.empty()) return fallback;
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > (SIZE_MAX >> 20))
    throw UsageError(std::string(name) + "=" + text + ": not a whole number of MiB");
  return value << 20;
}

Environment read() {
  Environment result;
  result.device = variable("RTCG_DEVICE");
  result.cache_directory = user_directory("RTCG_CACHE_DIR", "XDG_CACHE_HOME", ".cache", "rtcg");
  result.cache_enabled = read_switch("RTCG_CACHE", result.cache_enabled);
  result.shared_caches = directories("RTCG_CACHE_READONLY");
  result.cache_limit = read_mebibytes("RTCG_CACHE_LIMIT", result.cache_limit);
  result.lock_directory = lock_directory();
  result.wisdom_directory = user_directory("RTCG_WISDOM_DIR", "XDG_DATA_HOME", ".local/share", "rtcg/wisdom");
  result.site_wisdom = directories("RTCG_WISDOM_SITE");
  result.wisdom_enabled = read_switch("RTCG_WISDOM", result.wisdom_enabled);
  result.check_architectures = split(variable("RTCG_COMPILE_CHECK"), ',');
  result.cuda_library = variable("RTCG_CUDA_LIBRARY");
  result.nvrtc_library = variable("RTCG_NVRTC_LIBRARY");
  return result;
}

}  // namespace

const Environment& environment() {
  // Never destroyed: other threads may compile while the process ends.
  static const auto* const instance = new Environment(read());
  return *instance;
}

}  // namespace rtcg
