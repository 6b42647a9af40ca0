// An output file that is whole or absent: written under a temporary name in the same directory and renamed when it is
// complete. The target never holds half a result, and an older one stays until the new one is there. The temporary
// keeps the target's extension, because many writers choose their format by it.
#pragma once

#include <filesystem>
#include <string_view>

namespace rtcg {

class AsideFile {
 public:
  /// Creates the (empty) temporary at once, so that a place that cannot be written is known before the work is done.
  /// InputError when it cannot be created or the target exists and is not a regular file. A symbolic link is followed.
  explicit AsideFile(std::filesystem::path target);
  /// Removes the temporary unless committed.
  ~AsideFile();
  AsideFile(const AsideFile&) = delete;
  AsideFile& operator=(const AsideFile&) = delete;

  /// Where to write.
  const std::filesystem::path& path() const { return temporary_; }
  const std::filesystem::path& target() const { return target_; }
  /// Replaces the temporary's content. InputError when that fails. Writers with a file format of their own open path().
  void write(std::string_view content);
  /// Brings the data to the disk and renames. The writer must have closed the file. InputError when that fails.
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  int slot_ = -1;
  bool committed_ = false;
};

/// A whole file at once. InputError when it cannot be written.
void write_file(const std::filesystem::path& target, std::string_view content);

/// Removes the temporaries of this process. Async-signal-safe: for the handler of a signal that ends the process.
void remove_aside_files() noexcept;

}  // namespace rtcg
