// Ways through a parameter space. A search proposes configurations and is told what each came to; it knows neither
// devices nor clocks. The same seed and the same answers give the same path, which is what makes a search resumable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "rtcg/tune/space.h"

namespace rtcg {

enum class Strategy : std::uint8_t {
  exhaustive,  ///< every configuration in order
  random,      ///< uniformly, none twice
  local,       ///< to a better neighbour while there is one, then from a random place again
  annealing,   ///< to a neighbour, and now and then to a worse one, less often as the search goes on
  model,       ///< to what the times of the nearest configurations known promise
};
const char* to_text(Strategy strategy);
/// UsageError listing what there is.
Strategy parse_strategy(std::string_view name);
std::vector<std::string> strategy_names();

class Search {
 public:
  virtual ~Search() = default;
  /// At most `count` configurations of the space, none of them proposed before; fewer when the next step needs answers
  /// first; none when the search is at its end. All of the previous ones have been answered.
  std::vector<Configuration> propose(std::size_t count);
  /// No seconds: it did not work. Also takes what was never proposed, such as the default.
  void tell(const Configuration& configuration, std::optional<double> seconds);

 protected:
  explicit Search(const ParameterSpace& space) : space_(space) {}
  virtual std::vector<Configuration> next(std::size_t count) = 0;
  virtual void learn(const Configuration&, std::optional<double>) {}
  bool is_known(const Configuration& configuration) const;
  /// One that is not known, or none after many attempts.
  std::optional<Configuration> fresh(std::mt19937_64& generator) const;

  const ParameterSpace& space_;
  std::unordered_set<Configuration> known_;  ///< proposed or told
};

/// `starts`, from earlier searches of the family on similar problems, are proposed first by local, annealing and model;
/// `steps` is how many variants the search may take, by which annealing cools.
std::unique_ptr<Search> make_search(Strategy strategy, const ParameterSpace& space, std::uint64_t seed,
                                    std::vector<Configuration> starts = {}, std::size_t steps = 200);

}  // namespace rtcg
