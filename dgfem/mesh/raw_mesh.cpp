#include "dgfem/mesh/raw_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "dgfem/lattice.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

void GroupTable::name(int dimension, std::int64_t number, std::string name) {
  names_.emplace(std::pair(dimension, number), std::move(name));
}

std::int32_t GroupTable::intern(int dimension, std::vector<std::int64_t> numbers) {
  for (std::int64_t& number : numbers) number = std::abs(std::max(number, -std::numeric_limits<std::int64_t>::max()));
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (!numbers.empty() && numbers.front() == 0) numbers.erase(numbers.begin());
  const auto [place, added] =
      index_.try_emplace({dimension, std::move(numbers)}, static_cast<std::int32_t>(sets_.size()));
  if (added) sets_.push_back(place->first);
  return place->second;
}

std::int32_t GroupTable::joined(int dimension, std::int32_t a, std::int32_t b) {
  std::vector<std::int64_t> numbers = sets_[static_cast<std::size_t>(a)].second;
  const std::vector<std::int64_t>& more = sets_[static_cast<std::size_t>(b)].second;
  numbers.insert(numbers.end(), more.begin(), more.end());
  return intern(dimension, std::move(numbers));
}

Group GroupTable::group(std::int32_t index) const {
  const auto& [dimension, numbers] = sets_[static_cast<std::size_t>(index)];
  Group group;
  for (const std::int64_t number : numbers) {
    const auto name = names_.find({dimension, number});
    group.names.push_back(name == names_.end() || name->second.empty() ? std::to_string(number) : name->second);
  }
  return group;
}

namespace {

class Assembly {
 public:
  explicit Assembly(RawMesh& raw) : raw_(raw) {}

  Mesh run() {
    mesh_.remarks = std::move(raw_.remarks);
    choose_elements();
    join_repeated(volume_, dimension_, order_);
    keep_used_points();
    fill_elements();
    turn_to_positive();
    fill_faces();
    fill_periodic();
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("{}: {}", raw_.source, what)); }

  void choose_elements() {
    for (const auto& [key, elements] : raw_.elements)
      if (!elements.groups.empty()) dimension_ = std::max(dimension_, key.first);
    if (dimension_ < 2) fail("no volume elements: neither tetrahedra nor triangles");
    bool first = true;
    for (auto& [key, elements] : raw_.elements) {
      if (key.first != dimension_ || elements.groups.empty()) continue;
      if (!first)
        fail(fmt::format("elements of order {} and {} are mixed; write all of one order", order_, key.second));
      first = false;
      order_ = key.second;
      volume_ = std::move(elements);
    }
    mesh_.type = dimension_ == 2 ? ElementType::triangle : ElementType::tetrahedron;
    mesh_.geometry_order = order_;
    per_element_ = static_cast<std::size_t>(nodes_of(mesh_.type, order_));
  }

  /// One element for those of the same nodes and different groups; of the same group both stay, for a check to find.
  void join_repeated(RawElements& elements, int dimension, int order) {
    const std::size_t count = elements.groups.size(), width = static_cast<std::size_t>(simplex_nodes(dimension, order)),
                      corners = static_cast<std::size_t>(dimension) + 1;
    const bool one_group = std::adjacent_find(elements.groups.begin(), elements.groups.end(), std::not_equal_to<>()) ==
                           elements.groups.end();
    if (one_group) return;
    std::vector<std::array<std::int32_t, 4>> keys(count, {-1, -1, -1, -1});
    const std::vector<int> places = corner_places(dimension, order);
    for (std::size_t e = 0; e < count; ++e) {
      for (std::size_t v = 0; v < corners; ++v)
        keys[e][v] = elements.nodes[e * width + static_cast<std::size_t>(places[v])];
      std::sort(keys[e].begin(), keys[e].begin() + static_cast<std::ptrdiff_t>(corners));
    }
    std::vector<std::uint32_t> order_of(count);
    std::iota(order_of.begin(), order_of.end(), 0u);
    std::sort(order_of.begin(), order_of.end(),
              [&](std::uint32_t a, std::uint32_t b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
    std::vector<bool> repeated(count, false);
    std::size_t joined = 0;
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      const std::uint32_t kept = order_of[begin];
      for (end = begin + 1; end < count && keys[order_of[end]] == keys[kept]; ++end) {
        const std::uint32_t other = order_of[end];
        if (elements.groups[other] == elements.groups[kept]) continue;
        elements.groups[kept] = raw_.groups.joined(dimension, elements.groups[kept], elements.groups[other]);
        repeated[other] = true;
        ++joined;
      }
    }
    if (joined == 0) return;
    std::size_t to = 0;
    for (std::size_t e = 0; e < count; ++e) {
      if (repeated[e]) continue;
      std::copy_n(elements.nodes.begin() + static_cast<std::ptrdiff_t>(e * width), width,
                  elements.nodes.begin() + static_cast<std::ptrdiff_t>(to * width));
      elements.groups[to++] = elements.groups[e];
    }
    elements.nodes.resize(to * width);
    elements.groups.resize(to);
  }

  static std::vector<int> corner_places(int dimension, int order) {
    std::vector<int> places;
    for (unsigned v = 0; v <= static_cast<unsigned>(dimension); ++v) {
      Weights weights{};
      weights[v] = order;
      places.push_back(lattice_index(dimension, order, weights));
    }
    return places;
  }

  void keep_used_points() {
    number_.assign(raw_.points.size(), -1);
    const std::vector<int> corners = corner_places(dimension_, order_);
    for (std::size_t first = 0; first < volume_.nodes.size(); first += per_element_)
      for (const int corner : corners) number_[node(first + static_cast<std::size_t>(corner))] = -2;
    number_marked(-2);
    mesh_.vertices = static_cast<std::int32_t>(mesh_.points.size());
    if (order_ > 1) {
      for (const std::int32_t n : volume_.nodes)
        if (number_[static_cast<std::size_t>(n)] == -1) number_[static_cast<std::size_t>(n)] = -2;
      number_marked(-2);
    }
    if (mesh_.type == ElementType::triangle) check_plane();
    const std::size_t unused = raw_.points.size() - mesh_.points.size();
    if (unused > 0) mesh_.remarks.push_back(fmt::format("{} points belong to no element and are left out", unused));
  }
  std::size_t node(std::size_t place) const { return static_cast<std::size_t>(volume_.nodes[place]); }
  void number_marked(std::int32_t mark) {
    for (std::size_t p = 0; p < number_.size(); ++p) {
      if (number_[p] != mark) continue;
      const Point& point = raw_.points[p];
      constexpr double largest = 1e100;  // so that volumes are finite as well
      for (const double x : point)
        if (!(std::abs(x) <= largest)) fail(fmt::format("point {} of the file has the coordinate {}", p + 1, x));
      number_[p] = static_cast<std::int32_t>(mesh_.points.size());
      mesh_.points.push_back(point);
    }
  }
  void check_plane() const {
    const auto [low, high] = mesh_.bounding_box();
    const double extent = std::max(high[0] - low[0], high[1] - low[1]);
    if (high[2] - low[2] > 1e-9 * extent)
      fail(fmt::format(
          "no volume elements: there are only triangles, and they lie in no plane z = const (z from {} to {})", low[2],
          high[2]));
  }

  void fill_elements() {
    const std::size_t count = volume_.groups.size(), corners = static_cast<std::size_t>(dimension_) + 1;
    const std::vector<int> places = corner_places(dimension_, order_);
    mesh_.elements.resize(count * corners);
    if (order_ > 1) mesh_.geometry_nodes.resize(count * per_element_);
    for (std::size_t e = 0; e < count; ++e) {
      for (std::size_t v = 0; v < corners; ++v)
        mesh_.elements[e * corners + v] = number_[node(e * per_element_ + static_cast<std::size_t>(places[v]))];
      for (std::size_t n = 0; order_ > 1 && n < per_element_; ++n)
        mesh_.geometry_nodes[e * per_element_ + n] = number_[node(e * per_element_ + n)];
    }
    mesh_.region_of = translated(volume_.groups, mesh_.regions);
    for (Group& region : mesh_.regions)
      if (region.names.empty()) region.names.emplace_back("default");
  }

  /// Groups in use, numbered in the order in which they first appear.
  std::vector<std::int32_t> translated(const std::vector<std::int32_t>& indices, std::vector<Group>& used) const {
    std::map<std::int32_t, std::int32_t> numbers;
    std::vector<std::int32_t> result;
    result.reserve(indices.size());
    for (const std::int32_t index : indices) {
      const auto [place, added] = numbers.try_emplace(index, static_cast<std::int32_t>(used.size()));
      if (added) used.push_back(raw_.groups.group(index));
      result.push_back(place->second);
    }
    return result;
  }

  void turn_to_positive() {
    std::vector<std::int32_t> mirrored;  // exchanges vertices 0 and 1
    for (const Weights& w : lattice(dimension_, order_))
      mirrored.push_back(lattice_index(dimension_, order_, {w[1], w[0], w[2], w[3]}));
    std::size_t turned = 0;
    const std::size_t corners = static_cast<std::size_t>(dimension_) + 1;
    std::vector<std::int32_t> old(per_element_);
    for (std::size_t e = 0; e < mesh_.size(); ++e) {
      const double measure = signed_measure(mesh_, e);
      if (measure > 0) continue;
      if (!(measure < 0)) {
        const Point at = mesh_.centroid(e);
        fail(fmt::format("element {} (of those read) at ({:g}, {:g}, {:g}) has no extent", e + 1, at[0], at[1], at[2]));
      }
      ++turned;
      std::swap(mesh_.elements[e * corners], mesh_.elements[e * corners + 1]);
      if (order_ == 1) continue;
      const auto begin = mesh_.geometry_nodes.begin() + static_cast<std::ptrdiff_t>(e * per_element_);
      std::copy_n(begin, per_element_, old.begin());
      for (std::size_t n = 0; n < per_element_; ++n)
        begin[static_cast<std::ptrdiff_t>(n)] = old[static_cast<std::size_t>(mirrored[n])];
    }
    if (turned > 0)
      mesh_.remarks.push_back(
          fmt::format("{} of {} elements were given in negative order and are turned", turned, mesh_.size()));
  }

  void fill_faces() {
    std::size_t stray = 0;
    std::vector<std::int32_t> groups;
    for (auto& [key, elements] : raw_.elements) {
      const auto& [dimension, order] = key;
      if (dimension != dimension_ - 1) continue;
      join_repeated(elements, dimension, order);
      const std::size_t width = static_cast<std::size_t>(simplex_nodes(dimension, order));
      const std::vector<int> places = corner_places(dimension, order);
      for (std::size_t f = 0; f < elements.groups.size(); ++f) {
        if (raw_.groups.group(elements.groups[f]).names.empty()) continue;
        std::array<std::int32_t, 3> face{-1, -1, -1};
        bool used = true;
        for (std::size_t v = 0; v < static_cast<std::size_t>(dimension_); ++v) {
          face[v] = number_[static_cast<std::size_t>(elements.nodes[f * width + static_cast<std::size_t>(places[v])])];
          used &= face[v] >= 0 && face[v] < mesh_.vertices;
        }
        if (!used) {
          ++stray;
          continue;
        }
        mesh_.tagged_faces.insert(mesh_.tagged_faces.end(), face.begin(), face.begin() + dimension_);
        groups.push_back(elements.groups[f]);
      }
    }
    mesh_.boundary_of = translated(groups, mesh_.boundaries);
    if (stray > 0) mesh_.remarks.push_back(fmt::format("{} named faces touch no element and are left out", stray));
  }

  void fill_periodic() {
    for (std::size_t k = 0; k < raw_.periodic.size(); ++k) {
      if (raw_.periodic_dimension[k] != dimension_ - 1) continue;
      PeriodicLink link{raw_.periodic[k].name, {}};
      for (const auto& [here, there] : raw_.periodic[k].vertices) {
        const std::int32_t a = number_[static_cast<std::size_t>(here)], b = number_[static_cast<std::size_t>(there)];
        if (a >= 0 && b >= 0 && a < mesh_.vertices && b < mesh_.vertices) link.vertices.emplace_back(a, b);
      }
      if (!link.vertices.empty()) mesh_.periodic.push_back(std::move(link));
    }
  }

  RawMesh& raw_;
  Mesh mesh_;
  RawElements volume_;
  int dimension_ = 0, order_ = 1;
  std::size_t per_element_ = 0;
  std::vector<std::int32_t> number_;  // point of the file -> point of the mesh, -1: unused
};

}  // namespace

Mesh assemble(RawMesh raw) {
  return Assembly(raw).run();
}

}  // namespace rtcg::dgfem
