#include "apps/common/logging.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>

namespace rtcg::app {

namespace {

std::atomic<Verbosity> current{Verbosity::normal};
std::mutex mutex;
std::string name = "rtcg";

}  // namespace

void set_verbosity(Verbosity verbosity) {
  current = verbosity;
}
Verbosity verbosity() {
  return current;
}

void set_log_name(std::string new_name) {
  const std::lock_guard lock(mutex);
  name = std::move(new_name);
}

void detail::log_line(const char* kind, const std::string& message) {
  const std::lock_guard lock(mutex);
  const std::string line = kind ? fmt::format("{}: {}{}\n", name, kind, message) : message + "\n";
  // On a terminal a progress bar may stand on this line.
  static const bool terminal = isatty(STDERR_FILENO) == 1;
  std::fputs(((terminal ? "\r\033[K" : "") + line).c_str(), stderr);
}

}  // namespace rtcg::app
