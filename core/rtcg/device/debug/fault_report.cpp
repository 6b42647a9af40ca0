#include "rtcg/device/debug/fault_report.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>

#include "rtcg/device/debug/guarded_memory.h"

namespace rtcg::debug {

namespace {

struct sigaction previous_action;
char kernel_name[128];
std::atomic<bool> is_running{false};

/// A line built without the heap or stdio, which a signal handler must not use.
class Line {
 public:
  Line& operator<<(const char* text) {
    while (*text != '\0' && length_ < sizeof text_ - 1) text_[length_++] = *text++;
    return *this;
  }
  Line& operator<<(long long value) {
    if (value < 0) *this << "-";
    return number(value < 0 ? 0ULL - static_cast<unsigned long long>(value) : static_cast<unsigned long long>(value),
                  10);
  }
  Line& hexadecimal(std::uintptr_t value) { return (*this << "0x").number(value, 16); }

  void send() {
    text_[length_++] = '\n';
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text_, length_);
  }

 private:
  Line& number(unsigned long long value, unsigned base) {
    char digits[32];
    std::size_t at = sizeof digits;
    digits[--at] = '\0';
    do {
      digits[--at] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    return *this << digits + at;
  }

  char text_[512];
  std::size_t length_ = 0;
};

void report(std::uintptr_t address) {
  const auto location = GuardedMemory::locate(address);
  const bool in_kernel = is_running.load();
  if (!location && !in_kernel) return;  // not ours
  Line line;
  line << "rtcg debug device: ";
  if (!location) {
    line << "kernel '" << kernel_name << "' reached ";
    (line.hexadecimal(address) << ", which is in no buffer").send();
    return;
  }
  const auto bytes = static_cast<long long>(location->bytes);
  const long long offset = location->offset;
  if (!in_kernel) {
    line << "host access to device memory: byte " << offset << " of buffer " << location->number << " (" << bytes
         << " bytes); copy it, or map a buffer of mapped memory";
  } else if (offset >= bytes) {
    line << "kernel '" << kernel_name << "' ran past the end of buffer " << location->number << " (" << bytes
         << " bytes): byte " << offset;
  } else if (offset < 0) {
    line << "kernel '" << kernel_name << "' reached " << -offset << " bytes before the start of buffer "
         << location->number << " (" << bytes << " bytes)";
  } else {
    line << "kernel '" << kernel_name << "' reached byte " << offset << " of buffer " << location->number << " ("
         << bytes << " bytes), which was not passed to it";
  }
  line.send();
}

void on_fault(int signal, siginfo_t* info, void*) {
  report(reinterpret_cast<std::uintptr_t>(info->si_addr));
  // The faulting instruction runs again and now meets the previous handler; a signal that was sent has to be sent
  // again.
  sigaction(signal, &previous_action, nullptr);
  if (info->si_code <= 0) raise(signal);
}

}  // namespace

void install_fault_report() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous_action);
  });
}

RunningKernel::RunningKernel(const char* name) {
  std::strncpy(kernel_name, name, sizeof kernel_name - 1);
  is_running = true;
}

RunningKernel::~RunningKernel() {
  is_running = false;
}

}  // namespace rtcg::debug
