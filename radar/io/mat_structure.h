// MATLAB 5 files are trees of sized elements. matio trusts those sizes, so they are checked first: every element inside
// the one around it, every array with as many bytes as its dimensions say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rtcg::radar {

/// A variable inside a zlib stream.
struct MatPacked {
  std::uint64_t offset = 0, bytes = 0;
};

/// InputError naming `shown` and the byte unless `file` is a MATLAB 5 file of sound elements. Compressed variables are
/// returned unchecked, in file order.
std::vector<MatPacked> check_mat_structure(const std::filesystem::path& file, const std::string& shown);

/// A file without compressed variables: `file` itself, or a copy in memory with all of them unpacked and checked in
/// turn.
class PlainMat {
 public:
  explicit PlainMat(const std::filesystem::path& file);
  ~PlainMat();
  PlainMat(const PlainMat&) = delete;
  PlainMat& operator=(const PlainMat&) = delete;
  /// To be opened while this lives.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int memory_ = -1;
};

}  // namespace rtcg::radar
