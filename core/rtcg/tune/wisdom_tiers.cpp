#include "rtcg/tune/wisdom_tiers.h"

#include <algorithm>
#include <system_error>

#include "rtcg/environment.h"

namespace rtcg {

namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& directory) {
  return std::mismatch(directory.begin(), directory.end(), path.begin(), path.end()).first == directory.end();
}

}  // namespace

fs::path shipped_wisdom_directory() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  std::vector<fs::path> places;
  // An older installation must not answer for a tree that is being worked on.
  if (!error && is_below(program, RTCG_BUILD_DIRECTORY)) places.emplace_back(RTCG_SOURCE_WISDOM);
  if (!error) places.push_back(program.parent_path().parent_path() / RTCG_RELATIVE_WISDOM);
  places.emplace_back(RTCG_INSTALLED_WISDOM);
  for (const fs::path& place : places)
    if (fs::is_directory(place, error)) return place;
  return {};
}

std::vector<WisdomTier> wisdom_tiers() {
  const Environment& e = environment();
  std::vector<WisdomTier> tiers;
  if (!e.wisdom_enabled) return tiers;
  if (!e.wisdom_directory.empty()) tiers.push_back({"user", e.wisdom_directory, true});
  for (const fs::path& directory : e.site_wisdom) tiers.push_back({"site", directory, false});
  if (const fs::path directory = shipped_wisdom_directory(); !directory.empty())
    tiers.push_back({"shipped", directory, false});
  return tiers;
}

}  // namespace rtcg
