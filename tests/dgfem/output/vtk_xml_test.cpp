#include "dgfem/output/vtk_xml.h"

#include <gtest/gtest.h>
#include <vtkDataArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkXMLImageDataReader.h>

#include <cmath>

#include "dgfem/mesh/box.h"
#include "dgfem/output/plane_probe.h"
#include "dgfem/system_file.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

TEST(VtkXml, ImagesOfPlanesAreReadByVtk) {
  const ScratchDirectory scratch;
  Problem problem;
  problem.mesh = box_mesh({ElementType::tetrahedron, {2, 2, 2}, {0, 0, 0}, {2, 1, 1}});
  problem.system = shipped_system("acoustics", 3);
  problem.order = 2;
  for (const Group& boundary : problem.mesh.boundaries) problem.boundaries[boundary.text()] = {"rigid", {}};
  problem.initial = {{"p", "x * x"}, {"u", "1"}, {"v", "2"}, {"w", "y * z"}};
  const Solver solver(Stream(Device::preferred()), problem);
  const PlaneProbe plane(solver, {"cut", 0, 0.5, {5, 9}});
  plane.write(scratch / "cut.vti", *problem.system, plane(solver), 0.25);

  vtkNew<vtkXMLImageDataReader> reader;
  reader->SetFileName((scratch / "cut.vti").c_str());
  reader->Update();
  ASSERT_EQ(reader->GetErrorCode(), 0u);
  vtkImageData* image = reader->GetOutput();
  ASSERT_EQ(image->GetNumberOfPoints(), 45);
  vtkDataArray *p = image->GetPointData()->GetArray("p"), *velocity = image->GetPointData()->GetArray("velocity");
  ASSERT_NE(p, nullptr);
  ASSERT_NE(velocity, nullptr);
  for (vtkIdType k = 0; k < 45; ++k) {
    std::array<double, 3> x{};
    image->GetPoint(k, x.data());
    EXPECT_EQ(x[0], 0.5);
    EXPECT_NEAR(p->GetTuple1(k), 0.25, 1e-6);
    EXPECT_NEAR(velocity->GetComponent(k, 1), 2, 1e-6);
    EXPECT_NEAR(velocity->GetComponent(k, 2), x[1] * x[2], 1e-6);
  }
}

TEST(VtkXml, EmptyAndExactlyFullBlocksAreRead) {
  const ScratchDirectory scratch;
  for (const int side : {1, 256}) {  // 4 bytes; 256 KiB, which is one block
    const std::string extent = "0 " + std::to_string(side - 1) + " 0 " + std::to_string(side - 1) + " 0 0";
    const VtkFile file{"ImageData",
                       "1.0",
                       "WholeExtent=\"" + extent + "\" Origin=\"0 0 0\" Spacing=\"1 1 1\"",
                       "Extent=\"" + extent + "\"",
                       {},
                       {},
                       {{"PointData", {VtkArray::of<float>("a <b>", 1, [&] {
                           std::vector<float> values(static_cast<std::size_t>(side * side));
                           for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k);
                           return values;
                         })}}}};
    write_vtk(scratch / "a.vti", file);
    vtkNew<vtkXMLImageDataReader> reader;
    reader->SetFileName((scratch / "a.vti").c_str());
    reader->Update();
    vtkDataArray* array = reader->GetOutput()->GetPointData()->GetArray("a <b>");
    ASSERT_NE(array, nullptr);
    ASSERT_EQ(array->GetNumberOfTuples(), side * side);
    for (vtkIdType k = 0; k < side * side; ++k) ASSERT_EQ(array->GetTuple1(k), static_cast<double>(k));
  }
}

}  // namespace
}  // namespace rtcg::dgfem
