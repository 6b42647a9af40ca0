#include "rtcg/io/aside_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "rtcg/error.h"

namespace rtcg {

namespace {

namespace fs = std::filesystem;

// Paths a signal handler may have to unlink: plain C strings behind atomic pointers. A process with more open output
// files than this still works; only the surplus would stay behind after a signal.
std::array<std::atomic<char*>, 64> registry{};

int remember(const fs::path& path) {
  char* copy = strdup(path.c_str());
  for (std::size_t slot = 0; copy && slot < registry.size(); ++slot) {
    char* expected = nullptr;
    if (registry[slot].compare_exchange_strong(expected, copy)) return static_cast<int>(slot);
  }
  std::free(copy);
  return -1;
}

void forget(int slot) {
  if (slot >= 0) std::free(registry[static_cast<std::size_t>(slot)].exchange(nullptr));
}

[[noreturn]] void fail(const fs::path& target, const char* what) {
  throw InputError(target.string() + ": " + what + ": " + std::strerror(errno));
}

void synchronise(const fs::path& path, const fs::path& target) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(target, "cannot finish writing");
  const int result = fsync(descriptor);
  const int error = errno;
  close(descriptor);
  errno = error;
  // Some file systems have no fsync; that says nothing about the data.
  if (result != 0 && error != EINVAL && error != ENOSYS) fail(target, "cannot bring to disk");
}

}  // namespace

AsideFile::AsideFile(fs::path target) : target_(std::move(target)) {
  std::error_code ignored;
  if (fs::is_symlink(target_, ignored)) target_ = fs::weakly_canonical(target_, ignored);
  if (target_.filename().empty()) throw InputError("\"" + target_.string() + "\" names no file to write");
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw InputError(target_.string() + ": exists and is not a regular file");

  static std::atomic<unsigned> counter{0};
  for (;;) {
    temporary_ = target_.parent_path() / ("." + target_.stem().string() + ".part-" + std::to_string(getpid()) + "-" +
                                          std::to_string(counter++) + target_.extension().string());
    slot_ = remember(temporary_);
    const int descriptor = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      close(descriptor);
      return;
    }
    forget(slot_);
    if (errno != EEXIST) fail(target_, "cannot be written");
  }
}

AsideFile::~AsideFile() {
  if (!committed_) unlink(temporary_.c_str());
  forget(slot_);
}

void AsideFile::commit() {
  synchronise(temporary_, target_);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, "cannot be written");
  committed_ = true;
}

void AsideFile::write(std::string_view content) {
  const int descriptor = open(temporary_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (descriptor < 0) fail(target_, "cannot be written");
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      close(descriptor);
      errno = error;
      fail(target_, "cannot be written");
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (close(descriptor) != 0) fail(target_, "cannot be written");
}

void write_file(const fs::path& target, std::string_view content) {
  AsideFile file(target);
  file.write(content);
  file.commit();
}

void remove_aside_files() noexcept {
  for (const std::atomic<char*>& entry : registry)
    if (const char* path = entry.load()) unlink(path);
}

}  // namespace rtcg
