#include "dgfem/mesh/connectivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "dgfem/lattice.h"
#include "dgfem/mesh/coincidence.h"
#include "dgfem/mesh/face_table.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

/// Counts things of one kind and keeps the first's place.
struct Tally {
  std::size_t count = 0;
  Point first{};

  void add(const Point& at) {
    if (count++ == 0) first = at;
  }
  std::string at() const { return fmt::format("first at ({:g}, {:g}, {:g})", first[0], first[1], first[2]); }
};

class Connector {
 public:
  Connector(const Mesh& mesh, Findings& findings)
      : mesh_(mesh), findings_(findings), table_(mesh), faces_(static_cast<std::uint32_t>(faces_of(mesh.type))) {}

  Connectivity run() {
    const std::size_t sides = mesh_.size() * faces_;
    result_.type = mesh_.type;
    result_.neighbour.assign(sides, -1);
    result_.neighbour_face.assign(sides, -1);
    result_.orientation.assign(sides, 0);
    result_.boundary.assign(sides, -1);
    match();
    name_faces();
    join_periodic();
    count_boundary();
    find_unmerged();
    return std::move(result_);
  }

 private:
  using Key = FaceTable::Key;

  Point place(std::uint32_t side) const {
    const Key vertices = table_.vertices(side);
    Point sum{};
    for (int m = 0; m < mesh_.dimension(); ++m)
      for (unsigned d = 0; d < 3; ++d)
        sum[d] += mesh_.points[static_cast<std::size_t>(vertices[static_cast<unsigned>(m)])][d] / mesh_.dimension();
    return sum;
  }
  std::int32_t opposite(std::uint32_t side) const {
    return mesh_.element(side / faces_)[opposite_vertex(mesh_.type, static_cast<int>(side % faces_))];
  }

  void match() {
    Tally repeated, branching, folded;
    table_.for_each_face([&](std::span<const FaceTable::Entry> run) {
      if (run.size() == 1) return;
      bool again = false;
      for (std::size_t a = 0; a + 1 < run.size(); ++a) again |= opposite(run[a].side) == opposite(run[a + 1].side);
      if (again) return repeated.add(place(run[0].side));
      if (run.size() > 2) return branching.add(place(run[0].side));
      const std::uint32_t a = run[0].side, b = run[1].side;
      const int orientation = join(a, b, table_.vertices(a), table_.vertices(b));
      if (sense(a) * sense(b) * parity(orientation) > 0) folded.add(place(a));
    });
    // Each of an element's faces is found twice where the element is.
    if (repeated.count > 0)
      findings_.errors.push_back(fmt::format("elements occur twice ({} faces), {}", repeated.count, repeated.at()));
    if (branching.count > 0)
      findings_.errors.push_back(
          fmt::format("{} faces belong to more than two elements, {}", branching.count, branching.at()));
    if (folded.count > 0)
      findings_.errors.push_back(fmt::format(
          "{} faces have both elements on the same side: one of the two is inverted, {}", folded.count, folded.at()));
  }

  /// Whether the ascending vertices of a face turn outwards (1) or inwards in a positive element.
  int sense(std::uint32_t side) const {
    constexpr std::array<int, 3> triangle{1, 1, -1};
    constexpr std::array<int, 4> tetrahedron{-1, 1, 1, -1};
    return mesh_.type == ElementType::triangle ? triangle[side % faces_] : tetrahedron[side % faces_];
  }
  int parity(int orientation) const {
    constexpr std::array<int, 6> all{1, -1, -1, 1, 1, -1};
    return all[static_cast<unsigned>(orientation)];
  }

  /// `theirs` are b's vertices, named as a's where they are the same. Returns a's orientation.
  int join(std::uint32_t a, std::uint32_t b, const Key& own, const Key& theirs) {
    const int orientation = orientation_between(own, theirs);
    set(a, b, orientation);
    set(b, a, opposite_orientation(mesh_.type, orientation));
    return orientation;
  }
  int orientation_between(const Key& own, const Key& theirs) const {
    for (int o = 0; o < orientations_of(mesh_.type); ++o) {
      const std::array<int, 3> permutation = face_permutation(mesh_.type, o);
      bool fits = true;
      for (unsigned m = 0; m < static_cast<unsigned>(mesh_.dimension()); ++m)
        fits &= own[m] == theirs[static_cast<unsigned>(permutation[m])];
      if (fits) return o;
    }
    return 0;
  }
  void set(std::uint32_t side, std::uint32_t other, int orientation) {
    result_.neighbour[side] = static_cast<std::int32_t>(other / faces_);
    result_.neighbour_face[side] = static_cast<std::int8_t>(other % faces_);
    result_.orientation[side] = static_cast<std::int8_t>(orientation);
  }

  void name_faces() {
    std::size_t stray = 0;
    const auto width = static_cast<std::size_t>(mesh_.dimension());
    for (std::size_t f = 0; f < mesh_.boundary_of.size(); ++f) {
      Key vertices{-1, -1, -1};
      std::copy_n(mesh_.tagged_faces.begin() + static_cast<std::ptrdiff_t>(f * width), width, vertices.begin());
      const auto run = table_.find(vertices);
      if (run.empty()) ++stray;
      for (const FaceTable::Entry& entry : run) {
        if (run.size() == 2 && entry.side == run[0].side && result_.boundary[entry.side] < 0)
          ++result_.named_inner_faces;
        result_.boundary[entry.side] = mesh_.boundary_of[f];
      }
    }
    if (stray > 0) findings_.remarks.push_back(fmt::format("{} named faces are faces of no element", stray));
    if (result_.named_inner_faces > 0)
      findings_.remarks.push_back(fmt::format("{} named faces lie between two elements", result_.named_inner_faces));
  }

  void join_periodic() {
    for (const PeriodicLink& link : mesh_.periodic) {
      std::unordered_map<std::int32_t, std::int32_t> partner(link.vertices.begin(), link.vertices.end());
      check_translation(link);
      Tally alone;
      for (std::uint32_t side = 0; side < result_.neighbour.size(); ++side) {
        if (result_.neighbour[side] >= 0) continue;
        Key moved = table_.vertices(side);
        bool linked = true;
        for (unsigned m = 0; m < static_cast<unsigned>(mesh_.dimension()) && linked; ++m) {
          const auto found = partner.find(moved[m]);
          linked = found != partner.end();
          if (linked) moved[m] = found->second;
        }
        if (!linked) continue;
        const auto run = table_.find(moved);
        if (run.size() != 1 || run[0].side == side || result_.neighbour[run[0].side] >= 0) {
          alone.add(place(side));
          continue;
        }
        join(side, run[0].side, moved, table_.vertices(run[0].side));
        ++result_.periodic_faces;
      }
      if (alone.count > 0)
        findings_.errors.push_back(
            fmt::format("{} faces of the periodic link {} have no partner, {}", alone.count, link.name, alone.at()));
    }
  }
  void check_translation(const PeriodicLink& link) {
    const auto [low, high] = mesh_.bounding_box();
    const double extent = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    const auto shift = [&](const std::pair<std::int32_t, std::int32_t>& pair, unsigned d) {
      return mesh_.points[static_cast<std::size_t>(pair.second)][d] -
             mesh_.points[static_cast<std::size_t>(pair.first)][d];
    };
    Tally off;
    for (const auto& pair : link.vertices)
      for (unsigned d = 0; d < 3; ++d)
        if (std::abs(shift(pair, d) - shift(link.vertices.front(), d)) > 1e-6 * extent) {
          off.add(mesh_.points[static_cast<std::size_t>(pair.first)]);
          break;
        }
    if (off.count > 0)
      findings_.errors.push_back(fmt::format("the periodic link {} is no translation: {} vertices are off, {}",
                                             link.name, off.count, off.at()));
  }

  void count_boundary() {
    Tally unnamed;
    for (std::uint32_t side = 0; side < result_.neighbour.size(); ++side) {
      if (result_.neighbour[side] >= 0) continue;
      ++result_.boundary_faces;
      if (result_.boundary[side] < 0) unnamed.add(place(side));
    }
    result_.unnamed_faces = unnamed.count;
    if (unnamed.count > 0)
      findings_.remarks.push_back(
          fmt::format("{} of {} boundary faces have no name, {}", unnamed.count, result_.boundary_faces, unnamed.at()));
  }

  /// Boundary faces in the same place: a slit where both have names, else two volumes that nobody has joined.
  void find_unmerged() {
    std::vector<std::int32_t> chosen;
    for (std::uint32_t side = 0; side < result_.neighbour.size(); ++side)
      if (result_.neighbour[side] < 0) {
        const Key vertices = table_.vertices(side);
        chosen.insert(chosen.end(), vertices.begin(), vertices.begin() + mesh_.dimension());
      }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    const std::vector<std::int32_t> first = first_at_place(mesh_.points, chosen);
    if (first == chosen) return;
    std::vector<std::pair<Key, std::uint32_t>> faces;
    for (std::uint32_t side = 0; side < result_.neighbour.size(); ++side) {
      if (result_.neighbour[side] >= 0) continue;
      Key key = table_.vertices(side);
      for (unsigned m = 0; m < static_cast<unsigned>(mesh_.dimension()); ++m)
        key[m] =
            first[static_cast<std::size_t>(std::lower_bound(chosen.begin(), chosen.end(), key[m]) - chosen.begin())];
      faces.emplace_back(FaceTable::sorted(key, mesh_.dimension()), side);
    }
    std::sort(faces.begin(), faces.end());
    Tally unmerged;
    std::size_t slits = 0;
    std::vector<std::int32_t> nodes;
    for (std::size_t f = 0; f + 1 < faces.size(); ++f) {
      if (faces[f].first != faces[f + 1].first) continue;
      const std::uint32_t a = faces[f].second, b = faces[f + 1].second;
      if (result_.boundary[a] >= 0 && result_.boundary[b] >= 0) {
        ++slits;
        continue;
      }
      unmerged.add(place(a));
      nodes.insert(nodes.end(), faces[f].first.begin(), faces[f].first.begin() + mesh_.dimension());
    }
    std::sort(nodes.begin(), nodes.end());
    const auto count = std::unique(nodes.begin(), nodes.end()) - nodes.begin();
    if (unmerged.count > 0)
      findings_.errors.push_back(
          fmt::format("two volumes touch at {} faces without sharing their {} nodes, {}; merge them", unmerged.count,
                      count, unmerged.at()));
    if (slits > 0)
      findings_.remarks.push_back(fmt::format("{} pairs of named faces lie in the same place: a slit", slits));
  }

  const Mesh& mesh_;
  Findings& findings_;
  FaceTable table_;
  std::uint32_t faces_;
  Connectivity result_;
};

}  // namespace

Connectivity connect(const Mesh& mesh, Findings& findings) {
  return Connector(mesh, findings).run();
}

Connectivity connect(const Mesh& mesh) {
  Findings findings;
  Connectivity result = connect(mesh, findings);
  if (!findings.errors.empty()) throw InputError("mesh: " + findings.errors.front());
  return result;
}

Mesh merged(const Mesh& mesh) {
  std::vector<std::int32_t> all(mesh.points.size());
  for (std::size_t p = 0; p < all.size(); ++p) all[p] = static_cast<std::int32_t>(p);
  std::vector<std::int32_t> number = first_at_place(mesh.points, all);
  Mesh result = mesh;
  result.points.clear();
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (number[p] == all[p]) {
      number[p] = static_cast<std::int32_t>(result.points.size());
      result.points.push_back(mesh.points[p]);
    } else {
      number[p] = number[static_cast<std::size_t>(number[p])];  // lower, and so numbered before
    }
    if (p + 1 == static_cast<std::size_t>(mesh.vertices))
      result.vertices = static_cast<std::int32_t>(result.points.size());
  }
  const auto renumber = [&](std::int32_t& p) { p = number[static_cast<std::size_t>(p)]; };
  for (std::vector<std::int32_t>* list : {&result.elements, &result.tagged_faces, &result.geometry_nodes})
    std::for_each(list->begin(), list->end(), renumber);
  for (PeriodicLink& link : result.periodic)
    for (auto& [a, b] : link.vertices) renumber(a), renumber(b);
  for (std::size_t e = 0; e < result.size(); ++e)
    if (!(signed_measure(result, e) > 0)) {
      const Point at = mesh.centroid(e);
      throw InputError(
          fmt::format("mesh: an element at ({:g}, {:g}, {:g}) is too small for coincident points to be joined", at[0],
                      at[1], at[2]));
    }
  const std::size_t joined = mesh.points.size() - result.points.size();
  if (joined > 0) result.remarks.push_back(fmt::format("{} coincident points are joined", joined));
  return result;
}

}  // namespace rtcg::dgfem
