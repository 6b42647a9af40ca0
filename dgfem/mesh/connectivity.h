// Which elements meet at which faces, and how: found by sorting faces, checked as it is found. All a solver needs of a
// mesh beside its points: a neighbour, the neighbour's face and one of few orientations for each face (lattice.h).
#pragma once

#include "dgfem/mesh/mesh.h"

namespace rtcg::dgfem {

struct Connectivity {
  ElementType type = ElementType::tetrahedron;
  // All [element][face].
  std::vector<std::int32_t> neighbour;      ///< -1 at the boundary; across a periodic boundary the element there
  std::vector<std::int8_t> neighbour_face;  ///< -1 at the boundary
  std::vector<std::int8_t> orientation;     ///< see face_permutation(); 0 at the boundary
  std::vector<std::int32_t> boundary;  ///< -> Mesh::boundaries, -1: no name; inner and periodic faces may have one too

  std::size_t boundary_faces = 0;     ///< without neighbour
  std::size_t unnamed_faces = 0;      ///< of these, without name
  std::size_t named_inner_faces = 0;  ///< named faces between two elements, counted once
  std::size_t periodic_faces = 0;     ///< pairs
};

/// What a check of a mesh has found. Each is one line: how many, what, and where the first is.
struct Findings {
  std::vector<std::string> errors, remarks;
};

/// Throws InputError for the first thing that makes the mesh unusable: an element twice, a face of more than two
/// elements, elements on the same side of a face (one of them folded over), volumes that touch without sharing
/// vertices, periodic faces without partner or not one translation apart.
Connectivity connect(const Mesh& mesh);
/// Collects them all; what connects is as good as the mesh allows.
Connectivity connect(const Mesh& mesh, Findings& findings);

/// Points that coincide (to 1e-9 of the mesh's extent) become one, so that volumes written apart are joined; slits
/// between named faces close as well. InputError when an element would vanish.
Mesh merged(const Mesh& mesh);

/// Makes two named boundaries periodic that are a translation of each other. InputError, naming what there is, when a
/// name is unknown or vertices have no partner (with their number and the first).
void add_periodic(Mesh& mesh, const std::string& here, const std::string& there);

}  // namespace rtcg::dgfem
