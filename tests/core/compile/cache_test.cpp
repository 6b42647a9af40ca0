#include "rtcg/compile/cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "core/compile/cache_support.h"
#include "rtcg/error.h"

namespace rtcg {
namespace {

namespace fs = std::filesystem;
using test::CacheTest;
using test::entry_of;
using test::manifest_of;
using test::same_entry;

/// Puts `bytes` in the only entry's place and says whether the cache still finds it.
class EntryFileTest : public CacheTest {
 protected:
  void SetUp() override {
    CompileCache(options()).store(manifest_of("a"), entry_of("a"));
    ASSERT_EQ(files().size(), 1u);
    file_ = files().front();
    good_ = read_bytes(file_);
  }
  bool finds(const std::string& bytes) {
    fs::remove(file_);  // a new file is quicker than truncating one, which some file systems bring to the disk at once
    write_bytes(file_, bytes);
    return cache_.find(manifest_of("a")).has_value();
  }
  CompileCache cache_{options()};
  fs::path file_;
  std::string good_;
};

TEST_F(CacheTest, FindsWhatWasStoredInAnotherRun) {
  EXPECT_FALSE(CompileCache(options()).find(manifest_of("a")));
  CompileCache(options()).store(manifest_of("a"), entry_of("a"));
  CompileCache later(options());
  const auto entry = later.find(manifest_of("a"));
  ASSERT_TRUE(entry);
  EXPECT_TRUE(same_entry(*entry, entry_of("a")));
  EXPECT_FALSE(later.find(manifest_of("b")));
  const CompileCache::Statistics statistics = later.statistics();
  EXPECT_EQ(statistics.entries, 1u);
  EXPECT_EQ(statistics.bytes, bytes_on_disk());
  EXPECT_EQ(statistics.hits, 1u);
  EXPECT_EQ(statistics.misses, 1u);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(CacheTest, EmptyPartsSurvive) {
  CompileCache cache(options());
  cache.store(Manifest(), {});
  const auto entry = cache.find(Manifest());
  ASSERT_TRUE(entry);
  EXPECT_TRUE(same_entry(*entry, {}));
}

TEST_F(CacheTest, MakesOnceAndSaysSo) {
  CompileCache cache(options());
  int calls = 0;
  const auto make = [&] { return ++calls, entry_of("a"); };
  bool made = false;
  EXPECT_TRUE(same_entry(cache.find_or_make(manifest_of("a"), make, &made), entry_of("a")));
  EXPECT_TRUE(made);
  EXPECT_TRUE(same_entry(cache.find_or_make(manifest_of("a"), make, &made), entry_of("a")));
  EXPECT_FALSE(made);
  EXPECT_EQ(calls, 1);
  const CompileCache::Statistics statistics = cache.statistics();
  EXPECT_EQ(statistics.misses, 1u);
  EXPECT_EQ(statistics.hits, 1u);
  EXPECT_EQ(statistics.stores, 1u);
}

TEST_F(CacheTest, AFailedMakeLeavesNeitherEntryNorLock) {
  CompileCache cache(options());
  EXPECT_THROW(cache.find_or_make(manifest_of("a"), []() -> CompileCache::Entry { throw DeviceError("no"); }),
               DeviceError);
  EXPECT_TRUE(files().empty());
  auto impatient = options();
  impatient.lock_timeout = 0;
  EXPECT_TRUE(CompileCache(impatient).lock(manifest_of("a").key()).is_held());
}

TEST_F(CacheTest, WithoutADirectoryEveryKernelIsMade) {
  auto none = options();
  none.directory.clear();
  CompileCache cache(none);
  int calls = 0;
  for (int i = 0; i < 2; ++i) cache.find_or_make(manifest_of("a"), [&] { return ++calls, entry_of("a"); });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(cache.trim(0).checked + cache.clear().checked + cache.verify(true).checked + cache.statistics().entries,
            0u);
  EXPECT_FALSE(fs::exists(none.lock_directory));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(CacheTest, DirectoriesBelongToTheUserAlone) {
  const mode_t old = umask(0);
  CompileCache(options()).find_or_make(manifest_of("a"), [] { return entry_of("a"); });
  umask(old);
  for (const fs::path& path : {scratch_ / "cache", files().front().parent_path(), scratch_ / "locks"})
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all) << path;
}

TEST_F(EntryFileTest, EveryFlippedBitIsAMiss) {
  ASSERT_TRUE(finds(good_));
  for (std::size_t at = 0; at < good_.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = good_;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      EXPECT_FALSE(finds(bytes)) << "byte " << at << ", bit " << bit;
    }
  EXPECT_EQ(cache_.statistics().corrupt, 8 * good_.size());
  EXPECT_TRUE(finds(good_));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(EntryFileTest, EveryTruncationAndAnyAdditionIsAMiss) {
  for (std::size_t length = 0; length < good_.size(); ++length) EXPECT_FALSE(finds(good_.substr(0, length))) << length;
  EXPECT_FALSE(finds(good_ + '\0'));
  EXPECT_FALSE(finds(good_ + good_));
}

TEST_F(EntryFileTest, RandomBytesBehindAGoodHeaderAreAMiss) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good_;
    const std::size_t first = random() % bytes.size(), count = 1 + random() % 16;
    for (std::size_t at = first; at < std::min(first + count, bytes.size()); ++at)
      bytes[at] = static_cast<char>(random());
    EXPECT_TRUE(bytes == good_ || !finds(bytes)) << first << " + " << count;
  }
}

TEST_F(EntryFileTest, HugeLengthsAllocateNothing) {
  for (std::size_t field = 16; field < 48; field += 8)
    for (const char fill : {'\xff', '\x7f'}) {
      std::string bytes = good_;
      bytes.replace(field, 8, 8, fill);
      EXPECT_FALSE(finds(bytes));
    }
  // Lengths that wrap round to the right sum.
  std::string bytes = good_;
  bytes.replace(24, 8, 8, '\xff');
  bytes[32] = static_cast<char>(bytes[32] + 1);
  EXPECT_FALSE(finds(bytes));
}

TEST_F(EntryFileTest, ASparseGiantIsRefusedUnread) {
  std::string bytes = good_;
  const std::uint64_t length = std::uint64_t{1} << 40;
  std::memcpy(bytes.data() + 40, &length, 8);
  write_bytes(file_, bytes);
  ASSERT_EQ(truncate(file_.c_str(), static_cast<off_t>(length)), 0);
  EXPECT_FALSE(cache_.find(manifest_of("a")));
  EXPECT_EQ(cache_.verify(false).problems.size(), 1u);
}

TEST_F(EntryFileTest, AnEntryUnderAnotherNameIsAMiss) {
  CompileCache cache(options());
  cache.store(manifest_of("b"), entry_of("b"));
  const auto all = files();
  ASSERT_EQ(all.size(), 2u);
  fs::copy_file(all[0] == file_ ? all[1] : all[0], file_, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(cache.find(manifest_of("a")));
  EXPECT_TRUE(cache.find(manifest_of("b")));
  EXPECT_EQ(cache.verify(false).problems,
            std::vector<std::string>{file_.string() + ": lies under another entry's name"});
}

TEST_F(EntryFileTest, LinksDirectoriesAndPipesInItsPlaceAreMisses) {
  const fs::path moved = scratch_ / "moved";
  fs::rename(file_, moved);
  fs::create_symlink(moved, file_);
  EXPECT_FALSE(cache_.find(manifest_of("a")));
  fs::remove(file_);
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_FALSE(cache_.find(manifest_of("a")));
  fs::remove(file_);
  fs::create_directory(file_);
  EXPECT_FALSE(cache_.find(manifest_of("a")));
  // A directory cannot be replaced by a file: the cache says so once and the kernel is made every time.
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(same_entry(cache_.find_or_make(manifest_of("a"), [] { return entry_of("a"); }), entry_of("a")));
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(EntryFileTest, ACorruptEntryIsReplaced) {
  EXPECT_FALSE(finds(good_.substr(0, 100)));
  bool made = false;
  cache_.find_or_make(
      manifest_of("a"), [] { return entry_of("a"); }, &made);
  EXPECT_TRUE(made);
  EXPECT_EQ(read_bytes(file_), good_);
}

TEST_F(EntryFileTest, VerifyReportsAndRemovesWhatIsCorrupt) {
  cache_.store(manifest_of("b"), entry_of("b"));
  ASSERT_FALSE(finds(good_.substr(0, good_.size() - 1)));
  CompileCache::SweepReport report = cache_.verify(false);
  EXPECT_EQ(report.checked, 2u);
  EXPECT_EQ(report.removed, 0u);
  EXPECT_EQ(report.problems, std::vector<std::string>{file_.string() + ": is truncated"});
  report = cache_.verify(true);
  EXPECT_EQ(report.removed, 1u);
  EXPECT_EQ(cache_.verify(false).checked, 1u);
  EXPECT_TRUE(cache_.find(manifest_of("b")));
}

TEST_F(CacheTest, ReadOnlyTiersAreAskedAndNeverTouched) {
  CompileCache(options()).store(manifest_of("shared"), entry_of("shared"));
  const fs::path tier = scratch_ / "tier";
  fs::rename(scratch_ / "cache", tier);
  auto with_tier = options();
  with_tier.readonly_tiers = {scratch_ / "absent", tier};
  std::map<fs::path, fs::file_time_type> before;
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24 * 30);
  for (const auto& item : fs::recursive_directory_iterator(tier)) {
    fs::last_write_time(item.path(), long_ago);
    before[item.path()] = fs::last_write_time(item.path());
  }
  CompileCache cache(with_tier);
  bool made = true;
  EXPECT_TRUE(same_entry(cache.find_or_make(
                             manifest_of("shared"), [] { return entry_of("wrong"); }, &made),
                         entry_of("shared")));
  EXPECT_FALSE(made);
  cache.store(manifest_of("own"), entry_of("own"));
  cache.clear();
  cache.trim(0);
  std::map<fs::path, fs::file_time_type> after;
  for (const auto& item : fs::recursive_directory_iterator(tier)) after[item.path()] = fs::last_write_time(item.path());
  EXPECT_EQ(after, before);
}

TEST_F(CacheTest, ListShowsManifestsAndNearestExplainsAMiss) {
  CompileCache cache(options());
  Manifest first = manifest_of("kernel one"), second = manifest_of("kernel two");
  second.add("option", "-O3");
  cache.store(first, entry_of("1"));
  cache.store(second, entry_of("2"));
  const auto listing = cache.list();
  ASSERT_EQ(listing.size(), 2u);
  for (const auto& item : listing) {
    EXPECT_TRUE(item.intact);
    EXPECT_EQ(item.manifest.key(), item.key);
    EXPECT_EQ(item.bytes, fs::file_size(item.path));
  }
  Manifest asked = manifest_of("kernel two");
  asked.add("option", "-O2");
  const auto nearest = cache.nearest(asked);
  ASSERT_TRUE(nearest);
  EXPECT_EQ(nearest->key, second.key());
  EXPECT_EQ(nearest->manifest.differences(asked), std::vector<std::string>{"option: \"-O3\" against \"-O2\""});
}

TEST_F(CacheTest, ClearRemovesEntriesAndNothingElse) {
  CompileCache cache(options());
  for (const char* name : {"a", "b", "c"}) cache.store(manifest_of(name), entry_of(name));
  const fs::path foreign = files().front().parent_path() / "notes.txt";
  write_bytes(foreign, "mine");
  const CompileCache::SweepReport report = cache.clear();
  EXPECT_EQ(report.removed, 3u);
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(read_bytes(foreign), "mine");
}

}  // namespace
}  // namespace rtcg
