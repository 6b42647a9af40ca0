#include "dgfem/mesh/connectivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "dgfem/lattice.h"
#include "dgfem/mesh/box.h"
#include "dgfem/mesh/gmsh_reader.h"
#include "dgfem/mesh/ordering.h"
#include "dgfem/mesh/read_mesh.h"
#include "dgfem/reference_element.h"
#include "mesh_text.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

Point image(const Mesh& mesh, std::size_t e, const Eigen::RowVectorXd& reference) {
  Point x{};
  double first = 1;
  for (int v = 1; v <= mesh.dimension(); ++v) {
    const double weight = (reference(v - 1) + 1) / 2;
    first -= weight;
    for (unsigned d = 0; d < 3; ++d) x[d] += weight * mesh.vertex(e, v)[d];
  }
  for (unsigned d = 0; d < 3; ++d) x[d] += first * mesh.vertex(e, 0)[d];
  return x;
}

/// Every face's nodes, through the orientation table, against those of its neighbour, in space. Returns the
/// orientations seen; `period` are lengths that may lie between both.
std::set<int> check_faces(const Mesh& mesh, const Connectivity& c, int order, const Point& period = {0, 0, 0}) {
  const ReferenceElement element(mesh.type, order);
  const auto tables = orientation_nodes(mesh.type, order);
  const auto faces = static_cast<std::size_t>(faces_of(mesh.type));
  std::set<int> seen;
  for (std::size_t side = 0; side < c.neighbour.size(); ++side) {
    if (c.neighbour[side] < 0) continue;
    const auto own = side / faces, other = static_cast<std::size_t>(c.neighbour[side]);
    const int face = static_cast<int>(side % faces), other_face = static_cast<int>(c.neighbour_face[side]);
    EXPECT_EQ(c.neighbour[other * faces + static_cast<std::size_t>(other_face)], static_cast<std::int32_t>(own));
    const std::vector<int>& table = tables[static_cast<std::size_t>(c.orientation[side])];
    seen.insert(c.orientation[side]);
    for (std::size_t n = 0; n < table.size(); ++n) {
      const Point a = image(mesh, own, element.nodes().row(element.face_nodes(face)[n])),
                  b = image(mesh, other,
                            element.nodes().row(element.face_nodes(other_face)[static_cast<std::size_t>(table[n])]));
      for (unsigned d = 0; d < 3; ++d) {
        const double apart = std::abs(a[d] - b[d]);
        EXPECT_TRUE(apart < 1e-12 || std::abs(apart - period[d]) < 1e-12) << "side " << side << " node " << n;
      }
    }
  }
  return seen;
}

/// The vertices of each element exchanged at random: any order of them.
Mesh scrambled(Mesh mesh, unsigned seed) {
  std::mt19937 random(seed);
  const auto width = static_cast<std::ptrdiff_t>(vertices_of(mesh.type));
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    const auto begin = mesh.elements.begin() + static_cast<std::ptrdiff_t>(e) * width;
    std::shuffle(begin, begin + width, random);
    if (signed_measure(mesh, e) < 0) std::swap(begin[0], begin[1]);
  }
  return mesh;
}

TEST(Connectivity, OrientationsFitInSpaceWhateverTheOrderOfTheVertices) {
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron}) {
    std::set<int> seen;
    for (unsigned seed = 0; seed < 4; ++seed) {
      const Mesh mesh = scrambled(box_mesh({type, {3, 3, 2}}), seed);
      seen.merge(check_faces(mesh, connect(mesh), 4));
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(orientations_of(type)));
  }
}

TEST(Connectivity, EveryPermutationOfBothElementsOfAPair) {
  const Mesh pair = assemble(read_gmsh(two_tetrahedra(), "pair"));
  std::array<int, 4> first{0, 1, 2, 3}, second = first;
  std::set<int> seen;
  do {
    do {
      Mesh mesh = pair;
      for (unsigned v = 0; v < 4; ++v) {
        mesh.elements[v] = pair.elements[static_cast<unsigned>(first[v])];
        mesh.elements[4 + v] = pair.elements[4 + static_cast<unsigned>(second[v])];
      }
      if (signed_measure(mesh, 0) < 0 || signed_measure(mesh, 1) < 0) continue;
      const Connectivity c = connect(mesh);
      EXPECT_EQ(c.boundary_faces, 6u);
      seen.merge(check_faces(mesh, c, 3));
    } while (std::next_permutation(second.begin(), second.end()));
  } while (std::next_permutation(first.begin(), first.end()));
  EXPECT_EQ(seen.size(), 6u);
}

TEST(Connectivity, CountsAndNamesTheFacesOfABox) {
  const Mesh mesh = box_mesh({ElementType::tetrahedron, {4, 3, 2}});
  const Connectivity c = connect(mesh);
  EXPECT_EQ(mesh.size(), 6u * 24);
  EXPECT_EQ(c.boundary_faces, 2u * 2 * (12 + 8 + 6));
  EXPECT_EQ(c.unnamed_faces, 0u);
  EXPECT_EQ(c.periodic_faces, 0u);
  std::map<std::string, int> names;
  for (std::size_t side = 0; side < c.neighbour.size(); ++side) {
    EXPECT_EQ(c.neighbour[side] < 0, c.boundary[side] >= 0);
    if (c.boundary[side] >= 0) ++names[mesh.boundaries[static_cast<std::size_t>(c.boundary[side])].text()];
  }
  EXPECT_EQ(names,
            (std::map<std::string, int>{{"x-", 12}, {"x+", 12}, {"y-", 16}, {"y+", 16}, {"z-", 24}, {"z+", 24}}));
}

TEST(Connectivity, AcceptsNamedFacesInside) {
  Findings findings;
  const Mesh mesh = assemble(read_gmsh(two_tetrahedra(), "pair"));
  const Connectivity c = connect(mesh, findings);
  EXPECT_EQ(c.named_inner_faces, 1u);
  EXPECT_EQ(c.boundary_faces, 6u);
  EXPECT_EQ(c.unnamed_faces, 6u);
  EXPECT_TRUE(findings.errors.empty());
  ASSERT_EQ(findings.remarks.size(), 2u);
  EXPECT_EQ(findings.remarks[0], "1 named faces lie between two elements");
  EXPECT_NE(findings.remarks[1].find("6 of 6 boundary faces have no name, first at ("), std::string::npos);
}

TEST(Connectivity, JoinsPeriodicSides) {
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron})
    for (const std::int32_t cells : {1, 3}) {
      Box box{type, {cells, cells, cells}, {0, 0, 0}, {1, 2, 3}};
      box.periodic = {true, true, type == ElementType::tetrahedron};
      const Mesh mesh = scrambled(box_mesh(box), 7);
      const Connectivity c = connect(mesh);
      EXPECT_EQ(c.boundary_faces, 0u);
      EXPECT_EQ(c.periodic_faces,
                static_cast<std::size_t>(type == ElementType::triangle ? 2 * cells : 6 * cells * cells));
      check_faces(mesh, c, 3, {1, 2, 3});
    }
}

TEST(Connectivity, MakesNamedBoundariesPeriodic) {
  Mesh mesh = scrambled(box_mesh({ElementType::tetrahedron, {3, 2, 2}}), 3);
  add_periodic(mesh, "x-", "x+");
  const Connectivity c = connect(mesh);
  EXPECT_EQ(c.periodic_faces, 8u);
  check_faces(mesh, c, 2, {1, 0, 0});
  EXPECT_MESSAGE(InputError, "no boundary \"left\" (there are: x-, x+, y-, y+, z-, z+)",
                 add_periodic(mesh, "left", "x+"));
  EXPECT_MESSAGE(InputError, "9 and 12 vertices", add_periodic(mesh, "x-", "y+"));
  for (Point& point : mesh.points)
    if (point[1] == 1 && point[0] == 0 && point[2] == 0) point[2] = -0.1;
  EXPECT_MESSAGE(InputError, "have no partner on \"y+\", first (", add_periodic(mesh, "y-", "y+"));
}

TEST(Connectivity, FindsWhatMakesAMeshUnusable) {
  const auto parse = [](const std::string& elements) { return assemble(read_gmsh(two_tetrahedra(elements), "m")); };
  EXPECT_MESSAGE(InputError, "elements occur twice (4 faces), first at (",
                 connect(parse("1 4 2 5 1 1000 7 30 2\n2 4 2 5 2 7 30 1000 2\n")));
  // Three tetrahedra on one face; two on the same side of it.
  const Mesh pair = parse("1 4 2 5 1 1000 7 30 2\n2 4 2 5 2 30 7 1000 99\n");
  Mesh three = pair;
  three.points.push_back({0.3, 0.3, 0.5});
  ++three.vertices;
  three.elements.insert(three.elements.end(), {three.elements[0], three.elements[1], three.elements[2], 5});
  three.region_of.push_back(0);
  EXPECT_MESSAGE(InputError, "1 faces belong to more than two elements, first at (0.333333, 0.333333, 0)",
                 connect(three));
  Mesh folded = three;
  folded.elements.erase(folded.elements.begin() + 4, folded.elements.begin() + 8);
  folded.region_of.pop_back();
  EXPECT_MESSAGE(InputError, "1 faces have both elements on the same side", connect(folded));
}

TEST(Connectivity, FindsVolumesThatTouchWithoutSharingVertices) {
  const Mesh whole = box_mesh({ElementType::tetrahedron, {4, 2, 2}});
  // Cut at x = 1/2: vertices of elements beyond get numbers of their own.
  Mesh cut = whole;
  std::map<std::int32_t, std::int32_t> copies;
  for (std::size_t e = 0; e < cut.size(); ++e) {
    if (cut.centroid(e)[0] < 0.5) continue;
    for (std::size_t v = 4 * e; v < 4 * e + 4; ++v) {
      const Point at = whole.points[static_cast<std::size_t>(whole.elements[v])];
      if (at[0] != 0.5) continue;
      const auto [copy, added] = copies.try_emplace(whole.elements[v], static_cast<std::int32_t>(cut.points.size()));
      if (added) cut.points.push_back(at);
      cut.elements[v] = copy->second;
    }
  }
  cut.vertices = static_cast<std::int32_t>(cut.points.size());
  EXPECT_MESSAGE(InputError, "two volumes touch at 8 faces without sharing their 9 nodes, first at (0.5, ",
                 connect(cut));
  const Mesh mended = merged(cut);
  EXPECT_EQ(mended.points.size(), whole.points.size());
  EXPECT_EQ(connect(mended).boundary_faces, connect(whole).boundary_faces);
  Mesh tiny = cut;
  tiny.points[1] = {1e-12, 0, 0};
  tiny.points[0] = {0, 0, 0};
  EXPECT_MESSAGE(InputError, "too small for coincident points to be joined", merged(tiny));
  // The same faces with names on both sides are a slit on purpose.
  Mesh slit = cut;
  const auto name = [&](const Mesh& from) {
    for (std::size_t side = 0; side < from.size() * 4; ++side) {
      const auto vertices = face_vertices(from.type, static_cast<int>(side % 4));
      std::array<std::int32_t, 3> face{};
      bool on = true;
      for (unsigned m = 0; m < 3; ++m) {
        face[m] = from.element(side / 4)[vertices[m]];
        on &= from.points[static_cast<std::size_t>(face[m])][0] == 0.5;
      }
      if (!on) continue;
      slit.tagged_faces.insert(slit.tagged_faces.end(), face.begin(), face.end());
      slit.boundary_of.push_back(0);
    }
  };
  name(cut);
  Findings findings;
  EXPECT_EQ(connect(slit, findings).boundary_faces, connect(whole).boundary_faces + 16);
  EXPECT_TRUE(findings.errors.empty());
  ASSERT_FALSE(findings.remarks.empty());
  EXPECT_EQ(findings.remarks.back(), "8 pairs of named faces lie in the same place: a slit");
}

TEST(Connectivity, ConnectsTheDataFolder) {
  if (!std::filesystem::exists(shared_mesh("cube.neu"))) GTEST_SKIP() << "there is no data folder";
  for (const char* name :
       {"cube.neu", "cubeK268.neu", "vortexA04.neu", "Maxwell0125.neu", "cubeTet.msh", "squareTri.msh"}) {
    const Mesh mesh = read_mesh(shared_mesh(name));
    Findings findings;
    const Connectivity c = connect(mesh, findings);
    EXPECT_TRUE(findings.errors.empty()) << name << ": " << findings.errors[0];
    // Half the named triangles of cubeTet.msh cut their squares along the other diagonal than the tetrahedra do.
    const std::size_t unnamed = std::string(name) == "cubeTet.msh" ? 150
                                : mesh.boundaries.empty()          ? c.boundary_faces
                                                                   : 0;
    EXPECT_EQ(c.unnamed_faces, unnamed) << name;
    check_faces(mesh, c, 2);
  }
}

TEST(Ordering, KeepsTheMeshAndBringsNeighboursTogether) {
  const Mesh mesh = box_mesh({ElementType::tetrahedron, {8, 8, 8}});
  std::vector<std::int32_t> shuffled(mesh.size());
  for (std::size_t e = 0; e < shuffled.size(); ++e) shuffled[e] = static_cast<std::int32_t>(e);
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(5));
  const Mesh mixed = reordered(mesh, shuffled), ordered = reordered(mixed, hilbert_order(mixed));
  EXPECT_NEAR(total_measure(ordered), 1, 1e-12);
  const auto distance = [](const Mesh& m) {
    const Connectivity c = connect(m);
    EXPECT_EQ(c.boundary_faces, 2u * 6 * 64);
    EXPECT_EQ(c.unnamed_faces, 0u);
    std::vector<int> apart;
    for (std::size_t side = 0; side < c.neighbour.size(); ++side)
      if (c.neighbour[side] >= 0) apart.push_back(std::abs(c.neighbour[side] - static_cast<int>(side / 4)));
    std::nth_element(apart.begin(), apart.begin() + static_cast<std::ptrdiff_t>(apart.size() / 2), apart.end());
    return apart[apart.size() / 2];
  };
  EXPECT_GT(distance(mixed), 500);
  EXPECT_LT(distance(ordered), 12);
}

TEST(Ordering, LaysOutAPartWithItsHaloLast) {
  Mesh mesh = box_mesh({ElementType::triangle, {12, 12, 1}});
  mesh = reordered(mesh, hilbert_order(mesh));
  const Connectivity c = connect(mesh);
  const std::vector<std::int32_t> part_of = equal_parts(mesh.size(), 3);
  std::vector<int> owners(mesh.size(), 0);
  for (std::int32_t part = 0; part < 3; ++part) {
    const PartLayout layout = part_layout(c, part_of, part);
    EXPECT_NEAR(static_cast<double>(layout.owned), static_cast<double>(mesh.size()) / 3, 1);
    EXPECT_LT(layout.owned - layout.interior, layout.owned / 2);
    const std::set<std::int32_t> all(layout.elements.begin(), layout.elements.end());
    EXPECT_EQ(all.size(), layout.elements.size());
    for (std::size_t k = 0; k < layout.elements.size(); ++k) {
      const auto e = static_cast<std::size_t>(layout.elements[k]);
      EXPECT_EQ(part_of[e] == part, k < layout.owned);
      if (k < layout.owned) ++owners[e];
      bool outside = false, near = false;
      for (std::size_t f = 0; f < 3; ++f) {
        const std::int32_t neighbour = c.neighbour[3 * e + f];
        if (neighbour < 0) continue;
        (part_of[static_cast<std::size_t>(neighbour)] == part ? near : outside) = true;
        EXPECT_TRUE(k >= layout.owned || all.contains(neighbour));
      }
      EXPECT_TRUE(k >= layout.owned || outside == (k >= layout.interior));
      EXPECT_TRUE(k < layout.owned || near);
    }
  }
  EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), static_cast<std::ptrdiff_t>(mesh.size()));
}

}  // namespace
}  // namespace rtcg::dgfem
