// Turns a segmentation fault on guarded memory into one line on standard error that says whose fault it was, and then
// lets it take its course: whatever handled SIGSEGV before (a sanitizer, a core dump) gets the same fault next.
#pragma once

namespace rtcg::debug {

/// Once per process, on first call.
void install_fault_report();

/// While it lives, faults are the named kernel's; one at a time in a process.
class RunningKernel {
 public:
  explicit RunningKernel(const char* name);
  ~RunningKernel();
  RunningKernel(const RunningKernel&) = delete;
  RunningKernel& operator=(const RunningKernel&) = delete;
};

}  // namespace rtcg::debug
