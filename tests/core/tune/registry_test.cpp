#include "rtcg/tune/registry.h"

#include <cmath>
#include <limits>

#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

TunableFamily family(const std::string& name) {
  TunableFamily result;
  result.name = name;
  result.traits = {{"border", "how images are extended", {"valid", "zero"}}, {"note", "any text", {}}};
  result.sizes = {{"height", "rows", 256}, {"width", "columns", 512}};
  result.describe = [](const Device&, const TunableFamily::Traits& traits, const TunableFamily::Sizes& sizes) {
    Tunable tunable;
    tunable.traits = traits, tunable.sizes = sizes;
    return tunable;
  };
  return result;
}

TEST(TunableRegistry, FindsFamiliesByNameInOrder) {
  TunableRegistry registry;
  registry.add(family("smooth"));
  registry.add(family("rough"));
  ASSERT_EQ(registry.families().size(), 2u);
  EXPECT_EQ(registry.families()[0].name, "rough");
  EXPECT_EQ(registry.find("smooth").name, "smooth");
  EXPECT_MESSAGE(UsageError, "there is no tunable family 'smoth'; there are: rough, smooth", registry.find("smoth"));
  EXPECT_MESSAGE(UsageError, "'rough' is there twice", registry.add(family("rough")));
  EXPECT_MESSAGE(UsageError, "no name of a tunable family", registry.add(family("a/b")));
  EXPECT_MESSAGE(UsageError, "there are: none", TunableRegistry().find("x"));
}

class TunableFamilyTest : public test::DeviceTest {};

TEST_P(TunableFamilyTest, CompletesProblemsAndRefusesWhatIsNotOfTheFamily) {
  const TunableFamily smooth = family("smooth");
  const Tunable tunable = smooth.make(device(), {{"note", "x"}}, {{"width", 3}});
  EXPECT_EQ(tunable.traits, (TunableFamily::Traits{{"border", "valid"}, {"note", "x"}}));
  EXPECT_EQ(tunable.sizes, (TunableFamily::Sizes{{"height", 256}, {"width", 3}}));
  EXPECT_MESSAGE(UsageError, "smooth has no trait 'bordr'; it has: border, note",
                 smooth.make(device(), {{"bordr", "zero"}}, {}));
  EXPECT_MESSAGE(UsageError, "border 'wrap' is none of valid, zero", smooth.make(device(), {{"border", "wrap"}}, {}));
  EXPECT_MESSAGE(UsageError, "smooth has no size 'depth'; it has: height, width",
                 smooth.make(device(), {}, {{"depth", 1}}));
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_MESSAGE(UsageError, "where it must be more than 0", smooth.make(device(), {}, {{"width", wrong}}));
  EXPECT_MESSAGE(UsageError, "more than any device holds", smooth.make(device(), {}, {{"width", 1e30}}));
}
RTCG_INSTANTIATE_FOR_DEVICES(TunableFamilyTest);

}  // namespace
}  // namespace rtcg
