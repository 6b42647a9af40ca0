// What a mesh file says, before it is a Mesh: points nobody uses, elements of several dimensions, groups by number.
// Every reader fills one of these; assemble() does what all formats need alike.
#pragma once

#include <map>

#include "dgfem/mesh/mesh.h"

namespace rtcg::dgfem {

/// The sets of physical numbers that elements belong to, and the names of the numbers. A number means something only
/// together with its dimension.
class GroupTable {
 public:
  void name(int dimension, std::int64_t number, std::string name);
  /// The same index for the same set; zeros are left out, signs are orientations and do not count.
  std::int32_t intern(int dimension, std::vector<std::int64_t> numbers);
  /// The set that holds what both hold.
  std::int32_t joined(int dimension, std::int32_t a, std::int32_t b);
  /// Empty names for elements in no group.
  Group group(std::int32_t index) const;

 private:
  std::map<std::pair<int, std::int64_t>, std::string> names_;
  std::map<std::pair<int, std::vector<std::int64_t>>, std::int32_t> index_;
  std::vector<std::pair<int, std::vector<std::int64_t>>> sets_;
};

struct RawElements {
  std::vector<std::int32_t> nodes;   ///< [element][node], indices of points in lattice order
  std::vector<std::int32_t> groups;  ///< [element] -> GroupTable
};

struct RawMesh {
  std::string source;  ///< the file, for messages
  std::vector<Point> points;
  std::map<std::pair<int, int>, RawElements> elements;  ///< by dimension (1 to 3) and order
  GroupTable groups;
  std::vector<PeriodicLink> periodic;   ///< in indices of points, by link of dimension - 1 and below
  std::vector<int> periodic_dimension;  ///< of each link
  std::vector<std::string> remarks;
};

/// Takes the elements of the highest dimension as the mesh and those one below as tagged faces, joins repeated elements
/// of different groups (Gmsh 2 writes one per group), leaves out unused points, turns elements to positive order and
/// says what it did in remarks. InputError naming the source: no volume elements, triangles out of a plane z = const,
/// mixed orders, coordinates that are not finite, elements of no extent.
Mesh assemble(RawMesh raw);

}  // namespace rtcg::dgfem
