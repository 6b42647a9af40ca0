#include "apps/common/vti.h"

#include <fmt/format.h>

#include "rtcg/error.h"

#ifdef RTCG_WITH_VTK
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkXMLImageDataWriter.h>

#include <limits>

#include "rtcg/io/aside_file.h"
#endif

namespace rtcg::app {

#ifndef RTCG_WITH_VTK

bool vti_available() {
  return false;
}

void write_vti(const std::filesystem::path& file, const VtiImage&) {
  throw UsageError(
      fmt::format("{}: this build has no VTK and so writes no .vti (configure with RTCG_WITH_VTK=ON)", file.string()));
}

#else

bool vti_available() {
  return true;
}

void write_vti(const std::filesystem::path& file, const VtiImage& image) {
  const std::size_t count = image.points[0] * image.points[1] * image.points[2];
  for (const std::size_t n : image.points)
    if (n == 0 || n > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw UsageError(fmt::format("{}: {} points along one axis cannot be written", file.string(), n));
  vtkNew<vtkImageData> grid;
  grid->SetDimensions(static_cast<int>(image.points[0]), static_cast<int>(image.points[1]),
                      static_cast<int>(image.points[2]));
  grid->SetOrigin(image.origin.data());
  grid->SetSpacing(image.spacing.data());
  for (const VtiImage::Field& field : image.fields) {
    if (field.values.size() != count)
      throw UsageError(fmt::format("{}: field {} has {} values for {} points", file.string(), field.name,
                                   field.values.size(), count));
    vtkNew<vtkFloatArray> array;
    array->SetName(field.name.c_str());
    // VTK wants a pointer to non-const but the writer only reads; 1: VTK does not free it.
    array->SetArray(const_cast<float*>(field.values.data()), static_cast<vtkIdType>(count), 1);
    grid->GetPointData()->AddArray(array);
  }
  if (!image.fields.empty()) grid->GetPointData()->SetActiveScalars(image.fields.front().name.c_str());
  AsideFile aside(file);
  vtkNew<vtkXMLImageDataWriter> writer;
  writer->SetFileName(aside.path().c_str());
  writer->SetInputData(grid);
  writer->EncodeAppendedDataOff();
  if (writer->Write() != 1 || writer->GetErrorCode() != 0)
    throw InputError(fmt::format("{}: could not be written whole (is the disk full?)", file.string()));
  aside.commit();
}

#endif

}  // namespace rtcg::app
