#include "apps/rtcg/source_options.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "rtcg/error.h"

namespace rtcg::app {

void add_source_options(CLI::App& command, SourceOptions& options) {
  command.add_option("FILE", options.file, "Kernel text: .cu is CUDA C++, anything else the portable dialect")
      ->required();
  command.add_option("-D,--define", options.defines, "Define a macro; may be repeated")
      ->type_name("NAME[=VALUE]")
      ->expected(1)
      ->take_all();
  command
      .add_option("-I,--include", options.include_directories, "Search this directory for #include; may be repeated")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
  command
      .add_option("--option", options.compiler_options, "Hand this option to the back end's compiler; may be repeated")
      ->type_name("TEXT")
      ->expected(1)
      ->take_all();
  command.add_flag("--fast-math", options.fast_math, "Let the compiler trade accuracy for speed");
}

Source SourceOptions::source() const {
  Source source = Source::file(file);
  for (const std::string& define : defines) {
    const std::size_t sign = define.find('=');
    if (sign == define.npos)
      source.define(define);
    else
      source.define(define.substr(0, sign), define.substr(sign + 1));
  }
  for (const std::string& directory : include_directories) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(directory, ignored)) throw InputError(directory + ": no such directory");
    source.include_directory(directory);
  }
  for (const std::string& option : compiler_options) source.option(option);
  source.fast_math(fast_math);
  return source;
}

}  // namespace rtcg::app
