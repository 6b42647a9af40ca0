// Where wisdom lies: the user's own directory, which is written; the site's, read only; and what the suite ships, made
// by real runs. The first tier's word counts before the later ones'. The only place that knows these directories.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rtcg {

struct WisdomTier {
  std::string name;  ///< "user", "site", "shipped"
  std::filesystem::path directory;
  bool is_writable = false;
};

/// After environment(): the user's, the site's in their order, the shipped one. Empty with RTCG_WISDOM=0.
std::vector<WisdomTier> wisdom_tiers();

/// data/wisdom of the source tree for a program inside the build tree, else share/rtcg/wisdom beside the program's own
/// directory, else below the prefix the suite was configured for. Empty when none of them is there.
std::filesystem::path shipped_wisdom_directory();

}  // namespace rtcg
