// The readers take files, the fuzzer gives bytes: one temporary file, rewritten for every input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace rtcg {

class InputFile {
 public:
  explicit InputFile(const std::string& extension) {
    const std::filesystem::path memory = "/dev/shm";
    const std::filesystem::path directory =
        std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
    std::string name = (directory / ("rtcg_fuzz_XXXXXX" + extension)).string();
    if (mkstemps(name.data(), static_cast<int>(extension.size())) < 0) std::abort();
    path_ = name;
  }
  ~InputFile() { std::filesystem::remove(path_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& with(const std::uint8_t* data, std::size_t size) const {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return path_;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace rtcg
