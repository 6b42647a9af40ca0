// Elements named by where they are: a hash of the coordinates of their nodes. State that is stored with these names
// finds its elements again however the mesh is ordered, and never finds those of another mesh.
#pragma once

#include <span>

#include "dgfem/mesh/mesh.h"

namespace rtcg::dgfem {

/// [element]. Equal coordinates in equal order of vertices give equal keys; no two elements of a mesh share one but by
/// a chance of about n^2 / 2^65.
std::vector<std::uint64_t> element_keys(const Mesh& mesh);
/// Of a set of elements, in whatever order.
std::uint64_t mesh_fingerprint(std::span<const std::uint64_t> keys);

}  // namespace rtcg::dgfem
