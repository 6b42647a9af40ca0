#include "dgfem/mesh/gmsh_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "dgfem/lattice.h"
#include "dgfem/mesh/box.h"
#include "dgfem/mesh/gmsh_writer.h"
#include "dgfem/mesh/node_orders.h"
#include "dgfem/mesh/ordering.h"
#include "dgfem/mesh/read_mesh.h"
#include "mesh_text.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

Mesh parse(const std::string& text) {
  return assemble(read_gmsh(text, "m.msh"));
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t place = text.find(what);
  EXPECT_NE(place, std::string::npos) << what;
  return text.replace(place, what.size(), with);
}

TEST(GmshReader, ReadsRegionsFacesAndNodesInAnyOrder) {
  const Mesh mesh = parse(two_tetrahedra());
  ASSERT_EQ(mesh.size(), 2u);
  EXPECT_EQ(mesh.points.size(), 5u);
  EXPECT_NEAR(total_measure(mesh), 2.0 / 6, 1e-15);
  EXPECT_EQ(mesh.regions[static_cast<std::size_t>(mesh.region_of[0])].text(), "upper");
  EXPECT_EQ(mesh.regions[static_cast<std::size_t>(mesh.region_of[1])].text(), "lower");
  ASSERT_EQ(mesh.boundaries.size(), 1u);
  EXPECT_TRUE(mesh.boundaries[0].is("between"));  // number 5 of dimension 2, not of 3
  EXPECT_TRUE(mesh.remarks.empty());
}

TEST(GmshReader, SurvivesLineEndsBlanksCommentsAndUnknownSections) {
  std::string text = "$Comments\nfree text $Nodes\n$EndComments\n" + two_tetrahedra() +
                     "$NodeData\n1\n\"x\"\n$EndNodeData\n\n$Parametrizations\n0 0\n$EndParametrizations\n";
  std::string other;
  for (const char c : text) other += c == '\n' ? std::string("  \r\n") : std::string(1, c);
  const Mesh a = parse(text), b = parse(other);
  EXPECT_EQ(a.elements, b.elements);
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(b.boundaries[0].text(), "between");
}

TEST(GmshReader, TurnsNegativeElementsAndSaysSo) {
  const Mesh mesh = parse(two_tetrahedra("1 4 2 5 1 7 1000 30 2\n2 4 2 6 2 30 7 1000 99\n"));
  EXPECT_NEAR(total_measure(mesh), 2.0 / 6, 1e-15);
  EXPECT_GT(signed_measure(mesh, 0), 0);
  ASSERT_EQ(mesh.remarks.size(), 1u);
  EXPECT_NE(mesh.remarks[0].find("1 of 2 elements"), std::string::npos);
}

TEST(GmshReader, JoinsAnElementThatIsWrittenOncePerGroup) {
  const Mesh mesh =
      parse(two_tetrahedra("1 4 2 5 1 1000 7 30 2\n2 4 2 6 2 30 7 1000 99\n3 4 2 6 1 1000 7 30 2\n4 2 2 5 3 1000 7 "
                           "30\n5 2 2 9 3 7 1000 30\n"));
  ASSERT_EQ(mesh.size(), 2u);
  const Group& both = mesh.regions[static_cast<std::size_t>(mesh.region_of[0])];
  EXPECT_TRUE(both.is("upper") && both.is("lower")) << both.text();
  ASSERT_EQ(mesh.boundary_of.size(), 1u);
  EXPECT_EQ(mesh.boundaries[0].text(), "between+9");
}

TEST(GmshReader, LeavesOutStrayPointsAndFacesAndNamesNoGroupDefault) {
  const Mesh mesh = parse(two_tetrahedra("1 15 2 0 1 99\n2 4 2 0 1 1000 7 30 2\n3 2 2 5 3 1000 7 99\n4 1 0 2 30\n"));
  EXPECT_EQ(mesh.size(), 1u);
  EXPECT_EQ(mesh.points.size(), 4u);
  EXPECT_EQ(mesh.regions[0].text(), "default");
  EXPECT_TRUE(mesh.tagged_faces.empty());
  ASSERT_EQ(mesh.remarks.size(), 2u);
  EXPECT_NE(mesh.remarks[0].find("1 points belong to no element"), std::string::npos);
  EXPECT_NE(mesh.remarks[1].find("1 named faces touch no element"), std::string::npos);
}

TEST(GmshReader, SaysWhatIsWrongAndWhere) {
  const std::string good = two_tetrahedra();
  EXPECT_MESSAGE(InputError, "m.msh:1: a Gmsh mesh begins with $MeshFormat", parse("hello"));
  EXPECT_MESSAGE(InputError, "m.msh:1: Gmsh's format 1", parse("$NOD\n"));
  EXPECT_MESSAGE(InputError, "m.msh:2: version 3", parse(replaced(good, "2.2", "3.0")));
  EXPECT_MESSAGE(InputError, "m.msh:12: a coordinate should be a number, not \"x\"",
                 parse(replaced(good, "1000 0 0 0", "1000 x 0 0")));
  EXPECT_MESSAGE(InputError, "m.msh:20: there is no node 31", parse(replaced(good, "7 30 2\n", "7 31 2\n")));
  EXPECT_MESSAGE(InputError, "m.msh:11: node 7 is given twice", parse(replaced(good, "30 0 1 0", "7 0 1 0")));
  EXPECT_MESSAGE(InputError, "m.msh:11: the number of nodes is 5000000",
                 parse(replaced(good, "$Nodes\n5\n", "$Nodes\n5000000\n")));
  EXPECT_MESSAGE(InputError, "m.msh:20: element type 300 is not known",
                 parse(replaced(good, "1 4 2 5 1", "1 300 2 5 1")));
  EXPECT_MESSAGE(InputError, "$EndElements should stand here",
                 parse(replaced(good, "$EndElements", "4 2 2 5 3 1 2 3")));
  EXPECT_MESSAGE(InputError, "the file ends without $Elements", parse(good.substr(0, good.find("$Elements"))));
  EXPECT_MESSAGE(InputError, "the file ends where a node should stand",
                 parse(good.substr(0, good.find("$EndElements") - 4)));
  EXPECT_MESSAGE(InputError, "m.msh:20: a pyramid; only complete", parse(two_tetrahedra("1 7 2 5 1 1000 7 30 2 99\n")));
  EXPECT_MESSAGE(InputError, "m.msh: no volume elements: there are only triangles",
                 parse(two_tetrahedra("1 2 2 5 1 1000 7 2\n2 2 2 5 1 1000 7 30\n")));
  EXPECT_MESSAGE(InputError, "m.msh: no volume elements", parse(two_tetrahedra("1 1 2 5 1 1000 7\n")));
  EXPECT_MESSAGE(InputError, "has no extent", parse(two_tetrahedra("1 4 2 5 1 1000 7 30 30\n")));
  EXPECT_MESSAGE(InputError, "m.msh: point 5 of the file has the coordinate nan",
                 parse(replaced(good, "2 0 0 1\n", "2 0 0 nan\n")));
}

TEST(GmshReader, KnowsTheOrderOfTheTenNodeTetrahedron) {
  // Gmsh lists the edges 01 12 20 03 23 13: its last two are the other way round than in most formats.
  const std::vector<Weights> nodes = lattice(3, 2);
  const std::vector<int> order = gmsh_order(3, 2);
  EXPECT_EQ(nodes[static_cast<std::size_t>(order[8])], (Weights{0, 0, 1, 1}));
  EXPECT_EQ(nodes[static_cast<std::size_t>(order[9])], (Weights{0, 1, 0, 1}));
}

TEST(GmshReader, ReadsBackWhatTheWriterWrites) {
  for (const bool binary : {false, true})
    for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron})
      for (const int order : {1, 3}) {
        Box box{type, {3, 2, 2}};
        box.periodic[1] = true;
        Mesh mesh = curved(box_mesh(box), order, [](const Point& p) {
          return Point{p[0] + 0.1 * p[1] * p[1], p[1], p[2]};
        });
        mesh.boundaries[0].names.emplace_back("inlet");
        const Mesh back = parse(gmsh_text(mesh, binary));
        EXPECT_EQ(back.points, mesh.points);
        EXPECT_EQ(back.geometry_nodes, mesh.geometry_nodes);
        EXPECT_EQ(back.elements, mesh.elements);
        EXPECT_EQ(back.tagged_faces, mesh.tagged_faces);
        ASSERT_EQ(back.boundaries.size(), mesh.boundaries.size());
        EXPECT_TRUE(back.boundaries[0].is("inlet") && back.boundaries[0].is("x-"));
        ASSERT_EQ(back.periodic.size(), 1u);
        EXPECT_EQ(back.periodic[0].vertices, mesh.periodic[0].vertices);
      }
}

TEST(GmshReader, ReadsBinaryOfEitherByteOrder) {
  // One triangle in 2.2 binary, big-endian.
  const auto big = [](auto value) {
    std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
    std::reverse(bytes.begin(), bytes.end());
    return bytes;
  };
  std::string text = "$MeshFormat\n2.2 1 8\n" + big(1) + "\n$EndMeshFormat\n$Nodes\n3\n";
  for (int k = 0; k < 3; ++k) text += big(k + 5) + big(k == 1 ? 2.0 : 0.0) + big(k == 2 ? 2.0 : 0.0) + big(0.0);
  text += "\n$EndNodes\n$Elements\n1\n" + big(2) + big(1) + big(1) + big(1) + big(7) + big(5) + big(6) + big(7) +
          "\n$EndElements\n";
  const Mesh mesh = parse(text);
  EXPECT_EQ(total_measure(mesh), 2);
  EXPECT_EQ(mesh.regions[0].text(), "7");
  EXPECT_MESSAGE(InputError, "m.msh: byte ", parse(text.substr(0, text.size() - 30)));
}

/// Appends the bytes of numbers.
template <class... T>
std::string raw(T... values) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  return bytes;
}

TEST(GmshReader, ReadsVersion40InBinaryWithPartitionsAndPeriodicNodes) {
  const auto large = [](std::uint64_t value) { return raw(value); };
  std::string text = "$MeshFormat\n4 1 8\n" + raw(1) +
                     "\n$EndMeshFormat\n$PhysicalNames\n2\n2 5 \"plate\"\n1 5 \"rim\"\n$EndPhysicalNames\n";
  // One surface (tag 3) in group 5; the partitioned file hangs its triangles on a child of it (tag 8). Between the
  // parts lies a curve (tag 9) that Gmsh gives group 1.
  text += "$Entities\n" + large(0) + large(0) + large(1) + large(0) + raw(3, 0., 0., 0., 1., 1., 0.) + large(1) +
          raw(5) + large(0) + "\n$EndEntities\n";
  text += "$PartitionedEntities\n" + large(2) + large(0) + large(0) + large(1) + large(1) + large(0) +
          raw(9, 2, 3, 2, 1, 2, 0., 0., 0., 1., 1., 0.) + large(1) + raw(1) + large(0) +
          raw(8, 2, 3, 1, 1, 0., 0., 0., 1., 1., 0.) + large(1) + raw(5) + large(0) + "\n$EndPartitionedEntities\n";
  text += "$Nodes\n" + large(1) + large(4) + raw(8, 2, 1) + large(4);  // parametric: u and v follow
  for (int k = 0; k < 4; ++k) text += raw(10 * k, k % 2 == 0 ? 0. : 1., k < 2 ? 0. : 1., 0., 0.25, 0.75);
  text += "\n$EndNodes\n$Elements\n" + large(2) + large(3) + raw(9, 1, 1) + large(1) + raw(1, 10, 20) + raw(8, 2, 2) +
          large(2) + raw(2, 0, 10, 20) + raw(3, 10, 30, 20) + "\n$EndElements\n";
  text += "$Periodic\n" + large(1) + raw(1, 1, 2) + large(2) + raw(10, 0) + raw(30, 20) + "\n$EndPeriodic\n";
  const Mesh mesh = parse(text);
  EXPECT_EQ(mesh.size(), 2u);
  EXPECT_DOUBLE_EQ(total_measure(mesh), 1);
  EXPECT_EQ(mesh.regions[0].text(), "plate");
  EXPECT_TRUE(mesh.tagged_faces.empty());
  ASSERT_EQ(mesh.periodic.size(), 1u);
  EXPECT_EQ(mesh.periodic[0].vertices, (std::vector<std::pair<std::int32_t, std::int32_t>>{{1, 0}, {3, 2}}));
}

TEST(GmshReader, BearsTagsAndCoordinatesAtTheirLimits) {
  const std::string good = two_tetrahedra();
  std::string text;
  for (std::size_t from = 0, at = 0; from < good.size(); from = at) {  // node 1000 everywhere
    at = good.find("1000", from);
    if (at == std::string::npos) at = good.size();
    text += good.substr(from, at - from);
    if (at < good.size()) {
      text += "9000000000000000000";
      at += 4;
    }
  }
  EXPECT_EQ(parse(text).elements, parse(good).elements);
  EXPECT_EQ(parse(replaced(good, "2 0 0 1\n", "2 1e-400 0 +1\n")).points, parse(good).points);
  EXPECT_MESSAGE(InputError, "m.msh:16: a coordinate should be a number, not \"1e400\"",
                 parse(replaced(good, "2 0 0 1\n", "2 0 0 1e400\n")));
  EXPECT_MESSAGE(InputError, "has the coordinate 1e+200", parse(replaced(good, "2 0 0 1\n", "2 0 0 1e200\n")));
  EXPECT_EQ(parse(replaced(good, "2 5 1 1000", "2 -9223372036854775808 1 1000")).size(), 2u);
}

/// Files by Gmsh itself, where it is installed.
class WithGmsh : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("gmsh --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "gmsh is not installed";
    write_bytes(scratch_ / "box.geo",
                R"(Point(1) = {0,0,0,2}; Point(2) = {1,0,0,2}; Point(3) = {1,1,0,2}; Point(4) = {0,1,0,2};
Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,1};
Curve Loop(1) = {1,2,3,4}; Plane Surface(1) = {1};
out[] = Extrude {0,0,1} { Surface{1}; };
Periodic Surface {out[0]} = {1} Translate {0,0,1};
Physical Volume("box") = {1}; Physical Surface("bottom") = {1}; Physical Surface("rest", 7) = {13,17,21,25,26};
Physical Surface("both") = {13};
)");
  }
  Mesh make(const std::string& options) {
    const std::string file = (scratch_ / "box.msh").string();
    std::filesystem::remove(file);
    const std::string line =
        fmt::format("gmsh -3 {} {} -o {} >/dev/null 2>&1", (scratch_ / "box.geo").string(), options, file);
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
    return read_mesh(file);
  }
  ScratchDirectory scratch_;
};

TEST_F(WithGmsh, AllFormatsGiveTheSameMesh) {
  const Mesh first = make("-format msh22");
  EXPECT_EQ(first.periodic.size(), 1u);
  for (const char* options : {"-format msh22 -bin", "-format msh40", "-format msh41", "-format msh41 -bin"}) {
    const Mesh mesh = make(options);
    EXPECT_EQ(mesh.size(), first.size()) << options;
    EXPECT_NEAR(total_measure(mesh), 1, 1e-12);
    std::multiset<std::string> a, b;
    for (const std::int32_t k : first.boundary_of) a.insert(first.boundaries[static_cast<std::size_t>(k)].text());
    for (const std::int32_t k : mesh.boundary_of) b.insert(mesh.boundaries[static_cast<std::size_t>(k)].text());
    EXPECT_EQ(a, b);
    EXPECT_EQ(a.count("rest+both"), a.count("bottom"));
    EXPECT_EQ(mesh.regions[0].text(), "box");
    // In the solver's order they are the same numbers as well; text keeps 16 digits.
    const Mesh ordered = reordered(mesh, hilbert_order(mesh)), expected = reordered(first, hilbert_order(first));
    EXPECT_EQ(ordered.elements, expected.elements) << options;
    for (std::size_t p = 0; p < ordered.points.size(); ++p)
      for (unsigned d = 0; d < 3; ++d) EXPECT_NEAR(ordered.points[p][d], expected.points[p][d], 1e-15);
    ASSERT_EQ(mesh.periodic.size(), 1u);
    for (const auto& [here, there] : mesh.periodic[0].vertices)
      EXPECT_NEAR(
          std::abs(mesh.points[static_cast<std::size_t>(here)][2] - mesh.points[static_cast<std::size_t>(there)][2]), 1,
          1e-12);
  }
}

TEST_F(WithGmsh, PartitionedFilesAreTheSameMesh) {
  const Mesh whole = make("-format msh22");
  for (const char* format : {"msh22 -bin", "msh40", "msh41 -bin"}) {
    const Mesh mesh = make(fmt::format("-part 2 -format {}", format));
    EXPECT_EQ(mesh.size(), whole.size()) << format;
    EXPECT_NEAR(total_measure(mesh), 1, 1e-12);
    EXPECT_EQ(mesh.boundary_of.size(), whole.boundary_of.size()) << format;
    EXPECT_EQ(mesh.boundaries.size(), whole.boundaries.size()) << format;
  }
}

TEST_F(WithGmsh, HighOrderNodesStandInLatticeOrder) {
  for (const int order : {2, 3, 4, 5, 8}) {
    const Mesh mesh = make(fmt::format("-order {} -format {}", order, order % 2 == 0 ? "msh22" : "msh41 -bin"));
    ASSERT_EQ(mesh.geometry_order, order);
    const std::vector<Weights> places = lattice(3, order);
    double worst = 0;
    for (std::size_t e = 0; e < mesh.size(); ++e)
      for (std::size_t n = 0; n < places.size(); ++n)
        for (unsigned d = 0; d < 3; ++d) {
          double x = -mesh.points[static_cast<std::size_t>(mesh.nodes(e)[n])][d];
          for (unsigned v = 0; v < 4; ++v) x += mesh.vertex(e, static_cast<int>(v))[d] * places[n][v] / order;
          worst = std::max(worst, std::abs(x));
        }
    EXPECT_LT(worst, 1e-10) << order;
  }
}

TEST(GmshReader, ReadsOtherPeoplesMeshes) {
  if (!std::filesystem::exists(shared_mesh("cubeTet.msh"))) GTEST_SKIP() << "there is no data folder";
  const Mesh cube = read_mesh(shared_mesh("cubeTet.msh")), square = read_mesh(shared_mesh("squareTri.msh"));
  EXPECT_EQ(cube.size(), 750u);
  EXPECT_NEAR(total_measure(cube), 8, 1e-12);
  EXPECT_EQ(square.size(), 200u);
  EXPECT_NEAR(total_measure(square), 4, 1e-12);
  EXPECT_EQ(cube.boundaries[0].text(), "Inflow");
}

}  // namespace
}  // namespace rtcg::dgfem
