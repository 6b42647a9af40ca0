#include "rtcg/io/aside_file.h"

#include <unistd.h>

#include <csignal>
#include <thread>

#include "rtcg/error.h"
#include "support/process.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

namespace fs = std::filesystem;

std::size_t count_files(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

TEST(AsideFile, TargetAppearsWholeAtCommit) {
  ScratchDirectory scratch;
  const fs::path target = scratch / "image.png";
  AsideFile file(target);
  EXPECT_EQ(file.path().parent_path(), target.parent_path());
  EXPECT_EQ(file.path().extension(), ".png");
  write_bytes(file.path(), "picture");
  EXPECT_FALSE(fs::exists(target));
  file.commit();
  EXPECT_EQ(read_bytes(target), "picture");
  EXPECT_EQ(count_files(scratch.path()), 1u);
}

TEST(AsideFile, WithoutCommitTheOldFileStays) {
  ScratchDirectory scratch;
  write_bytes(scratch / "a.h5", "old");
  try {
    AsideFile file(scratch / "a.h5");
    write_bytes(file.path(), "half");
    throw InputError("stop");
  } catch (const InputError&) {
  }
  EXPECT_EQ(read_bytes(scratch / "a.h5"), "old");
  EXPECT_EQ(count_files(scratch.path()), 1u);
}

TEST(AsideFile, TwoWritersOfOneTargetDoNotMeet) {
  ScratchDirectory scratch;
  AsideFile first(scratch / "a"), second(scratch / "a");
  write_bytes(first.path(), "first");
  write_bytes(second.path(), "second");
  first.commit();
  second.commit();
  EXPECT_EQ(read_bytes(scratch / "a"), "second");
}

TEST(AsideFile, FollowsALink) {
  ScratchDirectory scratch;
  fs::create_directory(scratch / "far");
  write_bytes(scratch / "far" / "real.txt", "old");
  fs::create_symlink("far/real.txt", scratch / "link.txt");
  write_file(scratch / "link.txt", "new");
  EXPECT_TRUE(fs::is_symlink(scratch / "link.txt"));
  EXPECT_EQ(read_bytes(scratch / "far" / "real.txt"), "new");
}

TEST(AsideFile, PlacesThatCannotBeWrittenAreKnownAtOnce) {
  ScratchDirectory scratch;
  write_bytes(scratch / "file", "x");
  EXPECT_MESSAGE(InputError, "cannot be written", AsideFile(scratch / "absent" / "a.png"));
  EXPECT_MESSAGE(InputError, "cannot be written", AsideFile(scratch / "file" / "a.png"));
  EXPECT_MESSAGE(InputError, "not a regular file", AsideFile(scratch.path()));
  EXPECT_MESSAGE(InputError, "not a regular file", AsideFile("/dev/null"));
  EXPECT_MESSAGE(InputError, "names no file", AsideFile(""));
  EXPECT_EQ(count_files(scratch.path()), 1u);
}

TEST(AsideFile, NamesAreFreeOfTheUsualTraps) {
  ScratchDirectory scratch;
  const std::vector<std::string> names{"no_extension", ".hidden", "two.dots.h5",
                                       "a b.png",      "ends.",   std::string(100, 'n')};
  for (const std::string& name : names) {
    write_file(scratch / name, name);
    EXPECT_EQ(read_bytes(scratch / name), name);
  }
  EXPECT_EQ(count_files(scratch.path()), 6u);
}

TEST(AsideFile, ASignalHandlerCanRemoveTheTemporaries) {
  ScratchDirectory scratch;
  const int child = test::fork_one([&]() -> int {
    std::signal(SIGTERM, [](int) {
      remove_aside_files();
      _exit(7);
    });
    AsideFile first(scratch / "a.png"), second(scratch / "b.png");
    raise(SIGTERM);
    return 0;
  });
  EXPECT_EQ(test::wait_for(child), 7);
  EXPECT_EQ(count_files(scratch.path()), 0u);
}

}  // namespace
}  // namespace rtcg
