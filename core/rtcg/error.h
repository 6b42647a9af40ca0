// The kinds of failure the suite knows. Libraries throw these; an application turns the kind into its exit code
// (apps/common/exit_code.h). A message is one line: where, what is wrong, what would be right.
#pragma once

#include <stdexcept>
#include <string>

namespace rtcg {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller asked for something that makes no sense: a wrong argument, an option out of range. Exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A file or a user's data is wrong: truncated, hostile, of the wrong shape. Exit code 3.
class InputError : public Error {
 public:
  using Error::Error;
};

/// A device or a driver failed, or no device matches. Exit code 4.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// Device memory ran out even after the pool gave back what it held.
class OutOfMemory : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// A computation ran but its result cannot be used (divergence, NaN). Exit code 5.
class NumericalError : public Error {
 public:
  using Error::Error;
};

}  // namespace rtcg
