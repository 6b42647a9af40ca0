// Compiler logs made readable: parsed on both back ends into (file, line, column, severity, text), shown with the
// user's line and a caret, few and first. Lines of the prelude are never shown.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rtcg/device/driver.h"
#include "rtcg/error.h"

namespace rtcg {

struct Diagnostic {
  enum class Severity { note, warning, error };
  Severity severity = Severity::error;
  std::string file;
  int line = 0;    ///< from 1; 0 when the compiler gave none
  int column = 0;  ///< from 1; 0 when the compiler gave none
  std::string message;
};

/// Understands NVRTC's "name(3): error: ..." and Clang's "name:3:5: error: ...".
std::vector<Diagnostic> parse_log(std::string_view log);

/// The first `most` errors with excerpt and caret, found in the request's own text.
std::string show(std::span<const Diagnostic> diagnostics, const CompileRequest& request, std::size_t most = 10);

/// A text did not compile. what() is the readable form; the rest is kept for tools.
class CompileError : public DeviceError {
 public:
  CompileError(const std::string& message, std::vector<Diagnostic> diagnostics, std::string log,
               std::vector<std::string> options);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  const std::string& log() const { return log_; }
  const std::vector<std::string>& options() const { return options_; }

 private:
  std::vector<Diagnostic> diagnostics_;
  std::string log_;
  std::vector<std::string> options_;
};

/// Makes a CompileError of a compiler's log; `target` is the device or architecture it was compiled for.
[[noreturn]] void throw_compile_error(const std::string& log, const CompileRequest& request, const std::string& target);

}  // namespace rtcg
