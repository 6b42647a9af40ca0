#include "rtcg/tune/configuration.h"

#include <unordered_set>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

Configuration sample() {
  return Configuration({{"group", std::int64_t{128}}, {"unrolled", true}, {"kernel", std::string("rows")}});
}

TEST(Configuration, GivesValuesByNameAndType) {
  const Configuration c = sample();
  EXPECT_EQ(c.integer("group"), 128);
  EXPECT_TRUE(c.flag("unrolled"));
  EXPECT_EQ(c.word("kernel"), "rows");
  EXPECT_EQ(c.find("absent"), nullptr);
  EXPECT_EQ(c.text(), "group=128 unrolled=true kernel=rows");
  EXPECT_TRUE(Configuration().empty());
  EXPECT_EQ(Configuration().text(), "");
}

TEST(Configuration, RefusesAbsentNamesAndOtherTypes) {
  const Configuration c = sample();
  EXPECT_MESSAGE(UsageError, "has no parameter grop", c.integer("grop"));
  EXPECT_MESSAGE(UsageError, "kernel=rows is a word, where a whole number is asked for", c.integer("kernel"));
  EXPECT_MESSAGE(UsageError, "group=128 is a whole number, where true or false is asked for", c.flag("group"));
  EXPECT_MESSAGE(UsageError, "unrolled=true is true or false, where a word is asked for", c.word("unrolled"));
  EXPECT_MESSAGE(UsageError, "group is given twice", Configuration({{"group", true}, {"group", true}}));
}

TEST(Configuration, EqualityAndHashLookAtPairsNotAtTheirOrder) {
  const Configuration a = sample();
  Configuration b({{"kernel", std::string("rows")}, {"group", std::int64_t{128}}, {"unrolled", true}});
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.hash(), b.hash());
  b.set("group", std::int64_t{64});
  EXPECT_NE(a, b);
  EXPECT_EQ(b.values()[1].first, "group") << "a value that is replaced keeps its place";
  b.set("group", std::int64_t{128});
  b.set("more", false);
  EXPECT_NE(a, b);
  EXPECT_NE(Configuration({{"x", true}}), Configuration({{"x", std::int64_t{1}}}));
  std::unordered_set<Configuration> several;
  for (std::int64_t n = 0; n < 1000; ++n) several.insert(Configuration({{"a", n % 10}, {"b", n / 10}}));
  EXPECT_EQ(several.size(), 1000u);
}

}  // namespace
}  // namespace rtcg
