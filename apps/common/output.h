// Output files appear whole or not at all: written beside their place under another name, then renamed.
// What can be known before hours of work, is: check_output() is for the moment the command line has been read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace rtcg::app {

/// UsageError naming the option unless the file's directory exists and can be written to and the file is no directory.
void check_output(std::string_view option, const std::filesystem::path& file);

/// write() gets the temporary path (same directory, same extension). Whatever it throws removes the temporary file.
/// InputError when the rename fails.
void write_aside(const std::filesystem::path& file, const std::function<void(const std::filesystem::path&)>& write);

/// InputError when not all bytes reach the file.
void write_bytes(const std::filesystem::path& file, std::span<const std::byte> bytes);

}  // namespace rtcg::app
