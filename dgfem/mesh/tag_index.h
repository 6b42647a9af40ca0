// From the numbers a file gives its points, which may have gaps, start anywhere and come in any order, to indices.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rtcg::dgfem {

class TagIndex {
 public:
  /// Index of the first tag that has come before, or -1: then all are known.
  std::int64_t assign(const std::vector<std::int64_t>& tags);
  /// -1 for a tag that there is not.
  std::int32_t find(std::int64_t tag) const {
    if (sparse_.empty()) {
      const auto offset = static_cast<std::uint64_t>(tag) - static_cast<std::uint64_t>(first_);
      return offset < dense_.size() ? dense_[offset] : -1;
    }
    const auto place = sparse_.find(tag);
    return place == sparse_.end() ? -1 : place->second;
  }

 private:
  std::int64_t first_ = 0;
  std::vector<std::int32_t> dense_;
  std::unordered_map<std::int64_t, std::int32_t> sparse_;
};

}  // namespace rtcg::dgfem
