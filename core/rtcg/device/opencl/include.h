// OpenCL 1.2 compilers differ in how they take headers from memory, so the texts are put in place of the #include
// lines, each between #line directives: messages then name the header and its own lines.
#pragma once

#include <string>
#include <string_view>

#include "rtcg/device/driver.h"

namespace rtcg::opencl {

/// The request's text with every #include that one of its headers satisfies replaced by that header, transitively;
/// other includes stay for the compiler to judge. `#pragma once` is honoured. A header that includes itself is left
/// out the second time, as its guard would have done.
std::string inline_headers(const CompileRequest& request);

/// A log whose compiler counts the lines of the whole text under the name "<kernel>" (NVIDIA's does, whatever #line
/// says), with each such place replaced by the file and line that the text's #line directives give it.
std::string restore_places(std::string_view log, std::string_view text);

}  // namespace rtcg::opencl
