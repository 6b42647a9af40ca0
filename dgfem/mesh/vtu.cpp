#include "dgfem/mesh/vtu.h"

#include <fmt/format.h>

#include "rtcg/error.h"

#ifdef RTCG_WITH_VTK
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCommand.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkStringArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <charconv>
#include <limits>

#include "dgfem/mesh/node_orders.h"
#include "rtcg/io/aside_file.h"
#endif

namespace rtcg::dgfem {

#ifndef RTCG_WITH_VTK

bool vtu_available() {
  return false;
}
RawMesh read_vtu(const std::filesystem::path& file) {
  throw UsageError(
      fmt::format("{}: this build has no VTK and so reads no .vtu (configure with RTCG_WITH_VTK=ON)", file.string()));
}
void write_vtu(const std::filesystem::path& file, const Mesh&) {
  throw UsageError(
      fmt::format("{}: this build has no VTK and so writes no .vtu (configure with RTCG_WITH_VTK=ON)", file.string()));
}

#else

namespace {

/// Takes VTK's messages, which it would print otherwise.
class Listener : public vtkCommand {
 public:
  static Listener* New() { return new Listener; }
  void Execute(vtkObject*, unsigned long event, void* data) override {
    if (event == vtkCommand::ErrorEvent && message.empty() && data != nullptr) message = static_cast<const char*>(data);
  }
  /// The last line, which says what is wrong; the others say where in VTK.
  std::string line() const {
    std::string text = message;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    text = text.substr(text.rfind('\n') + 1);
    const std::size_t start = text.find("): ");
    return start == std::string::npos ? text : text.substr(start + 3);
  }
  std::string message;
};

struct Kind {
  int dimension = -1, order = 0;
};

/// What a VTK cell is; dimension -1 for shapes that are not read, order 0 for those that may only lie beside the mesh.
Kind kind_of(int type, vtkIdType points) {
  switch (type) {
    case VTK_VERTEX:
    case VTK_POLY_VERTEX:
      return {0, 1};
    case VTK_POLY_LINE:
      return {1, 0};
    case VTK_LINE:
    case VTK_QUADRATIC_EDGE:
    case VTK_LAGRANGE_CURVE:
      return {1, 1};  // both ends come first, and they name a face
    case VTK_TRIANGLE:
      return {2, 1};
    case VTK_QUADRATIC_TRIANGLE:
      return {2, 2};
    case VTK_TETRA:
      return {3, 1};
    case VTK_QUADRATIC_TETRA:
      return {3, 2};
    case VTK_LAGRANGE_TRIANGLE:
    case VTK_LAGRANGE_TETRAHEDRON: {
      const int dimension = type == VTK_LAGRANGE_TRIANGLE ? 2 : 3;
      for (int order = 1; order <= 10; ++order)
        if (simplex_nodes(dimension, order) == points) return {dimension, order};
      return {};
    }
    default:
      return {};
  }
}

class GridReader {
 public:
  GridReader(vtkUnstructuredGrid* grid, const std::string& name) : grid_(grid) { mesh_.source = name; }

  RawMesh run() {
    const vtkIdType points = grid_->GetNumberOfPoints();
    if (points > std::numeric_limits<std::int32_t>::max()) fail("more points than fit");
    mesh_.points.resize(static_cast<std::size_t>(points));
    for (vtkIdType p = 0; p < points; ++p) grid_->GetPoint(p, mesh_.points[static_cast<std::size_t>(p)].data());
    int dimension = 0;
    for (vtkIdType c = 0; c < grid_->GetNumberOfCells(); ++c) {
      const Kind kind = kind_of(grid_->GetCellType(c), grid_->GetCells()->GetCellSize(c));
      if (kind.dimension < 0)
        fail(fmt::format("cell {} is of VTK's type {}; only triangles and tetrahedra are read", c,
                         grid_->GetCellType(c)));
      dimension = std::max(dimension, kind.dimension);
    }
    read_names("region_names", dimension);
    read_names("boundary_names", dimension - 1);
    vtkDataArray *regions = array({"region", "gmsh:physical", "CellEntityIds", "MaterialIds"}),
                 *faces = array({"boundary", "gmsh:physical", "CellEntityIds"});
    vtkNew<vtkIdList> ids;
    for (vtkIdType c = 0; c < grid_->GetNumberOfCells(); ++c) {
      const Kind kind = kind_of(grid_->GetCellType(c), grid_->GetCells()->GetCellSize(c));
      if (kind.dimension < std::max(dimension - 1, 1)) continue;
      if (kind.order == 0) fail(fmt::format("cell {} is a polyline; only plain lines name the faces of triangles", c));
      grid_->GetCellPoints(c, ids);
      const int width = simplex_nodes(kind.dimension, kind.order);
      if (ids->GetNumberOfIds() < width) fail(fmt::format("cell {} has too few points", c));
      add(kind, ids, width, group(kind.dimension == dimension ? regions : faces, c, kind.dimension));
    }
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("{}: {}", mesh_.source, what)); }

  vtkDataArray* array(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      vtkDataArray* found = grid_->GetCellData()->GetArray(name);
      if (found != nullptr && found->GetNumberOfComponents() == 1) return found;
    }
    return nullptr;
  }
  void read_names(const char* name, int dimension) {
    auto* lines = vtkStringArray::SafeDownCast(grid_->GetFieldData()->GetAbstractArray(name));
    for (vtkIdType k = 0; lines != nullptr && k < lines->GetNumberOfValues(); ++k) {
      const std::string& line = lines->GetValue(k);
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
      if (error != std::errc() || *end != ' ')
        fail(fmt::format("{} should hold \"NUMBER NAME\", not \"{}\"", name, line));
      // A group may have several names: each is a number of its own.
      const auto own = static_cast<std::int64_t>(++names_);
      mesh_.groups.name(dimension, first_own + own, end + 1);
      numbers_[{dimension, number}].push_back(first_own + own);
    }
  }
  std::vector<std::int64_t> group(vtkDataArray* array, vtkIdType cell, int dimension) const {
    const double value = array == nullptr ? -1 : array->GetTuple1(cell);
    if (!(value >= 0 && value < first_own)) return {};
    const auto number = static_cast<std::int64_t>(value);
    const auto named = numbers_.find({dimension, number});
    return named != numbers_.end() ? named->second : std::vector<std::int64_t>(1, number);
  }
  void add(const Kind& kind, vtkIdList* ids, int width, std::vector<std::int64_t> group) {
    RawElements& target = mesh_.elements[{kind.dimension, kind.order}];
    const std::vector<int>& places = order(kind);
    const std::size_t start = target.nodes.size();
    target.nodes.resize(start + static_cast<std::size_t>(width));
    for (int n = 0; n < width; ++n) {
      const vtkIdType point = ids->GetId(n);
      if (point < 0 || point >= grid_->GetNumberOfPoints()) fail(fmt::format("there is no point {}", point));
      target.nodes[start + static_cast<std::size_t>(places[static_cast<std::size_t>(n)])] =
          static_cast<std::int32_t>(point);
    }
    target.groups.push_back(mesh_.groups.intern(kind.dimension, std::move(group)));
  }
  const std::vector<int>& order(const Kind& kind) {
    std::vector<int>& places = orders_[{kind.dimension, kind.order}];
    if (places.empty()) places = vtk_order(kind.dimension, kind.order);
    return places;
  }

  static constexpr std::int64_t first_own = std::int64_t{1} << 40;  // beyond what a file counts to
  vtkUnstructuredGrid* grid_;
  RawMesh mesh_;
  std::size_t names_ = 0;
  std::map<std::pair<int, std::int64_t>, std::vector<std::int64_t> > numbers_;
  std::map<std::pair<int, int>, std::vector<int> > orders_;
};

void add_names(vtkUnstructuredGrid* grid, const char* name, const std::vector<Group>& groups) {
  vtkNew<vtkStringArray> lines;
  lines->SetName(name);
  for (std::size_t k = 0; k < groups.size(); ++k)
    for (const std::string& text : groups[k].names) lines->InsertNextValue(fmt::format("{} {}", k, text));
  grid->GetFieldData()->AddArray(lines);
}

}  // namespace

bool vtu_available() {
  return true;
}

RawMesh read_vtu(const std::filesystem::path& file) {
  vtkNew<Listener> listener;
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  for (const unsigned long event : {vtkCommand::ErrorEvent, vtkCommand::WarningEvent})
    reader->AddObserver(event, listener);
  reader->SetReaderErrorObserver(listener);
  reader->SetParserErrorObserver(listener);
  reader->SetFileName(file.c_str());
  reader->Update();
  vtkUnstructuredGrid* grid = reader->GetOutput();
  if (!listener->message.empty() || reader->GetErrorCode() != 0 || grid->GetPoints() == nullptr)
    throw InputError(fmt::format("{}: VTK cannot read it: {}", file.string(),
                                 listener->message.empty() ? "no unstructured grid" : listener->line()));
  return GridReader(grid, file.string()).run();
}

void write_vtu(const std::filesystem::path& file, const Mesh& mesh) {
  vtkNew<vtkUnstructuredGrid> grid;
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  points->SetNumberOfPoints(static_cast<vtkIdType>(mesh.points.size()));
  for (std::size_t p = 0; p < mesh.points.size(); ++p)
    points->SetPoint(static_cast<vtkIdType>(p), mesh.points[p].data());
  grid->SetPoints(points);
  vtkNew<vtkIntArray> region, boundary;
  region->SetName("region");
  boundary->SetName("boundary");
  const std::size_t cells = mesh.size() + mesh.boundary_of.size();
  grid->Allocate(static_cast<vtkIdType>(cells));
  const int dimension = mesh.dimension(), order = mesh.geometry_order;
  const std::vector<int> places = vtk_order(dimension, order);
  std::vector<vtkIdType> ids(places.size());
  const int type = dimension == 2 ? (order == 1 ? VTK_TRIANGLE : VTK_LAGRANGE_TRIANGLE)
                                  : (order == 1 ? VTK_TETRA : VTK_LAGRANGE_TETRAHEDRON);
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    for (std::size_t n = 0; n < ids.size(); ++n) ids[n] = mesh.nodes(e)[places[n]];
    grid->InsertNextCell(type, static_cast<vtkIdType>(ids.size()), ids.data());
    region->InsertNextValue(mesh.region_of[e]);
    boundary->InsertNextValue(-1);
  }
  const auto width = static_cast<std::size_t>(dimension);
  for (std::size_t f = 0; f < mesh.boundary_of.size(); ++f) {
    const std::vector<vtkIdType> face(mesh.tagged_faces.begin() + static_cast<std::ptrdiff_t>(f * width),
                                      mesh.tagged_faces.begin() + static_cast<std::ptrdiff_t>((f + 1) * width));
    grid->InsertNextCell(dimension == 2 ? VTK_LINE : VTK_TRIANGLE, dimension, face.data());
    region->InsertNextValue(-1);
    boundary->InsertNextValue(mesh.boundary_of[f]);
  }
  grid->GetCellData()->AddArray(region);
  grid->GetCellData()->AddArray(boundary);
  add_names(grid, "region_names", mesh.regions);
  add_names(grid, "boundary_names", mesh.boundaries);

  AsideFile aside(file);
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetFileName(aside.path().c_str());
  writer->SetInputData(grid);
  writer->SetDataModeToAppended();
  writer->EncodeAppendedDataOff();
  writer->SetHeaderTypeToUInt64();
  if (writer->Write() != 1 || writer->GetErrorCode() != 0)
    throw InputError(fmt::format("{}: could not be written whole (is the disk full?)", file.string()));
  aside.commit();
}

#endif

}  // namespace rtcg::dgfem
