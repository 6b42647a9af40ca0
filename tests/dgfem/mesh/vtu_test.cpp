#include "dgfem/mesh/vtu.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dgfem/lattice.h"
#include "dgfem/mesh/box.h"
#include "dgfem/mesh/node_orders.h"
#include "dgfem/mesh/read_mesh.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

class Vtu : public testing::Test {
 protected:
  void SetUp() override {
    if (!vtu_available()) GTEST_SKIP() << "this build has no VTK";
  }
  ScratchDirectory scratch_;
};

TEST_F(Vtu, ReadsBackWhatItWrites) {
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron})
    for (const int order : {1, 2, 5}) {
      Mesh mesh = curved(box_mesh({type, {3, 2, 2}}), order, [](const Point& p) {
        return Point{p[0] + 0.1 * p[1] * p[1], p[1], p[2]};
      });
      mesh.regions[0].names = {"air +1", "all"};
      write_vtu(scratch_ / "m.vtu", mesh);
      const Mesh back = read_mesh(scratch_ / "m.vtu");
      EXPECT_EQ(back.points, mesh.points);
      EXPECT_EQ(back.elements, mesh.elements);
      EXPECT_EQ(back.geometry_nodes, mesh.geometry_nodes);
      EXPECT_EQ(back.tagged_faces, mesh.tagged_faces);
      ASSERT_EQ(back.boundaries.size(), mesh.boundaries.size());
      for (std::size_t b = 0; b < mesh.boundaries.size(); ++b)
        EXPECT_EQ(back.boundaries[b].names, mesh.boundaries[b].names);
      EXPECT_EQ(back.regions[0].names, mesh.regions[0].names);
    }
}

TEST_F(Vtu, SaysWhatIsWrong) {
  write_bytes(scratch_ / "bad.vtu", "<VTKFile type=\"UnstructuredGrid\"><Unstr");
  EXPECT_MESSAGE(InputError, "bad.vtu: VTK cannot read it: ", read_mesh(scratch_ / "bad.vtu"));
  write_bytes(scratch_ / "text.vtu", "hello");
  EXPECT_MESSAGE(InputError, "text.vtu: VTK cannot read it: ", read_mesh(scratch_ / "text.vtu"));
  write_bytes(
      scratch_ / "quad.vtu",
      R"(<VTKFile type="UnstructuredGrid" version="0.1"><UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1">
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 1 1 0 0 1 0</DataArray></Points>
<Cells><DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3</DataArray>
<DataArray type="Int64" Name="offsets" format="ascii">4</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">9</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>)");
  EXPECT_MESSAGE(InputError, "quad.vtu: cell 0 is of VTK's type 9", read_mesh(scratch_ / "quad.vtu"));
  EXPECT_MESSAGE(InputError, "none.vtu: cannot be read", read_mesh(scratch_ / "none.vtu"));
}

/// As vtkHigherOrderTetra::BarycentricIndex of VTK 9.1 gives them, x, y, z and the rest.
TEST(NodeOrders, OfVtkAreThoseOfItsLagrangeTetrahedron) {
  const std::vector<Weights> nodes = lattice(3, 4);
  const std::vector<int> order = vtk_order(3, 4);
  const std::vector<std::array<int, 4>> last{{1, 0, 1, 2}, {2, 0, 1, 1}, {1, 0, 2, 1}, {1, 2, 1, 0}, {1, 1, 2, 0},
                                             {2, 1, 1, 0}, {0, 1, 1, 2}, {0, 1, 2, 1}, {0, 2, 1, 1}, {1, 1, 0, 2},
                                             {1, 2, 0, 1}, {2, 1, 0, 1}, {1, 1, 1, 1}};
  for (std::size_t k = 0; k < last.size(); ++k) {
    const Weights& w = nodes[static_cast<std::size_t>(order[order.size() - last.size() + k])];
    EXPECT_EQ((std::array<int, 4>{w[1], w[2], w[3], w[0]}), last[k]) << k;
  }
}

TEST(NodeOrders, VisitEveryNodeOnce) {
  for (int dimension = 1; dimension <= 3; ++dimension)
    for (int order = 1; order <= 10; ++order)
      for (std::vector<int> list : {gmsh_order(dimension, order), vtk_order(dimension, order)}) {
        std::sort(list.begin(), list.end());
        ASSERT_EQ(list.size(), static_cast<std::size_t>(simplex_nodes(dimension, order)));
        for (std::size_t k = 0; k < list.size(); ++k) EXPECT_EQ(list[k], static_cast<int>(k));
      }
}

}  // namespace
}  // namespace rtcg::dgfem
