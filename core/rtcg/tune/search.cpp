#include "rtcg/tune/search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <unordered_map>

#include "rtcg/error.h"

namespace rtcg {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Strategy strategies[] = {Strategy::exhaustive, Strategy::random, Strategy::local, Strategy::annealing,
                                   Strategy::model};

/// Not std::shuffle and not the library's distributions: a seed is to mean one path everywhere.
template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& generator) {
  for (std::size_t n = items.size(); n > 1; --n) std::swap(items[n - 1], items[generator() % n]);
}
double unit(std::mt19937_64& generator) {
  return static_cast<double>(generator() >> 11) * 0x1p-53;
}

class ExhaustiveSearch : public Search {
 public:
  explicit ExhaustiveSearch(const ParameterSpace& space) : Search(space) {
    space.enumerate([this](const Configuration& configuration) {
      all_.push_back(configuration);
      if (all_.size() > most)
        throw UsageError(fmt::format("an exhaustive search of more than {} variants: choose another strategy", most));
      return true;
    });
  }

 private:
  static constexpr std::size_t most = 1000000;
  std::vector<Configuration> next(std::size_t count) override {
    std::vector<Configuration> result;
    for (; place_ < all_.size() && result.size() < count; ++place_)
      if (!is_known(all_[place_])) result.push_back(all_[place_]);
    return result;
  }
  std::vector<Configuration> all_;
  std::size_t place_ = 0;
};

class RandomSearch : public Search {
 public:
  RandomSearch(const ParameterSpace& space, std::uint64_t seed) : Search(space), generator_(seed) {}

 private:
  std::vector<Configuration> next(std::size_t count) override {
    std::vector<Configuration> result;
    std::unordered_set<Configuration> taken;
    for (std::size_t attempt = 0; attempt < 20 * count && result.size() < count; ++attempt)
      if (const auto found = fresh(generator_); found && taken.insert(*found).second) result.push_back(*found);
    return result;
  }
  std::mt19937_64 generator_;
};

/// What searches that move about share: the starts, and where they are.
class MovingSearch : public Search {
 protected:
  MovingSearch(const ParameterSpace& space, std::uint64_t seed, std::vector<Configuration> starts)
      : Search(space), generator_(seed), starts_(starts.begin(), starts.end()) {}

  std::vector<Configuration> next(std::size_t count) final {
    std::vector<Configuration> result;
    for (; !starts_.empty() && result.size() < count; starts_.pop_front())
      if (space_.objection(starts_.front()).empty() && !is_known(starts_.front()) &&
          std::find(result.begin(), result.end(), starts_.front()) == result.end())
        result.push_back(starts_.front());
    return result.empty() ? move(count) : result;
  }
  virtual std::vector<Configuration> move(std::size_t count) = 0;

  std::mt19937_64 generator_;
  std::deque<Configuration> starts_;
};

class LocalSearch : public MovingSearch {
 public:
  LocalSearch(const ParameterSpace& space, std::uint64_t seed, std::vector<Configuration> starts)
      : MovingSearch(space, seed, std::move(starts)) {}

 private:
  std::vector<Configuration> move(std::size_t count) override {
    if (ahead_.empty() && improved_) look_around();
    std::vector<Configuration> result;
    for (; !ahead_.empty() && result.size() < count; ahead_.pop_back())
      if (!is_known(ahead_.back())) result.push_back(ahead_.back());
    if (!result.empty()) return result;
    if (improved_) return move(count);
    // A local optimum: from a random place again.
    here_seconds_ = infinite;
    const auto place = fresh(generator_);
    return place ? std::vector{*place} : std::vector<Configuration>{};
  }
  void learn(const Configuration& configuration, std::optional<double> seconds) override {
    if (!seconds || *seconds >= here_seconds_) return;
    here_ = configuration, here_seconds_ = *seconds, improved_ = true;
    ahead_.clear();  // what is left are neighbours of a worse place
  }
  void look_around() {
    improved_ = false;
    ahead_ = space_.neighbours(here_);
    shuffle(ahead_, generator_);
  }

  Configuration here_;
  double here_seconds_ = infinite;
  bool improved_ = false;
  std::vector<Configuration> ahead_;
};

class AnnealingSearch : public MovingSearch {
 public:
  AnnealingSearch(const ParameterSpace& space, std::uint64_t seed, std::vector<Configuration> starts, std::size_t steps)
      : MovingSearch(space, seed, std::move(starts)), steps_(std::max<std::size_t>(steps, 1)) {}

 private:
  std::vector<Configuration> move(std::size_t) override {
    for (int attempt = 0; attempt < 50; ++attempt) {
      if (here_.empty()) break;
      const std::vector<Configuration> around = space_.neighbours(here_);
      if (around.empty()) break;
      const Configuration& chosen = around[generator_() % around.size()];
      if (!is_known(chosen)) return {chosen};
      // Known ground is walked over without timing it again.
      if (const auto found = times_.find(chosen); found != times_.end()) step(chosen, found->second);
    }
    const auto place = fresh(generator_);
    return place ? std::vector{*place} : std::vector<Configuration>{};
  }
  void learn(const Configuration& configuration, std::optional<double> seconds) override {
    ++done_;
    if (!seconds) return;
    times_[configuration] = *seconds;
    step(configuration, *seconds);
  }
  /// Relative times, so that the temperature means the same for every problem: from 30 % worse down to 1 %.
  void step(const Configuration& configuration, double seconds) {
    const double cooled = std::min(1.0, static_cast<double>(done_) / static_cast<double>(steps_));
    const double temperature = 0.3 * std::pow(0.01 / 0.3, cooled);
    if (here_.empty() || seconds <= here_seconds_ ||
        unit(generator_) < std::exp(-(seconds / here_seconds_ - 1) / temperature))
      here_ = configuration, here_seconds_ = seconds;
  }

  std::size_t steps_, done_ = 0;
  Configuration here_;
  double here_seconds_ = infinite;
  std::unordered_map<Configuration, double> times_;
};

/// Nearest neighbours: the logarithm of the time is predicted as the mean over the nearest configurations known,
/// weighted by nearness; how far they are is how little is known, and draws the search there.
class ModelSearch : public MovingSearch {
 public:
  ModelSearch(const ParameterSpace& space, std::uint64_t seed, std::vector<Configuration> starts)
      : MovingSearch(space, seed, std::move(starts)) {}

 private:
  static constexpr std::size_t first_look = 8, nearest = 5, candidates = 300;
  struct Point {
    std::vector<double> place;
    double value;  ///< logarithm of the seconds; infinite when it failed
  };

  std::vector<Configuration> move(std::size_t count) override {
    std::vector<Configuration> pool;
    std::unordered_set<Configuration> taken;
    const auto consider = [&](const Configuration& configuration) {
      if (!is_known(configuration) && taken.insert(configuration).second) pool.push_back(configuration);
    };
    const bool looks_first = points_.size() < first_look;
    for (std::size_t n = 0; n < (looks_first ? count : candidates); ++n)
      if (const auto found = fresh(generator_)) consider(*found);
    if (looks_first) return pool;
    if (!best_.empty())
      for (const Configuration& neighbour : space_.neighbours(best_)) consider(neighbour);
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t n = 0; n < pool.size(); ++n) order.emplace_back(promise(pool[n]), n);
    std::sort(order.begin(), order.end());
    std::vector<Configuration> result;
    for (std::size_t n = 0; n < std::min(count, order.size()); ++n) result.push_back(pool[order[n].second]);
    return result;
  }
  void learn(const Configuration& configuration, std::optional<double> seconds) override {
    const double value = seconds ? std::log(*seconds) : infinite;
    points_.push_back({place_of(configuration), value});
    if (!seconds) return;
    slowest_ = best_.empty() ? value : std::max(slowest_, value);
    if (value < best_value_) best_ = configuration, best_value_ = value;
  }
  /// Each parameter's value by its rank, between 0 and 1; words are all equally far from each other.
  std::vector<double> place_of(const Configuration& configuration) const {
    std::vector<double> place;
    for (const ParameterSpace::Parameter& parameter : space_.parameters()) {
      const ParameterValue* value = configuration.find(parameter.name);
      const auto rank = static_cast<double>(std::find(parameter.values.begin(), parameter.values.end(), *value) -
                                            parameter.values.begin());
      const bool is_word = std::holds_alternative<std::string>(*value);
      place.push_back(is_word ? 1000 + rank : rank / std::max(1.0, static_cast<double>(parameter.values.size()) - 1));
    }
    return place;
  }
  static double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t n = 0; n < a.size(); ++n) sum += std::min(1.0, std::abs(a[n] - b[n]));
    return sum;
  }
  double promise(const Configuration& configuration) const {
    const std::vector<double> place = place_of(configuration);
    std::vector<std::pair<double, double>> near;  // distance and value
    // A failure counts as a slow variant, because its neighbours probably fail too; but no more than that, however many
    // there are.
    for (const Point& point : points_)
      near.emplace_back(distance(place, point.place), std::min(point.value, slowest_ + 1));
    const std::size_t used = std::min(nearest, near.size());
    std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(used), near.end());
    double weights = 0, mean = 0;
    for (std::size_t n = 0; n < used; ++n) {
      const double weight = 1 / (0.1 + near[n].first);
      weights += weight, mean += weight * near[n].second;
    }
    return mean / weights - 0.1 * near.front().first;
  }

  std::vector<Point> points_;
  Configuration best_;
  double best_value_ = infinite, slowest_ = 0;
};

}  // namespace

const char* to_text(Strategy strategy) {
  switch (strategy) {
    case Strategy::exhaustive:
      return "exhaustive";
    case Strategy::random:
      return "random";
    case Strategy::local:
      return "local";
    case Strategy::annealing:
      return "annealing";
    default:
      return "model";
  }
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Strategy strategy : strategies) names.emplace_back(to_text(strategy));
  return names;
}

Strategy parse_strategy(std::string_view name) {
  for (const Strategy strategy : strategies)
    if (name == to_text(strategy)) return strategy;
  throw UsageError(fmt::format("no strategy is called '{}'; there are {}", name, fmt::join(strategy_names(), ", ")));
}

bool Search::is_known(const Configuration& configuration) const {
  return known_.contains(configuration);
}

std::optional<Configuration> Search::fresh(std::mt19937_64& generator) const {
  for (int attempt = 0; attempt < 300; ++attempt)
    if (Configuration configuration = space_.random(generator); !is_known(configuration)) return configuration;
  return std::nullopt;
}

std::vector<Configuration> Search::propose(std::size_t count) {
  std::vector<Configuration> proposals = next(std::max<std::size_t>(count, 1));
  for (const Configuration& configuration : proposals) known_.insert(configuration);
  return proposals;
}

void Search::tell(const Configuration& configuration, std::optional<double> seconds) {
  known_.insert(configuration);
  learn(configuration, seconds);
}

std::unique_ptr<Search> make_search(Strategy strategy, const ParameterSpace& space, std::uint64_t seed,
                                    std::vector<Configuration> starts, std::size_t steps) {
  switch (strategy) {
    case Strategy::exhaustive:
      return std::make_unique<ExhaustiveSearch>(space);
    case Strategy::random:
      return std::make_unique<RandomSearch>(space, seed);
    case Strategy::local:
      return std::make_unique<LocalSearch>(space, seed, std::move(starts));
    case Strategy::annealing:
      return std::make_unique<AnnealingSearch>(space, seed, std::move(starts), steps);
    default:
      return std::make_unique<ModelSearch>(space, seed, std::move(starts));
  }
}

}  // namespace rtcg
