// Eviction, times and temporaries of the kernel cache.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <numeric>

#include "core/compile/cache_support.h"
#include "support/process.h"

namespace rtcg {
namespace {

namespace fs = std::filesystem;
using test::CacheTest;
using test::entry_of;
using test::fork_all;
using test::manifest_of;

constexpr std::int64_t day = 24 * 60 * 60;

void set_age(const fs::path& file, std::int64_t seconds) {
  const timespec time{std::time(nullptr) - seconds, 0};
  const timespec times[2] = {time, time};
  ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
}

std::int64_t age_of(const fs::path& file) {
  struct stat status {};
  stat(file.c_str(), &status);
  return std::time(nullptr) - status.st_mtime;
}

class SweepTest : public CacheTest {
 protected:
  /// One entry of about 10 kB per name, the first the oldest; returns the size of one.
  std::size_t fill(const std::vector<std::string>& names) {
    CompileCache cache(options());
    std::int64_t age = 3600 * static_cast<std::int64_t>(names.size());
    for (const std::string& name : names) {
      cache.store(manifest_of(name), entry_of(name, 10000));
      set_age(path_of(name), age);
      age -= 3600;
    }
    return static_cast<std::size_t>(fs::file_size(path_of(names.front())));
  }
  fs::path path_of(const std::string& name) {
    const std::string key = manifest_of(name).key().hex();
    for (const fs::path& file : files())
      if (file.stem() == key) return file;
    return {};
  }
  bool has(const std::string& name) { return !path_of(name).empty(); }
};

TEST_F(SweepTest, TrimRemovesTheOldestFirst) {
  const std::size_t one = fill({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"});
  CompileCache cache(options());
  const CompileCache::SweepReport report = cache.trim(5 * one);
  EXPECT_EQ(report.checked, 10u);
  EXPECT_EQ(report.removed, 6u);  // down to nine tenths of the limit
  EXPECT_EQ(report.freed_bytes, 6 * one);
  for (const char* gone : {"a", "b", "c", "d", "e", "f"}) EXPECT_FALSE(has(gone)) << gone;
  for (const char* kept : {"g", "h", "i", "j"}) EXPECT_TRUE(has(kept)) << kept;
  EXPECT_EQ(cache.trim(5 * one).removed, 0u);
}

TEST_F(SweepTest, AHitMakesAnEntryYoungButOnlyOnceADay) {
  fill({"a", "b"});
  CompileCache cache(options());
  set_age(path_of("a"), 2 * day);
  set_age(path_of("b"), day / 2);
  ASSERT_TRUE(cache.find(manifest_of("a")) && cache.find(manifest_of("b")));
  EXPECT_LT(age_of(path_of("a")), 60);
  EXPECT_NEAR(static_cast<double>(age_of(path_of("b"))), day / 2.0, 60);
}

TEST_F(SweepTest, AWrongClockMakesNoEntryImmortal) {
  const std::size_t one = fill({"future", "a", "b", "1970"});
  set_age(path_of("future"), -400 * day);
  set_age(path_of("1970"), std::time(nullptr));
  CompileCache cache(options());
  EXPECT_TRUE(cache.find(manifest_of("1970")));
  EXPECT_LT(age_of(path_of("1970")), 60);
  EXPECT_EQ(cache.trim(3 * one + one / 2).removed, 1u);
  EXPECT_FALSE(has("future"));

  set_age(path_of("a"), -400 * day);
  EXPECT_TRUE(cache.find(manifest_of("a")));
  EXPECT_LT(std::abs(age_of(path_of("a"))), 60);
}

TEST_F(SweepTest, StaleTemporariesGoAndFreshOnesStay) {
  fill({"a"});
  const fs::path branch = path_of("a").parent_path();
  const std::string stem = "." + path_of("a").filename().string();
  const fs::path stale = branch / (stem + ".1.tmp"), fresh = branch / (stem + ".2.tmp"),
                 ahead = branch / (stem + ".3.tmp"), foreign = branch / "other.tmp";
  for (const fs::path& file : {stale, fresh, ahead, foreign}) write_bytes(file, "x");
  set_age(stale, 3601);
  set_age(fresh, 3500);
  set_age(ahead, -2 * day);
  set_age(foreign, 10 * day);
  CompileCache(options()).trim(1 << 20);
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_FALSE(fs::exists(ahead));
  EXPECT_TRUE(fs::exists(foreign));
  EXPECT_TRUE(has("a"));
}

TEST_F(SweepTest, TheFirstStoreOfARunLooksWhenNobodyDidForAnHour) {
  fill({"a", "b"});
  const fs::path stale = path_of("a").parent_path() / ("." + path_of("a").filename().string() + ".1.tmp");
  write_bytes(stale, "x");
  set_age(stale, 7200);
  CompileCache(options()).store(manifest_of("c"), entry_of("c"));
  EXPECT_TRUE(fs::exists(stale)) << "swept although the last sweep was moments ago";
  set_age(scratch_ / "cache" / "swept", 3700);
  CompileCache(options()).store(manifest_of("d"), entry_of("d"));
  EXPECT_FALSE(fs::exists(stale));
}

TEST_F(SweepTest, StoresKeepTheDirectoryBelowItsLimit) {
  auto small = options();
  small.limit_bytes = 100'000;
  CompileCache cache(small);
  for (int i = 0; i < 50; ++i) {
    cache.store(manifest_of(std::to_string(i)), entry_of("x", 10000));
    EXPECT_LE(bytes_on_disk(), small.limit_bytes);
  }
  EXPECT_GE(bytes_on_disk(), small.limit_bytes * 7 / 10);
  EXPECT_TRUE(has("49"));
  cache.store(manifest_of("giant"), entry_of("x", 200'000));
  EXPECT_FALSE(has("giant"));
  EXPECT_TRUE(has("49")) << "a kernel that cannot be kept drove out others";
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(SweepTest, ManyWritersStayBelowTheLimitWithoutEvictingTooMuch) {
  auto small = options();
  small.limit_bytes = 300'000;
  const std::vector<int> codes = fork_all(8, [&](int process) {
    CompileCache cache(small);
    for (int i = 0; i < 40; ++i) {
      const std::string name = std::to_string(process) + "-" + std::to_string(i);
      cache.store(manifest_of(name), entry_of(name, 10000));
    }
    return cache.statistics().errors == 0 ? 0 : 1;
  });
  EXPECT_EQ(std::accumulate(codes.begin(), codes.end(), 0), 0);
  CompileCache cache(small);
  // Whoever finds a sweep running goes on; so a few stores may lie above the limit until the next one.
  EXPECT_LE(bytes_on_disk(), small.limit_bytes + 8 * 11000);
  EXPECT_GE(bytes_on_disk(), small.limit_bytes * 8 / 10);
  EXPECT_TRUE(cache.verify(false).problems.empty());
}

TEST_F(SweepTest, ProcessesTrimmingAtOnceRemoveNoMoreThanOne) {
  std::vector<std::string> names;
  for (int i = 10; i < 70; ++i) names.push_back("k" + std::to_string(i));
  const std::size_t one = fill(names);
  const auto trim_all = [&](const CompileCache::Options& with) {
    fork_all(6, [&](int) {
      CompileCache(with).trim(40 * one);
      return 0;
    });
  };
  trim_all(options());
  EXPECT_EQ(files().size(), 36u);
  EXPECT_TRUE(has("k69") && has("k34") && !has("k33"));

  fill(names);
  auto without_locks = options();
  without_locks.lock_directory.clear();
  trim_all(without_locks);
  EXPECT_EQ(files().size(), 36u);
}

}  // namespace
}  // namespace rtcg
