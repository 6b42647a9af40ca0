#include "rtcg/warning.h"

#include <mutex>

namespace rtcg {

namespace {

std::mutex mutex;
// Never destroyed: background work may warn while the process ends.
std::function<void(const std::string&)>& handler() {
  static auto* const instance = new std::function<void(const std::string&)>;
  return *instance;
}

}  // namespace

void set_warning_handler(std::function<void(const std::string&)> new_handler) {
  const std::lock_guard lock(mutex);
  handler() = std::move(new_handler);
}

void warn(const std::string& message) {
  std::function<void(const std::string&)> current;
  {
    const std::lock_guard lock(mutex);
    current = handler();
  }
  if (current) current(message);
}

}  // namespace rtcg
