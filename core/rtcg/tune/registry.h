// The families that can be tuned by name, so that a command line can make the tuning description of a problem from its
// traits and sizes. Each library adds its own to the registry it is given: nothing registers itself behind one's back.
//
//   TunableRegistry registry;
//   add_array_tunables(registry);
//   vision::add_filterbank(registry);
//   Tunable problem = registry.find("filterbank").make(device, {{"border", "zero"}}, {{"height", 512}});
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rtcg/device/device.h"
#include "rtcg/tune/tunable.h"

namespace rtcg {

struct TunableFamily {
  struct Trait {
    std::string name, meaning;
    std::vector<std::string> values;  ///< allowed ones, the first is the default; empty: any text
  };
  struct Size {
    std::string name, meaning;
    double standard = 1;  ///< the default
  };
  using Traits = std::map<std::string, std::string>;
  using Sizes = std::map<std::string, double>;

  std::string name;     ///< Tunable::family
  std::string meaning;  ///< one line for `rtcg tune list`
  std::vector<Trait> traits;
  std::vector<Size> sizes;
  /// Gets every trait and size of the lists above. May throw UsageError for a combination that makes no sense.
  std::function<Tunable(const Device&, const Traits&, const Sizes&)> describe;

  /// Completes what is left out by the defaults. UsageError for an unknown name (naming those there are), a value that
  /// is not allowed, or a size that is not positive and finite.
  Tunable make(const Device& device, const Traits& traits, const Sizes& sizes) const;
};

class TunableRegistry {
 public:
  /// UsageError for a family that is there already or that is no file name.
  void add(TunableFamily family);
  /// UsageError listing what there is.
  const TunableFamily& find(const std::string& name) const;
  const std::vector<TunableFamily>& families() const { return families_; }  ///< by name

 private:
  std::vector<TunableFamily> families_;
};

}  // namespace rtcg
