#include "dgfem/mesh/face_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "rtcg/error.h"

namespace rtcg::dgfem {

FaceTable::FaceTable(const Mesh& mesh) : mesh_(mesh), start_(static_cast<std::size_t>(mesh.vertices) + 1, 0) {
  const std::size_t sides = mesh.size() * static_cast<std::size_t>(faces_of(mesh.type));
  if (sides > std::numeric_limits<std::uint32_t>::max())
    throw InputError(fmt::format("{} elements are more than can be connected", mesh.size()));
  // Sorted by first vertex by counting, then within these short runs.
  for (std::uint32_t side = 0; side < sides; ++side) ++start_[static_cast<std::size_t>(key(side)[0]) + 1];
  for (std::size_t v = 1; v < start_.size(); ++v) start_[v] += start_[v - 1];
  entries_.resize(sides);
  std::vector<std::uint64_t> next(start_.begin(), start_.end() - 1);
  for (std::uint32_t side = 0; side < sides; ++side) {
    const Key k = key(side);
    entries_[next[static_cast<std::size_t>(k[0])]++] = {k[1], k[2], side};
  }
  for (std::size_t v = 0; v + 1 < start_.size(); ++v)
    std::sort(
        entries_.begin() + static_cast<std::ptrdiff_t>(start_[v]),
        entries_.begin() + static_cast<std::ptrdiff_t>(start_[v + 1]), [](const Entry& a, const Entry& b) {
          return a.second != b.second ? a.second < b.second : a.third != b.third ? a.third < b.third : a.side < b.side;
        });
}

FaceTable::Key FaceTable::sorted(Key vertices, int count) {
  auto& [a, b, c] = vertices;
  if (a > b) std::swap(a, b);
  if (count > 2 && b > c) std::swap(b, c);
  if (a > b) std::swap(a, b);
  return vertices;
}

FaceTable::Key FaceTable::vertices(std::uint32_t side) const {
  const auto faces = static_cast<std::uint32_t>(faces_of(mesh_.type));
  const std::int32_t* element = mesh_.element(side / faces);
  Key result{-1, -1, -1};
  const std::array<int, 3> local = face_vertices(mesh_.type, static_cast<int>(side % faces));
  for (unsigned m = 0; m < static_cast<unsigned>(mesh_.dimension()); ++m) result[m] = element[local[m]];
  return result;
}

FaceTable::Key FaceTable::key(std::uint32_t side) const {
  return sorted(vertices(side), mesh_.dimension());
}

std::span<const FaceTable::Entry> FaceTable::find(Key vertices) const {
  const Key key = sorted(vertices, mesh_.dimension());
  const auto first = static_cast<std::size_t>(key[0]);
  const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(start_[first]),
             end = entries_.begin() + static_cast<std::ptrdiff_t>(start_[first + 1]);
  const auto [low, high] = std::equal_range(begin, end, Entry{key[1], key[2], 0}, [](const Entry& a, const Entry& b) {
    return a.second != b.second ? a.second < b.second : a.third < b.third;
  });
  return std::span(low, high);
}

}  // namespace rtcg::dgfem
