#include "dgfem/mesh/box.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "dgfem/lattice.h"
#include "dgfem/mesh/raw_mesh.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

class Generator {
 public:
  explicit Generator(const Box& box) : box_(box), dimension_(dimension_of(box.type)) {
    double points = 1;
    for (unsigned d = 0; d < static_cast<unsigned>(dimension_); ++d) {
      if (box.cells[d] < 1 || !(box.high[d] > box.low[d]))
        throw UsageError(
            fmt::format("a box of {} cells from {} to {} along axis {}", box.cells[d], box.low[d], box.high[d], d));
      count_[d] = static_cast<std::size_t>(box.cells[d]) + 1;
      points *= static_cast<double>(count_[d]);
    }
    if (points * 6 > std::numeric_limits<std::int32_t>::max())
      throw UsageError(fmt::format("a box of {:.3g} points makes more elements than fit", points));
  }

  Mesh run() {
    raw_.source = "box";
    fill_points();
    for_each_cell([&](const Place& cell) { fill_cell(cell); });
    fill_sides();
    return assemble(std::move(raw_));
  }

 private:
  using Place = std::array<std::size_t, 3>;

  std::int32_t index(const Place& p) const {
    return static_cast<std::int32_t>((p[2] * count_[1] + p[1]) * count_[0] + p[0]);
  }
  template <class Visit>
  void for_each_cell(const Visit& visit) const {
    const std::size_t layers = dimension_ == 3 ? count_[2] - 1 : 1;
    for (std::size_t k = 0; k < layers; ++k)
      for (std::size_t j = 0; j + 1 < count_[1]; ++j)
        for (std::size_t i = 0; i + 1 < count_[0]; ++i) visit(Place{i, j, k});
  }

  void fill_points() {
    for (std::size_t k = 0; k < count_[2]; ++k)
      for (std::size_t j = 0; j < count_[1]; ++j)
        for (std::size_t i = 0; i < count_[0]; ++i) {
          Point& point = raw_.points.emplace_back(box_.low);
          const Place place{i, j, k};
          for (unsigned d = 0; d < static_cast<unsigned>(dimension_); ++d)
            point[d] = std::lerp(box_.low[d], box_.high[d],
                                 static_cast<double>(place[d]) / static_cast<double>(box_.cells[d]));
        }
  }

  /// One simplex for each order of the axes: the path from the lowest corner to the highest along them (Kuhn 1960).
  void fill_cell(const Place& cell) {
    RawElements& elements = raw_.elements[{dimension_, 1}];
    std::array<unsigned, 3> axes{0, 1, 2};
    const auto end = axes.begin() + dimension_;
    do {
      Place corner = cell;
      elements.nodes.push_back(index(corner));
      for (auto axis = axes.begin(); axis != end; ++axis) {
        ++corner[*axis];
        elements.nodes.push_back(index(corner));
      }
      elements.groups.push_back(raw_.groups.intern(dimension_, {}));
    } while (std::next_permutation(axes.begin(), end));
  }

  void fill_sides() {
    constexpr const char* names[] = {"x-", "x+", "y-", "y+", "z-", "z+"};
    RawElements& faces = raw_.elements[{dimension_ - 1, 1}];
    for (unsigned d = 0; d < static_cast<unsigned>(dimension_); ++d)
      for (unsigned side = 0; side < 2; ++side) {
        const std::int64_t number = 2 * d + side + 1;
        raw_.groups.name(dimension_ - 1, number, names[number - 1]);
        const std::int32_t group = raw_.groups.intern(dimension_ - 1, {number});
        fill_side(d, side == 0 ? 0 : count_[d] - 1, group, faces);
      }
    for (unsigned d = 0; d < static_cast<unsigned>(dimension_); ++d) {
      if (!box_.periodic[d]) continue;
      PeriodicLink link{std::string(names[2 * d]) + names[2 * d + 1], {}};
      const Place last{count_[0] - 1, count_[1] - 1, count_[2] - 1};
      for (std::size_t p = 0; p < raw_.points.size(); ++p) {
        Place place{p % count_[0], p / count_[0] % count_[1], p / count_[0] / count_[1]};
        if (place[d] != 0) continue;
        place[d] = last[d];
        link.vertices.emplace_back(static_cast<std::int32_t>(p), index(place));
      }
      raw_.periodic.push_back(std::move(link));
      raw_.periodic_dimension.push_back(dimension_ - 1);
    }
  }

  /// The faces of the cells' simplices on one side: the same paths along the other axes.
  void fill_side(unsigned normal, std::size_t at, std::int32_t group, RawElements& faces) const {
    const std::array<unsigned, 2> others{normal == 0 ? 1u : 0u, normal == 2 ? 1u : 2u};
    const std::size_t rows = dimension_ == 3 ? count_[others[1]] - 1 : 1;
    for (std::size_t b = 0; b < rows; ++b)
      for (std::size_t a = 0; a + 1 < count_[others[0]]; ++a) {
        Place cell{};
        cell[normal] = at;
        cell[others[0]] = a;
        if (dimension_ == 3) cell[others[1]] = b;
        std::array<unsigned, 2> axes = others;
        const auto end = axes.begin() + (dimension_ - 1);
        do {
          Place corner = cell;
          faces.nodes.push_back(index(corner));
          for (auto axis = axes.begin(); axis != end; ++axis) {
            ++corner[*axis];
            faces.nodes.push_back(index(corner));
          }
          faces.groups.push_back(group);
        } while (std::next_permutation(axes.begin(), end));
      }
  }

  const Box& box_;
  int dimension_;
  std::array<std::size_t, 3> count_{1, 1, 1};
  RawMesh raw_;
};

/// A lattice node by the vertices it lies between and their weights: the same for every element that shares it.
using NodeKey = std::array<std::pair<std::int32_t, int>, 4>;

}  // namespace

Mesh box_mesh(const Box& box) {
  return Generator(box).run();
}

Mesh curved(const Mesh& straight, int order, const std::function<Point(const Point&)>& map) {
  if (order < 1 || order > 10) throw UsageError(fmt::format("the order of a curved mesh is 1 to 10, not {}", order));
  Mesh mesh = straight;
  mesh.points.resize(static_cast<std::size_t>(mesh.vertices));
  mesh.geometry_order = order;
  mesh.geometry_nodes.clear();
  const std::vector<Weights> places = lattice(mesh.dimension(), order);
  const std::size_t corners = static_cast<std::size_t>(vertices_of(mesh.type));
  std::map<NodeKey, std::int32_t> numbers;
  for (std::size_t e = 0; order > 1 && e < mesh.size(); ++e)
    for (const Weights& weights : places) {
      NodeKey key;
      key.fill({std::numeric_limits<std::int32_t>::max(), 0});
      Point point{};
      std::size_t used = 0;
      for (std::size_t v = 0; v < corners; ++v) {
        if (weights[v] == 0) continue;
        key[used++] = {mesh.element(e)[v], weights[v]};
        for (unsigned d = 0; d < 3; ++d) point[d] += straight.vertex(e, static_cast<int>(v))[d] * weights[v] / order;
      }
      std::int32_t number = key[0].first;
      if (used > 1) {
        std::sort(key.begin(), key.end());
        const auto [place, added] = numbers.try_emplace(key, static_cast<std::int32_t>(mesh.points.size()));
        if (added) mesh.points.push_back(map(point));
        number = place->second;
      }
      mesh.geometry_nodes.push_back(number);
    }
  for (std::size_t v = 0; v < static_cast<std::size_t>(mesh.vertices); ++v) mesh.points[v] = map(straight.points[v]);
  return mesh;
}

}  // namespace rtcg::dgfem
