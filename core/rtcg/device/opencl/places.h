// Where a compiler's message belongs: not every OpenCL compiler heeds #line.
#pragma once

#include <string>
#include <string_view>

namespace rtcg::opencl {

/// A log whose compiler counts the lines of the whole text under the name "<kernel>" (NVIDIA's does, whatever #line
/// says), with each such place replaced by the file and line that the text's #line directives give it.
std::string restore_places(std::string_view log, std::string_view text);

}  // namespace rtcg::opencl
