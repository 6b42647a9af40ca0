// `#include` resolved by the suite itself: every header that is found takes the place of its directive, between `#line`
// directives that keep messages pointing at the header's own lines. One text results, so what is hashed is what is
// compiled, on both back ends alike. Conditionals are ignored when looking for headers: a header that is not used in
// the end is in the text (and in the key) but skipped by the compiler. What is not found is left to the compiler.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rtcg/compile/source.h"

namespace rtcg {

struct IncludedText {
  struct File {
    std::string name, text;
  };
  std::string text;                  ///< begins with `#line 1 "name"`
  std::string anonymous;             ///< the same with numbers for the names, so that it can be hashed
  std::vector<File> files;           ///< the source first, then each header once, as messages name them
  std::vector<std::string> missing;  ///< as spelled, with their brackets
};

/// Search order: headers of the Source, the including file's own directory (for "..."), the include directories, those
/// of -I options. `#pragma once` works; a header that includes itself while it is open is skipped.
/// InputError when the result passes 64 MiB, which only headers including each other without guards do, and for a NUL
/// byte, at which compilers would stop reading without a word.
IncludedText resolve_includes(const Source& source);

/// A kernel text or header as its compilers take it: without the byte order mark some editors write. Nothing when the
/// file cannot be read.
std::optional<std::string> read_text_file(const std::string& path);

}  // namespace rtcg
