// A conforming mesh of triangles (in the plane z = const) or tetrahedra: plain data that readers and generators fill
// and everything else looks at. What always holds after assemble(): every point belongs to an element, vertices come
// before other points, and each element's vertices are in positive order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dgfem/element_type.h"

namespace rtcg::dgfem {

using Point = std::array<double, 3>;

/// What a case file speaks of: the elements of a region or the faces of a boundary. A file may put one place into
/// several groups; it then answers to each of the names.
struct Group {
  std::vector<std::string> names;

  bool is(std::string_view name) const;
  /// The names joined by "+".
  std::string text() const;
};

/// Two boundaries that are one: vertices of the one with their partners on the other.
struct PeriodicLink {
  std::string name;
  std::vector<std::pair<std::int32_t, std::int32_t>> vertices;
};

struct Mesh {
  ElementType type = ElementType::tetrahedron;
  std::vector<Point> points;
  std::int32_t vertices = 0;               ///< points below this number are vertices of elements
  std::vector<std::int32_t> elements;      ///< [element][vertex]
  std::vector<std::int32_t> region_of;     ///< [element] -> regions
  std::vector<Group> regions;              ///< "default" where the file names none
  std::vector<std::int32_t> tagged_faces;  ///< [face][vertex]: those that the file names, inner ones too
  std::vector<std::int32_t> boundary_of;   ///< [tagged face] -> boundaries
  std::vector<Group> boundaries;
  int geometry_order = 1;
  std::vector<std::int32_t> geometry_nodes;  ///< [element][node]: points in lattice order; empty at geometry_order 1
  std::vector<PeriodicLink> periodic;
  std::vector<std::string> remarks;  ///< what the reader mended or left out, one line each

  int dimension() const { return dimension_of(type); }
  std::size_t size() const { return region_of.size(); }
  const std::int32_t* element(std::size_t e) const {
    return elements.data() + e * static_cast<std::size_t>(vertices_of(type));
  }
  const Point& vertex(std::size_t e, int v) const { return points[static_cast<std::size_t>(element(e)[v])]; }
  /// The points of an element in lattice order: its vertices at geometry_order 1.
  const std::int32_t* nodes(std::size_t e) const {
    return geometry_order == 1 ? element(e)
                               : geometry_nodes.data() + e * static_cast<std::size_t>(nodes_of(type, geometry_order));
  }
  Point centroid(std::size_t e) const;
  /// Smallest and largest coordinates over the points.
  std::pair<Point, Point> bounding_box() const;
};

/// Twice the area or six times the volume of the straight simplex, negative when its vertices turn the other way.
double signed_measure(const Mesh& mesh, std::size_t e);

}  // namespace rtcg::dgfem
