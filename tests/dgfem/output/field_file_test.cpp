#include "dgfem/output/field_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkFieldData.h>
#include <vtkGenericCell.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkStringArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <Eigen/LU>
#include <cmath>
#include <csignal>

#include "dgfem/geometry.h"
#include "dgfem/mesh/box.h"
#include "dgfem/reference_element.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

System system_of(int dimension) {
  System system;
  system.name = "test";
  system.dimension = dimension;
  system.fields = {"p", "u", "v"};
  system.vectors = {{"velocity", {1, 2}}};
  if (dimension == 3) {
    system.fields.push_back("w");
    system.vectors[0].fields.push_back(3);
  }
  return system;
}

/// Polynomials of degree `order`, one for each field; of degree 1 where elements are curved.
double polynomial(int field, int order, const double* x) {
  return std::pow(0.3 + x[0] - 0.5 * x[1] + 0.25 * x[2] * (field + 1), order) - field;
}

std::vector<double> nodal_values(const Mesh& mesh, int order, int degree, int fields) {
  const ReferenceElement element(mesh.type, order);
  const ElementMap map(mesh, element.nodes());
  std::vector<double> values;
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    const Eigen::MatrixXd x = map.places(e);
    for (Eigen::Index n = 0; n < x.rows(); ++n) {
      const Eigen::RowVector3d at = x.row(n);
      for (int f = 0; f < fields; ++f) values.push_back(polynomial(f, degree, at.data()));
    }
  }
  return values;
}

vtkUnstructuredGrid* opened(vtkXMLUnstructuredGridReader* reader, const std::filesystem::path& file) {
  reader->SetFileName(file.c_str());
  reader->Update();
  EXPECT_EQ(reader->GetErrorCode(), 0u);
  return reader->GetOutput();
}

/// The largest error of the fields, by VTK's own shape functions at points inside of each cell.
double largest_error(vtkUnstructuredGrid* grid, int degree, int fields) {
  double worst = 0;
  vtkNew<vtkGenericCell> cell;
  vtkDataArray *p = grid->GetPointData()->GetArray("p"), *velocity = grid->GetPointData()->GetArray("velocity");
  EXPECT_NE(p, nullptr);
  EXPECT_NE(velocity, nullptr);
  EXPECT_EQ(velocity->GetNumberOfComponents(), 3);
  for (vtkIdType c = 0; c < grid->GetNumberOfCells(); ++c) {
    grid->GetCell(c, cell);
    std::vector<double> weights(static_cast<std::size_t>(cell->GetNumberOfPoints()));
    for (const std::array<double, 3> at : {std::array{0.21, 0.34, 0.17}, {0.6, 0.1, 0.05}, {0.05, 0.05, 0.8}}) {
      std::array<double, 3> inside = at, x{};
      if (cell->GetCellDimension() == 2) inside[2] = 0;
      int sub = 0;
      cell->EvaluateLocation(sub, inside.data(), x.data(), weights.data());
      std::vector<double> value(static_cast<std::size_t>(fields), 0);
      for (vtkIdType k = 0; k < cell->GetNumberOfPoints(); ++k) {
        const vtkIdType point = cell->GetPointId(static_cast<int>(k));
        value[0] += weights[static_cast<std::size_t>(k)] * p->GetComponent(point, 0);
        for (int f = 1; f < fields; ++f)
          value[static_cast<std::size_t>(f)] +=
              weights[static_cast<std::size_t>(k)] * velocity->GetComponent(point, f - 1);
      }
      for (int f = 0; f < fields; ++f)
        worst = std::max(worst, std::abs(value[static_cast<std::size_t>(f)] - polynomial(f, degree, x.data())));
    }
  }
  return worst;
}

Mesh two_regions(ElementType type) {
  Mesh mesh = box_mesh({type, {2, 1, 1}, {0, 0, 0}, {1, 1, type == ElementType::triangle ? 0.0 : 1.0}});
  mesh.regions.push_back({{"other", "löss <\"&>"}});
  mesh.region_of.back() = 1;
  return mesh;
}

TEST(FieldFile, HoldsPolynomialsExactlyAtEveryOrder) {
  const ScratchDirectory scratch;
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron})
    for (int order = 1; order <= 10; ++order)
      for (const bool single : {true, false}) {
        const Mesh mesh = two_regions(type);
        const System system = system_of(mesh.dimension());
        const int fields = static_cast<int>(system.fields.size());
        FieldFileWriter(mesh, order, {FieldCells::lagrange, single})
            .write(scratch / "f.vtu", system, nodal_values(mesh, order, order, fields), 0.1);
        vtkNew<vtkXMLUnstructuredGridReader> reader;
        vtkUnstructuredGrid* grid = opened(reader, scratch / "f.vtu");
        ASSERT_EQ(grid->GetNumberOfCells(), static_cast<vtkIdType>(mesh.size()));
        EXPECT_LT(largest_error(grid, order, fields) / std::pow(2.3, order), single ? 1e-6 : 1e-14)
            << name_of(type) << " " << order;
        EXPECT_EQ(grid->GetCellData()->GetArray("region")->GetTuple1(grid->GetNumberOfCells() - 1), 1);
        EXPECT_EQ(grid->GetCellData()->GetArray("region")->GetTuple1(0), 0);
        auto* names = vtkStringArray::SafeDownCast(grid->GetFieldData()->GetAbstractArray("region_names"));
        ASSERT_NE(names, nullptr);
        ASSERT_EQ(names->GetNumberOfValues(), 3);
        EXPECT_EQ(names->GetValue(1), "1 other");
        EXPECT_EQ(names->GetValue(2), "1 löss <\"&>");
        EXPECT_EQ(grid->GetFieldData()->GetArray("TimeValue")->GetTuple1(0), 0.1);
      }
}

TEST(FieldFile, ShowsCurvedElementsCurved) {
  const ScratchDirectory scratch;
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron})
    for (const int order : {1, 3, 4}) {  // below, at and above the mesh's
      const Mesh mesh = curved(two_regions(type), 3, [](const Point& p) {
        return Point{p[0] + 0.1 * p[1] * p[1], p[1] - 0.05 * p[0] * p[0] * p[0], p[2]};
      });
      const System system = system_of(mesh.dimension());
      const int fields = static_cast<int>(system.fields.size());
      FieldFileWriter(mesh, order, {FieldCells::lagrange, false})
          .write(scratch / "f.vtu", system, nodal_values(mesh, order, 0, fields));
      vtkNew<vtkXMLUnstructuredGridReader> reader;
      vtkUnstructuredGrid* grid = opened(reader, scratch / "f.vtu");
      EXPECT_LT(largest_error(grid, 0, fields), 1e-12);
      // The same parametric point in VTK's element and in ours.
      vtkNew<vtkGenericCell> cell;
      Eigen::MatrixXd reference(1, mesh.dimension());
      reference.setConstant(2 * 0.25 - 1);
      const ElementMap map(mesh, reference);
      for (std::size_t e = 0; e < mesh.size(); ++e) {
        grid->GetCell(static_cast<vtkIdType>(e), cell);
        std::vector<double> weights(static_cast<std::size_t>(cell->GetNumberOfPoints()));
        std::array<double, 3> inside{0.25, 0.25, type == ElementType::triangle ? 0.0 : 0.25}, x{};
        int sub = 0;
        cell->EvaluateLocation(sub, inside.data(), x.data(), weights.data());
        const Eigen::MatrixXd expected = map.places(e);
        for (int d = 0; d < 3; ++d) EXPECT_NEAR(x[static_cast<unsigned>(d)], expected(0, d), 1e-14);
      }
    }
}

TEST(FieldFile, SubdividedCellsFillTheElementsAndKeepLinearFields) {
  const ScratchDirectory scratch;
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron})
    for (const int order : {1, 2, 3, 6, 10}) {
      const Mesh mesh = two_regions(type);
      const System system = system_of(mesh.dimension());
      const int fields = static_cast<int>(system.fields.size());
      FieldFileWriter(mesh, order, {FieldCells::subdivided, false})
          .write(scratch / "f.vtu", system, nodal_values(mesh, order, 1, fields));
      vtkNew<vtkXMLUnstructuredGridReader> reader;
      vtkUnstructuredGrid* grid = opened(reader, scratch / "f.vtu");
      const int each = type == ElementType::triangle ? order * order : order * order * order;
      ASSERT_EQ(grid->GetNumberOfCells(), static_cast<vtkIdType>(mesh.size()) * each);
      EXPECT_LT(largest_error(grid, 1, fields), 1e-13);
      double measure = 0;
      for (vtkIdType c = 0; c < grid->GetNumberOfCells(); ++c) {
        Eigen::Matrix3d edges = Eigen::Matrix3d::Identity();
        std::array<double, 3> first{}, other{};
        grid->GetPoint(grid->GetCell(c)->GetPointId(0), first.data());
        for (int v = 1; v <= mesh.dimension(); ++v) {
          grid->GetPoint(grid->GetCell(c)->GetPointId(v), other.data());
          for (int d = 0; d < mesh.dimension(); ++d)
            edges(d, v - 1) = other[static_cast<unsigned>(d)] - first[static_cast<unsigned>(d)];
        }
        const double own = edges.determinant() / (mesh.dimension() == 2 ? 2 : 6);
        ASSERT_GT(own, 0) << "cell " << c << " at order " << order;
        measure += own;
      }
      EXPECT_NEAR(measure, 1, 1e-12);
      EXPECT_EQ(grid->GetCellData()->GetArray("region")->GetTuple1(grid->GetNumberOfCells() - each), 1);
    }
}

TEST(FieldFile, OfManyBlocksIsReadBack) {
  const ScratchDirectory scratch;
  const Mesh mesh = box_mesh({ElementType::tetrahedron, {12, 12, 12}});
  const System system = system_of(3);
  FieldFileWriter(mesh, 3, {FieldCells::lagrange, false}).write(scratch / "f.vtu", system, nodal_values(mesh, 3, 3, 4));
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  EXPECT_LT(largest_error(opened(reader, scratch / "f.vtu"), 3, 4), 1e-13);
}

TEST(FieldFile, SaysWhatIsWrongAndKeepsTheOldFile) {
  const ScratchDirectory scratch;
  const Mesh mesh = two_regions(ElementType::triangle);
  const System system = system_of(2);
  const FieldFileWriter writer(mesh, 2);
  EXPECT_MESSAGE(UsageError, "f.vtu: 3 values given for 4 elements of 6 nodes and 3 fields",
                 writer.write(scratch / "f.vtu", system, std::vector<double>(3)));
  EXPECT_MESSAGE(InputError, "none/f.vtu: cannot be written",
                 writer.write(scratch / "none/f.vtu", system, nodal_values(mesh, 2, 1, 3)));
  // A limit on the size of files stands for a full disk.
  writer.write(scratch / "f.vtu", system, nodal_values(mesh, 2, 1, 3));
  const std::string before = read_bytes(scratch / "f.vtu");
  rlimit unlimited{};
  getrlimit(RLIMIT_FSIZE, &unlimited);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limited = unlimited;
  limited.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &limited);
  EXPECT_MESSAGE(InputError, "f.vtu: cannot be written whole: File too large",
                 writer.write(scratch / "f.vtu", system, nodal_values(mesh, 2, 2, 3)));
  setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_bytes(scratch / "f.vtu"), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
  EXPECT_MESSAGE(UsageError, "\"cubes\" is no kind of cells", parse_field_cells("cubes"));
  EXPECT_EQ(parse_field_cells("subdivide"), FieldCells::subdivided);
}

}  // namespace
}  // namespace rtcg::dgfem
