#include "rtcg/tune/journal.h"

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

Configuration variant(std::int64_t tile) {
  return Configuration({{"tile", tile}, {"kernel", std::string("rows")}, {"staged", true}});
}

class TuneJournalTest : public testing::Test {
 protected:
  std::string text() const {
    std::ifstream stream(file_);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  const ScratchDirectory scratch_;
  const std::filesystem::path file_ = scratch_ / "journal.jsonl";
};

TEST_F(TuneJournalTest, AVariantThatTookTheProcessWithItIsAFailureAfterwards) {
  {
    TuneJournal journal(file_, "a search");
    journal.begin(variant(1));
    journal.add({variant(1), {1e-3, 0.01, 7}, ""});
    journal.begin(variant(2));
  }
  const TuneJournal journal(file_, "a search");
  ASSERT_NE(journal.find(variant(1)), nullptr);
  EXPECT_TRUE(journal.find(variant(1))->works());
  EXPECT_EQ(journal.find(variant(1))->timing.seconds, 1e-3);
  ASSERT_NE(journal.find(variant(2)), nullptr);
  EXPECT_EQ(journal.find(variant(2))->failure, "an earlier search ended while it ran");
  EXPECT_EQ(journal.find(variant(3)), nullptr);
}

TEST_F(TuneJournalTest, ALineCutOffCostsThatVariantAlone) {
  {
    TuneJournal journal(file_, "a search");
    journal.add({variant(1), {1e-3, 0.01, 7}, ""});
    journal.add({variant(2), {2e-3, 0.01, 7}, ""});
  }
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) - 9);
  {
    TuneJournal journal(file_, "a search");
    EXPECT_NE(journal.find(variant(1)), nullptr);
    EXPECT_EQ(journal.find(variant(2)), nullptr);
    journal.add({variant(3), {3e-3, 0.01, 7}, ""});
  }
  EXPECT_NE(TuneJournal(file_, "a search").find(variant(3)), nullptr);
}

TEST_F(TuneJournalTest, OneProcessAtATimeAndOneSearchAFile) {
  {
    const TuneJournal journal(file_, "a search");
    EXPECT_MESSAGE(UsageError, "another process searches with this journal", TuneJournal(file_, "a search"));
  }
  const std::string before = text();
  EXPECT_MESSAGE(InputError, "not the journal of this search", TuneJournal(file_, "another search"));
  EXPECT_EQ(text(), before);
}

}  // namespace
}  // namespace rtcg
