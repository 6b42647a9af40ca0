// What a command tells its user while it works, on the standard error: the standard output is for results alone.
#pragma once

#include <fmt/format.h>

#include <string>

namespace rtcg::app {

enum class Verbosity {
  quiet,   ///< warnings and errors
  normal,  ///< also what is being done and progress
};
void set_verbosity(Verbosity verbosity);
Verbosity verbosity();
/// The name before warnings and errors: the binary's.
void set_log_name(std::string name);

namespace detail {
void log_line(const char* kind, const std::string& message);
}

template <class... T>
void log_info(fmt::format_string<T...> format, T&&... values) {
  if (verbosity() == Verbosity::normal) detail::log_line(nullptr, fmt::format(format, std::forward<T>(values)...));
}
template <class... T>
void log_warning(fmt::format_string<T...> format, T&&... values) {
  detail::log_line("warning: ", fmt::format(format, std::forward<T>(values)...));
}
template <class... T>
void log_error(fmt::format_string<T...> format, T&&... values) {
  detail::log_line("", fmt::format(format, std::forward<T>(values)...));
}

}  // namespace rtcg::app
