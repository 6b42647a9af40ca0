// Many processes, killed processes, full and read-only disks, unusable locks: always the right kernel.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <thread>

#include "core/compile/cache_support.h"
#include "support/process.h"

namespace rtcg {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::CacheTest;
using test::entry_of;
using test::fork_all;
using test::fork_one;
using test::manifest_of;
using test::same_entry;
using test::wait_for;

void append_line(const fs::path& file, const std::string& line) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const std::string text = line + "\n";
  if (write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  close(descriptor);
}

std::map<std::string, int> count_lines(const fs::path& file) {
  std::map<std::string, int> counts;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) ++counts[line];
  return counts;
}

class RobustCacheTest : public CacheTest {
 protected:
  CompileCache::Options with_warnings_in(const fs::path& file) {
    auto result = options();
    result.warn = [file](const std::string& message) { append_line(file, message); };
    return result;
  }
};

TEST_F(RobustCacheTest, SixteenProcessesOnAColdCacheMakeEachKernelOnce) {
  constexpr int keys = 12;
  const fs::path made = scratch_ / "made";
  const std::vector<int> codes = fork_all(16, [&](int process) {
    CompileCache cache(with_warnings_in(scratch_ / "warnings"));
    std::vector<int> order(keys);
    for (int i = 0; i < keys; ++i) order[static_cast<std::size_t>(i)] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(process)));
    for (const int i : order) {
      const std::string name = "kernel " + std::to_string(i);
      const CompileCache::Entry entry = cache.find_or_make(manifest_of(name), [&] {
        append_line(made, name);
        std::this_thread::sleep_for(3ms);
        return entry_of(name, 5000);
      });
      if (!same_entry(entry, entry_of(name, 5000))) return 1;
    }
    return 0;
  });
  EXPECT_EQ(codes, std::vector<int>(16, 0));
  const auto counts = count_lines(made);
  EXPECT_EQ(counts.size(), static_cast<std::size_t>(keys));
  for (const auto& [name, count] : counts) EXPECT_EQ(count, 1) << name;
  EXPECT_TRUE(count_lines(scratch_ / "warnings").empty());
}

TEST_F(RobustCacheTest, ThreadsOfOneProcessMakeEachKernelOnce) {
  CompileCache cache(options());
  std::atomic<int> made{0}, wrong{0};
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        const std::string name = "kernel " + std::to_string(i);
        const auto entry = cache.find_or_make(manifest_of(name), [&] {
          ++made;
          return entry_of(name);
        });
        if (!same_entry(entry, entry_of(name))) ++wrong;
      }
    });
  threads.clear();
  EXPECT_EQ(made, 10);
  EXPECT_EQ(wrong, 0);
}

TEST_F(RobustCacheTest, HoldingOneKernelsLockDelaysNoOtherKernel) {
  auto impatient = options();
  impatient.lock_timeout = 0;
  CompileCache cache(impatient);
  std::vector<CompileCache::KeyLock> held;
  for (int i = 0; i < 300; ++i) {
    held.push_back(cache.lock(manifest_of(std::to_string(i)).key()));
    ASSERT_TRUE(held.back().is_held()) << i;
  }
  EXPECT_FALSE(cache.lock(manifest_of("7").key()).is_held());
}

TEST_F(RobustCacheTest, KilledWritersLeaveNoBadEntry) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    const int process = fork_one([&]() -> int {
      CompileCache cache(options());
      for (int i = 0;; ++i) {
        const std::string name = std::to_string(i % 50);
        cache.store(manifest_of(name), entry_of(name, 20000));
      }
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
    kill(process, SIGKILL);
    EXPECT_EQ(wait_for(process), 128 + SIGKILL);
  }
  CompileCache cache(options());
  const CompileCache::SweepReport report = cache.verify(false);
  EXPECT_GT(report.checked, 0u);
  EXPECT_TRUE(report.problems.empty()) << report.problems.front();
  std::size_t found = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string name = std::to_string(i);
    if (const auto entry = cache.find(manifest_of(name))) {
      EXPECT_TRUE(same_entry(*entry, entry_of(name, 20000)));
      ++found;
    }
  }
  EXPECT_EQ(found, report.checked);
}

TEST_F(RobustCacheTest, AKilledCompilerReleasesItsLock) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const int process = fork_one([&] {
    CompileCache cache(options());
    cache.find_or_make(manifest_of("a"), [&]() -> CompileCache::Entry {
      if (write(ready[1], "x", 1) != 1) _exit(1);
      std::this_thread::sleep_for(100s);
      return {};
    });
    return 0;
  });
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(process, SIGKILL);
  wait_for(process);
  auto impatient = options();
  impatient.lock_timeout = 5;
  bool made = false;
  CompileCache(impatient).find_or_make(
      manifest_of("a"), [] { return entry_of("a"); }, &made);
  EXPECT_TRUE(made);
  EXPECT_TRUE(warnings_.empty());
  close(ready[0]), close(ready[1]);
}

TEST_F(RobustCacheTest, AStuckCompilerIsNotWaitedForForever) {
  CompileCache other(options());
  const CompileCache::KeyLock held = other.lock(manifest_of("a").key());
  ASSERT_TRUE(held.is_held());
  auto impatient = options();
  impatient.lock_timeout = 0.05;
  CompileCache cache(impatient);
  EXPECT_TRUE(same_entry(cache.find_or_make(manifest_of("a"), [] { return entry_of("a"); }), entry_of("a")));
  EXPECT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(other.find(manifest_of("a")));
}

/// Ten kernels, asked for twice: all right, with exactly `warnings` warnings. The body of a forked child.
int ten_kernels(CompileCache::Options options, const fs::path& warnings, std::size_t expected_warnings) {
  CompileCache cache(std::move(options));
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 10; ++i) {
      const std::string name = std::to_string(i);
      const auto entry = cache.find_or_make(manifest_of(name), [&] { return entry_of(name, 20000); });
      if (!same_entry(entry, entry_of(name, 20000))) return 1;
    }
  std::size_t count = 0;
  for (const auto& line : count_lines(warnings)) count += static_cast<std::size_t>(line.second);
  return count == expected_warnings ? 0 : 2;
}

TEST_F(RobustCacheTest, ADirectoryThatCannotBeGivesOneWarning) {
  write_bytes(scratch_ / "file", "x");
  const fs::path warnings = scratch_ / "warnings";
  auto below_file = with_warnings_in(warnings);
  below_file.directory = scratch_ / "file" / "cache";
  EXPECT_EQ(ten_kernels(below_file, warnings, 1), 0);
  EXPECT_EQ(read_bytes(scratch_ / "file"), "x");
}

TEST_F(RobustCacheTest, AWriteThatFailsHalfWayGivesOneWarningAndLeavesNothing) {
  const fs::path warnings = scratch_ / "warnings";
  const int child = fork_one([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    return ten_kernels(with_warnings_in(warnings), warnings, 1);
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(files(".tmp").empty());
  EXPECT_TRUE(files().empty());
}

/// Runs the body with a file system of its own; 77 where the test may not mount.
int with_mount(const fs::path& target, const char* options, const std::function<int()>& body) {
  return wait_for(fork_one([&] {
    fs::create_directories(target);
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", target.c_str(), "tmpfs", 0, options) != 0)
      return 77;
    return body();
  }));
}

TEST_F(RobustCacheTest, AFullDiskGivesOneWarning) {
  const fs::path warnings = scratch_ / "warnings", disk = scratch_ / "disk";
  const int code = with_mount(disk, "size=65536", [&] {
    auto on_disk = with_warnings_in(warnings);
    on_disk.directory = disk / "cache";
    const int result = ten_kernels(on_disk, warnings, 1);
    // What was stored before the disk was full is intact, and no temporary is left.
    if (!CompileCache(on_disk).verify(false).problems.empty()) return 3;
    for (const auto& item : fs::recursive_directory_iterator(disk))
      if (item.path().extension() == ".tmp") return 4;
    return result;
  });
  if (code == 77) GTEST_SKIP() << "mounting a small file system needs root";
  EXPECT_EQ(code, 0);
}

TEST_F(RobustCacheTest, AReadOnlyDiskGivesOneWarningAndStillServesItsEntries) {
  const fs::path warnings = scratch_ / "warnings", disk = scratch_ / "disk";
  const int code = with_mount(disk, "size=1m", [&] {
    auto on_disk = with_warnings_in(warnings);
    on_disk.directory = disk / "cache";
    CompileCache(on_disk).store(manifest_of("3"), entry_of("3", 20000));
    if (mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=1m") != 0) return 77;
    bool made = true;
    CompileCache(on_disk).find_or_make(
        manifest_of("3"), [] { return entry_of("3", 20000); }, &made);
    if (made) return 3;
    return ten_kernels(on_disk, warnings, 1);
  });
  if (code == 77) GTEST_SKIP() << "mounting a read-only file system needs root";
  EXPECT_EQ(code, 0);
}

TEST_F(RobustCacheTest, UntrustworthyLockDirectoriesAreNotUsed) {
  const auto check = [&](const fs::path& directory) {
    warnings_.clear();
    auto with = options();
    with.lock_directory = directory;
    CompileCache cache(with);
    for (const char* name : {"a", "b"}) {
      cache.clear();
      EXPECT_TRUE(same_entry(cache.find_or_make(manifest_of(name), [&] { return entry_of(name); }), entry_of(name)));
    }
    EXPECT_EQ(warnings_.size(), 1u) << directory;
  };
  fs::create_directory(scratch_ / "elsewhere");
  fs::create_symlink(scratch_ / "elsewhere", scratch_ / "link");
  check(scratch_ / "link");
  EXPECT_TRUE(fs::is_empty(scratch_ / "elsewhere"));

  fs::create_directory(scratch_ / "open");
  fs::permissions(scratch_ / "open", fs::perms::all);
  check(scratch_ / "open");

  fs::create_directory(scratch_ / "planted");
  fs::permissions(scratch_ / "planted", fs::perms::owner_all);
  write_bytes(scratch_ / "victim", "keep");
  fs::create_symlink(scratch_ / "victim", scratch_ / "planted" / "kernels.lock");
  check(scratch_ / "planted");
  EXPECT_EQ(read_bytes(scratch_ / "victim"), "keep");

  write_bytes(scratch_ / "file", "x");
  check(scratch_ / "file");
  check(scratch_ / "file" / "below");
  if (geteuid() == 0) {
    fs::create_directory(scratch_ / "stranger");
    ASSERT_EQ(chown((scratch_ / "stranger").c_str(), 12345, 12345), 0);
    check(scratch_ / "stranger");
  }
}

TEST_F(RobustCacheTest, DeletingTheDirectoryWhileInUseIsHarmless) {
  CompileCache cache(options());
  for (int i = 0; i < 20; ++i) {
    const std::string name = std::to_string(i);
    cache.find_or_make(manifest_of(name), [&] {
      fs::remove_all(scratch_ / "cache");
      return entry_of(name);
    });
    EXPECT_TRUE(cache.find(manifest_of(name)));
  }
  EXPECT_TRUE(warnings_.empty());
}

}  // namespace
}  // namespace rtcg
