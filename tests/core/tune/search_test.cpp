#include "rtcg/tune/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

using std::int64_t;

/// 4 x 8 x 8 x 2 with a constraint; 288 of 512 hold.
ParameterSpace sample() {
  ParameterSpace space;
  std::vector<ParameterValue> powers;
  for (int64_t n = 1; n <= 128; n *= 2) powers.emplace_back(n);
  space.parameter("kernel", {std::string("a"), std::string("b"), std::string("c"), std::string("d")}, std::string("a"))
      .parameter("rows", powers, int64_t{1})
      .parameter("columns", powers, int64_t{1})
      .parameter("unrolled", {false, true}, false)
      .constraint("at most 128 items", {"rows", "columns"},
                  [](const Configuration& c) { return c.integer("rows") * c.integer("columns") <= 128; });
  return space;
}

/// Smooth with a single least time at kernel c, 8 x 16, unrolled.
double seconds(const Configuration& c) {
  const double rows = std::log2(static_cast<double>(c.integer("rows"))) - 3;
  const double columns = std::log2(static_cast<double>(c.integer("columns"))) - 4;
  return 1e-3 * (1 + rows * rows + columns * columns) * (c.word("kernel") == "c" ? 1 : 2) *
         (c.flag("unrolled") ? 1 : 1.2);
}

struct Walk {
  std::vector<Configuration> path;
  double best = 1e9;
};

Walk walk(Strategy strategy, std::uint64_t seed, std::size_t most, std::size_t batch = 4) {
  const ParameterSpace space = sample();
  const auto search = make_search(strategy, space, seed, {}, most);
  Walk result;
  search->tell(space.standard(), seconds(space.standard()));
  result.path.push_back(space.standard());
  while (result.path.size() < most) {
    const std::vector<Configuration> proposals = search->propose(batch);
    if (proposals.empty()) break;
    EXPECT_LE(proposals.size(), batch);
    for (const Configuration& configuration : proposals) {
      result.path.push_back(configuration);
      // Some fail, never the best.
      const bool fails = configuration.hash() % 11 == 0 && seconds(configuration) > 1.5e-3;
      search->tell(configuration, fails ? std::nullopt : std::optional(seconds(configuration)));
      if (!fails) result.best = std::min(result.best, seconds(configuration));
    }
  }
  return result;
}

constexpr Strategy all[] = {Strategy::exhaustive, Strategy::random, Strategy::local, Strategy::annealing,
                            Strategy::model};

TEST(Search, NeverLeavesTheSpaceAndNeverRepeats) {
  const ParameterSpace space = sample();
  for (const Strategy strategy : all) {
    std::map<std::string, int> times;
    for (const Configuration& configuration : walk(strategy, 3, 150).path) {
      EXPECT_EQ(space.objection(configuration), "") << to_text(strategy);
      EXPECT_EQ(++times[configuration.text()], 1) << to_text(strategy) << ' ' << configuration.text();
    }
    EXPECT_GE(times.size(), 150u) << to_text(strategy);
  }
}

TEST(Search, TheSameSeedTakesTheSamePathAndAnotherSeedAnother) {
  for (const Strategy strategy : all) {
    EXPECT_EQ(walk(strategy, 3, 60).path, walk(strategy, 3, 60).path) << to_text(strategy);
    const bool is_drawn = strategy != Strategy::exhaustive;
    EXPECT_EQ(walk(strategy, 3, 60).path != walk(strategy, 4, 60).path, is_drawn) << to_text(strategy);
  }
}

TEST(Search, AnExhaustiveOneVisitsEverythingOnceAndEnds) {
  const Walk all_of_it = walk(Strategy::exhaustive, 1, 10000);
  EXPECT_EQ(all_of_it.path.size(), 288u);
  EXPECT_EQ(all_of_it.best, 1e-3);
}

TEST(Search, GuidedOnesFindTheBestInAFractionOfTheSpace) {
  for (const Strategy strategy : {Strategy::local, Strategy::annealing, Strategy::model}) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) found += walk(strategy, seed, 100).best == 1e-3;
    EXPECT_GE(found, 7) << to_text(strategy);
  }
}

TEST(Search, TheModelIsNotMisledByManyFailures) {
  const ParameterSpace space = sample();
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto search = make_search(Strategy::model, space, seed);
    search->tell(space.standard(), seconds(space.standard()));
    std::mt19937_64 coin(seed);
    for (std::size_t tried = 1; tried < 100;)
      for (const Configuration& configuration : search->propose(4)) {
        ++tried;
        const bool fails = coin() % 2 == 0 && seconds(configuration) > 1.5e-3;
        search->tell(configuration, fails ? std::nullopt : std::optional(seconds(configuration)));
        found += seconds(configuration) == 1e-3;
      }
  }
  EXPECT_GE(found, 13);
}

TEST(Search, StartsComeFirst) {
  const ParameterSpace space = sample();
  Configuration start = space.standard(), foreign = space.standard();
  start.set("kernel", std::string("d"));
  foreign.set("rows", int64_t{3});
  for (const Strategy strategy : {Strategy::local, Strategy::annealing, Strategy::model})
    EXPECT_EQ(make_search(strategy, space, 1, {foreign, start, start})->propose(8), std::vector{start})
        << to_text(strategy);
}

TEST(Search, StrategiesAreKnownByName) {
  for (const Strategy strategy : all) EXPECT_EQ(parse_strategy(to_text(strategy)), strategy);
  EXPECT_EQ(strategy_names().size(), std::size(all));
  EXPECT_MESSAGE(UsageError, "no strategy is called 'luck'; there are exhaustive, random", parse_strategy("luck"));
}

TEST(ParameterSpace, EnumeratesInOrderAndStopsWhenAsked) {
  const ParameterSpace space = sample();
  std::vector<Configuration> found;
  space.enumerate([&](const Configuration& configuration) {
    found.push_back(configuration);
    return found.size() < 5;
  });
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0].text(), "kernel=a rows=1 columns=1 unrolled=false");
  EXPECT_EQ(found[1].text(), "kernel=a rows=1 columns=1 unrolled=true");
  EXPECT_EQ(found[2].text(), "kernel=a rows=1 columns=2 unrolled=false");
  EXPECT_EQ(space.product(), 512);
}

TEST(ParameterSpace, LargeSpacesWithFewMembersAreWalkedQuickly) {
  ParameterSpace space;
  for (int n = 0; n < 30; ++n)
    space.parameter(fmt::format("p{}", n), {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{3}}, int64_t{0});
  for (int n = 1; n < 30; ++n) {
    const std::string here = fmt::format("p{}", n), before = fmt::format("p{}", n - 1);
    space.constraint("all alike", {here, before},
                     [here, before](const Configuration& c) { return c.integer(here) == c.integer(before); });
  }
  int count = 0;
  space.enumerate([&](const Configuration&) { return ++count > 0; });
  EXPECT_EQ(count, 4);
  std::mt19937_64 generator(1);
  std::map<int64_t, int> seen;
  for (int n = 0; n < 40; ++n) ++seen[space.random(generator).integer("p7")];
  EXPECT_EQ(seen.size(), 4u);
}

TEST(ParameterSpace, NeighboursDifferInOneParameterOrGoBackToDefaultsForAConstraint) {
  const ParameterSpace space = sample();
  const std::vector<Configuration> around = space.neighbours(space.standard());
  EXPECT_EQ(around.size(), 3u + 7 + 7 + 1);
  ParameterSpace kernels;
  kernels.parameter("kernel", {std::string("a"), std::string("b")}, std::string("a"))
      .parameter("a.rows", {int64_t{1}, int64_t{2}}, int64_t{1})
      .parameter("b.rows", {int64_t{1}, int64_t{2}}, int64_t{1});
  for (const std::string own : {"a", "b"})
    kernels.constraint(
        own + ".rows belongs to another kernel", {"kernel", own + ".rows"},
        [own](const Configuration& c) { return c.word("kernel") == own || c.integer(own + ".rows") == 1; });
  Configuration tuned = kernels.standard(), other = kernels.standard();
  tuned.set("a.rows", int64_t{2});
  other.set("kernel", std::string("b"));
  const std::vector<Configuration> next = kernels.neighbours(tuned);
  EXPECT_NE(std::find(next.begin(), next.end(), other), next.end()) << "b with a's parameters at their defaults";
}

TEST(Search, GoesOnWhereEverythingFails) {
  const ParameterSpace space = sample();
  for (const std::string& name : strategy_names()) {
    const auto search = make_search(parse_strategy(name), space, 1);
    std::size_t tried = 0;
    for (auto batch = search->propose(16); !batch.empty() && tried < 100; batch = search->propose(16))
      for (const Configuration& configuration : batch) {
        search->tell(configuration, std::nullopt);
        ++tried;
      }
    EXPECT_GE(tried, 100u) << name;
  }
}

}  // namespace
}  // namespace rtcg
