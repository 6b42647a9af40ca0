// A kernel text with everything that shapes its compilation: name, defines, headers, include directories, options.
// The default dialect is portable: OpenCL C 1.2 that a short prelude makes valid CUDA too. A value; copying is cheap
// enough to define variants from a common start.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rtcg {

enum class Dialect : std::uint8_t {
  portable,  ///< OpenCL C 1.2 with the suite's prelude, for both back ends
  opencl,    ///< OpenCL C with the same prelude, for OpenCL alone: what CUDA has no words for, such as float16
  cuda,      ///< CUDA C++ with the same prelude, for CUDA alone
  raw,       ///< as the back end's compiler takes it, no prelude
};

class Source {
 public:
  Source(std::string name, std::string text, Dialect dialect = Dialect::portable);
  /// Reads a file; its directory is searched first for #include "...". InputError when it cannot be read.
  /// `.cu` is Dialect::cuda, anything else portable.
  static Source file(const std::filesystem::path& path);

  Source& define(std::string name, std::string value = "1");
  template <class Number>
  requires std::is_arithmetic_v<Number> Source& define(std::string name, Number value) {
    return define(std::move(name), literal(value));
  }
  Source& include_directory(std::filesystem::path directory);
  Source& header(std::string name, std::string text);  ///< found before any directory
  Source& option(std::string option);                  ///< passed on as it is
  Source& fast_math(bool on = true);                   ///< each back end's own word for it

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  Dialect dialect() const { return dialect_; }
  const std::vector<std::pair<std::string, std::string>>& defines() const { return defines_; }
  const std::vector<std::pair<std::string, std::string>>& headers() const { return headers_; }
  const std::vector<std::filesystem::path>& include_directories() const { return include_directories_; }
  const std::vector<std::string>& options() const { return options_; }
  bool is_fast_math() const { return fast_math_; }

  /// A C literal that reads back to exactly this value: 0x1.8p+1f, 7, 7u, 7ul.
  static std::string literal(float value);
  static std::string literal(double value);
  static std::string literal(long long value);
  static std::string literal(unsigned long long value);
  template <class Integer>
  requires std::is_integral_v<Integer>
  static std::string literal(Integer value) {
    if constexpr (std::is_signed_v<Integer>)
      return literal(static_cast<long long>(value));
    else
      return literal(static_cast<unsigned long long>(value));
  }

 private:
  std::string name_, text_;
  Dialect dialect_;
  std::vector<std::pair<std::string, std::string>> defines_, headers_;
  std::vector<std::filesystem::path> include_directories_;
  std::vector<std::string> options_;
  bool fast_math_ = false;
};

}  // namespace rtcg
