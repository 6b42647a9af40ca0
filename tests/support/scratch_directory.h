// A directory of its own for one test, gone at the end; and the checks that tests of readers share.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace rtcg {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "rtcg_test_XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw std::filesystem::filesystem_error("cannot make a scratch directory", std::error_code());
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// The message of the E that `run` throws, which must be one line; fails the test when it throws none.
template <class E, class Run>
std::string message_of(const Run& run) {
  try {
    run();
  } catch (const E& error) {
    const std::string text = error.what();
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace rtcg

/// Checks that the expression throws an E of one line that contains the text.
#define EXPECT_MESSAGE(E, text, ...)                                                 \
  do {                                                                               \
    const std::string message = ::rtcg::message_of<E>([&] { (void)(__VA_ARGS__); }); \
    EXPECT_NE(message.find(text), std::string::npos) << message;                     \
  } while (false)
