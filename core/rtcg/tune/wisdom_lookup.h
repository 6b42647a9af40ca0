// Which remembered configuration answers a question: the chain exact, nearest size, architecture, standard. A pure
// function of the question and of what the tiers' files hold; wisdom.h remembers its answers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rtcg/tune/wisdom_file.h"

namespace rtcg {

/// Which link of the chain answered.
enum class WisdomLink : std::uint8_t {
  exact,         ///< this device, driver and compiler, these sizes
  nearest,       ///< this device; sizes, driver or compiler differ
  architecture,  ///< another device of the same architecture
  standard,      ///< nothing fitting is known: the default
};
const char* to_text(WisdomLink link);

struct WisdomQuestion {
  std::string family;
  int version = 1;
  WisdomDevice device;
  std::map<std::string, std::string> traits;  ///< must be equal
  std::map<std::string, double> sizes;        ///< the names must be equal
  Configuration standard;                     ///< the default
  /// Why a configuration cannot be used here (unknown value, violated constraint, too much local memory); empty: it
  /// can.
  std::function<std::string(const Configuration&)> objection;
};

/// A record and where it stands.
struct WisdomSource {
  WisdomRecord record;
  std::string tier;  ///< "user", "site", "shipped"
  std::filesystem::path file;
  std::size_t line = 0;
};

struct Selection {
  Configuration configuration;
  WisdomLink link = WisdomLink::standard;
  double distance = 0;                         ///< between the record's sizes and the asked ones, in factors of two
  std::shared_ptr<const WisdomSource> source;  ///< null for the default
  std::vector<std::string> passed_over;        ///< "path:line: reason" of better matches that cannot be used

  /// "nearest: height=256 width=1024, 1.5 factors of two away, from /path/smooth.jsonl:7 (user)"
  std::string text() const;
};

struct TierFile {
  std::string tier;
  WisdomFile file;
};

/// Root of the summed squares of the binary logarithms of the sizes' ratios; infinity when the names differ or one of
/// two different sizes is 0. Three sizes that are twice as large are sqrt(3) away.
double size_distance(const std::map<std::string, double>& a, const std::map<std::string, double>& b);

/// Records farther than this say nothing: 16 times in one size, 4 times in each of four.
inline constexpr double farthest_sizes = 4;
/// Another driver or compiler counts like sizes that are this far off.
inline constexpr double other_driver = 0.5;

/// Of equally near records the earlier tier's, then the later line's answers. Only verified records of this family,
/// version and these traits count.
Selection look_up(const WisdomQuestion& question, std::span<const TierFile> files);

}  // namespace rtcg
