#include "apps/common/exit_code.h"

#include "rtcg/error.h"

namespace rtcg::app {

ExitCode exit_code_of(const std::exception& error) {
  if (dynamic_cast<const UsageError*>(&error)) return exit_usage;
  if (dynamic_cast<const InputError*>(&error)) return exit_input;
  if (dynamic_cast<const DeviceError*>(&error)) return exit_device;
  if (dynamic_cast<const NumericalError*>(&error)) return exit_numerical;
  return exit_internal;
}

}  // namespace rtcg::app
