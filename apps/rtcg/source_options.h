// The options that turn a file into a Source; `rtcg compile` and `rtcg cache why` must read them alike, because every
// one of them enters the cache key.
#pragma once

#include <string>
#include <vector>

#include "rtcg/compile/source.h"

namespace CLI {
class App;
}

namespace rtcg::app {

struct SourceOptions {
  std::string file;
  std::vector<std::string> defines, include_directories, compiler_options;
  bool fast_math = false;

  /// InputError for a file or directory that is not there, UsageError for a define that is none.
  Source source() const;
};

void add_source_options(CLI::App& command, SourceOptions& options);

}  // namespace rtcg::app
