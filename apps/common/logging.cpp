#include "apps/common/logging.h"

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
  std::fputs(line.c_str(), stderr);
}

}  // namespace rtcg::app
