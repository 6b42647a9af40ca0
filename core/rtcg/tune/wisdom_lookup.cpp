#include "rtcg/tune/wisdom_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace rtcg {

namespace {

struct Match {
  WisdomLink link = WisdomLink::standard;
  double distance = 0, cost = 0;  ///< of the sizes alone, and with the driver's share
  std::size_t tier = 0;
  const WisdomEntry* entry = nullptr;

  friend bool operator<(const Match& a, const Match& b) {
    return std::tuple(a.link, a.cost, a.tier, b.entry->line) < std::tuple(b.link, b.cost, b.tier, a.entry->line);
  }
};

/// How the record answers; standard when it does not.
Match match(const WisdomQuestion& question, const WisdomEntry& entry, std::size_t tier) {
  const WisdomRecord& record = entry.record;
  const WisdomDevice &here = question.device, &there = record.device;
  Match result{.tier = tier, .entry = &entry};
  if (record.family != question.family || record.version != question.version || !record.verified ||
      here.architecture != there.architecture || here.backend != there.backend || record.traits != question.traits)
    return result;
  result.distance = size_distance(record.sizes, question.sizes);
  if (result.distance > farthest_sizes) return result;
  const bool same_driver = here.driver == there.driver && here.compiler == there.compiler;
  result.cost = result.distance + (same_driver ? 0 : other_driver);
  if (here.name != there.name)
    result.link = WisdomLink::architecture;
  else
    result.link = result.cost == 0 ? WisdomLink::exact : WisdomLink::nearest;
  return result;
}

}  // namespace

const char* to_text(WisdomLink link) {
  switch (link) {
    case WisdomLink::exact:
      return "exact";
    case WisdomLink::nearest:
      return "nearest";
    case WisdomLink::architecture:
      return "architecture";
    default:
      return "standard";
  }
}

double size_distance(const std::map<std::string, double>& a, const std::map<std::string, double>& b) {
  constexpr double none = std::numeric_limits<double>::infinity();
  if (a.size() != b.size()) return none;
  double sum = 0;
  for (auto left = a.begin(), right = b.begin(); left != a.end(); ++left, ++right) {
    if (left->first != right->first) return none;
    if (left->second == right->second) continue;
    if (!(left->second > 0) || !(right->second > 0)) return none;
    const double octaves = std::log2(left->second / right->second);
    sum += octaves * octaves;
  }
  return std::sqrt(sum);
}

Selection look_up(const WisdomQuestion& question, std::span<const TierFile> files) {
  std::vector<Match> matches;
  for (std::size_t tier = 0; tier < files.size(); ++tier)
    for (const WisdomEntry& entry : files[tier].file.entries)
      if (const Match found = match(question, entry, tier); found.link != WisdomLink::standard)
        matches.push_back(found);
  std::sort(matches.begin(), matches.end());

  Selection selection;
  for (const Match& found : matches) {
    const TierFile& source = files[found.tier];
    if (const std::string objection = question.objection(found.entry->record.configuration); !objection.empty()) {
      selection.passed_over.push_back(
          fmt::format("{}:{}: {}", source.file.path.string(), found.entry->line, objection));
      continue;
    }
    selection.configuration = found.entry->record.configuration;
    selection.link = found.link;
    selection.distance = found.distance;
    selection.source = std::make_shared<const WisdomSource>(
        WisdomSource{found.entry->record, source.tier, source.file.path, found.entry->line});
    return selection;
  }
  selection.configuration = question.standard;
  return selection;
}

std::string Selection::text() const {
  if (!source) return "standard: nothing that fits is known";
  const WisdomRecord& record = source->record;
  std::string result = fmt::format("{}: {}", to_text(link), record.problem_text());
  if (distance > 0) result += fmt::format(", {:.2g} factors of two away", distance);
  if (link == WisdomLink::architecture) result += ", on " + record.device.name;
  if (link == WisdomLink::nearest && distance == 0) result += ", with driver " + record.device.driver;
  return result + fmt::format(", from {}:{} ({})", source->file.string(), source->line, source->tier);
}

}  // namespace rtcg
