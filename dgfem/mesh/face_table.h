// Every face of every element, sorted by its vertices, so that equal ones stand together.
#pragma once

#include <span>

#include "dgfem/mesh/mesh.h"

namespace rtcg::dgfem {

class FaceTable {
 public:
  struct Entry {
    std::int32_t second, third;  // of the sorted vertices; third -1 for edges
    std::uint32_t side;          // element x faces + face
  };
  using Key = std::array<std::int32_t, 3>;  // sorted; for edges -1 at the end

  explicit FaceTable(const Mesh& mesh);

  Key key(std::uint32_t side) const;
  /// Calls visit(span) for each run of entries with the same vertices.
  template <class Visit>
  void for_each_face(const Visit& visit) const {
    for (std::size_t v = 0; v + 1 < start_.size(); ++v)
      for (std::size_t begin = start_[v], end = begin; begin < start_[v + 1]; begin = end) {
        while (end < start_[v + 1] && same(entries_[begin], entries_[end])) ++end;
        visit(std::span<const Entry>(entries_).subspan(begin, end - begin));
      }
  }
  /// The run of these vertices, in any order; empty when no element has such a face.
  std::span<const Entry> find(Key vertices) const;
  /// The element's vertices on a side, ascending by local number; -1 behind the last.
  Key vertices(std::uint32_t side) const;
  static Key sorted(Key vertices, int count);

 private:
  static bool same(const Entry& a, const Entry& b) { return a.second == b.second && a.third == b.third; }

  const Mesh& mesh_;
  std::vector<std::uint64_t> start_;  // by first vertex
  std::vector<Entry> entries_;
};

}  // namespace rtcg::dgfem
