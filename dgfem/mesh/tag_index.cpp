#include "dgfem/mesh/tag_index.h"

#include <algorithm>

namespace rtcg::dgfem {

std::int64_t TagIndex::assign(const std::vector<std::int64_t>& tags) {
  dense_.clear();
  sparse_.clear();
  first_ = 0;
  if (tags.empty()) return -1;
  const auto [low, high] = std::minmax_element(tags.begin(), tags.end());
  const auto span = static_cast<std::uint64_t>(*high) - static_cast<std::uint64_t>(*low);
  if (span / 8 <= tags.size()) {
    first_ = *low;
    dense_.assign(static_cast<std::size_t>(span) + 1, -1);
    for (std::size_t k = 0; k < tags.size(); ++k) {
      std::int32_t& place = dense_[static_cast<std::uint64_t>(tags[k]) - static_cast<std::uint64_t>(first_)];
      if (place >= 0) return static_cast<std::int64_t>(k);
      place = static_cast<std::int32_t>(k);
    }
    return -1;
  }
  sparse_.reserve(tags.size());
  for (std::size_t k = 0; k < tags.size(); ++k)
    if (!sparse_.emplace(tags[k], static_cast<std::int32_t>(k)).second) return static_cast<std::int64_t>(k);
  return -1;
}

}  // namespace rtcg::dgfem
