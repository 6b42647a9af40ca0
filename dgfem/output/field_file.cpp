#include "dgfem/output/field_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "dgfem/geometry.h"
#include "dgfem/mesh/node_orders.h"
#include "dgfem/output/shown_arrays.h"
#include "dgfem/output/subcells.h"
#include "dgfem/output/vtk_xml.h"
#include "dgfem/reference_element.h"
#include "dgfem/warp_blend.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// VTK's numbers of cell types (vtkCellType.h).
std::uint8_t linear_cell(ElementType type) {
  return type == ElementType::triangle ? 5 : 10;
}
std::uint8_t lagrange_cell(ElementType type) {
  return type == ElementType::triangle ? 69 : 71;
}

}  // namespace

FieldCells parse_field_cells(std::string_view text) {
  if (text == "lagrange") return FieldCells::lagrange;
  if (text == "subdivide") return FieldCells::subdivided;
  throw UsageError(fmt::format("\"{}\" is no kind of cells to write; \"lagrange\" and \"subdivide\" are", text));
}

FieldFileWriter::FieldFileWriter(const Mesh& mesh, int order, const FieldFileOptions& options)
    : mesh_(mesh), order_(order), options_(options) {
  const ReferenceElement element(mesh.type, order);
  if (options.cells == FieldCells::subdivided) {
    places_ = element.nodes();
    cells_ = subcells(mesh.type, order);
    cells_per_element_ = static_cast<int>(cells_.size()) / vertices_of(mesh.type);
    type_ = linear_cell(mesh.type);
    return;
  }
  const int cell_order = std::min(std::max(order, mesh.geometry_order), highest_order);
  places_ = equispaced_nodes(mesh.type, cell_order);
  transform_ = element.interpolation(places_);
  cells_ = vtk_order(mesh.dimension(), cell_order);
  type_ = cell_order == 1 ? linear_cell(mesh.type) : lagrange_cell(mesh.type);
}

std::vector<double> FieldFileWriter::points() const {
  const auto width = static_cast<std::size_t>(places_.rows());
  std::vector<double> points(mesh_.size() * width * 3);
  const ElementMap map(mesh_, places_);
  for (std::size_t e = 0; e < mesh_.size(); ++e)
    Eigen::Map<RowMajor>(points.data() + e * width * 3, places_.rows(), 3) = map.places(e);
  return points;
}

std::vector<std::int64_t> FieldFileWriter::connectivity() const {
  std::vector<std::int64_t> connectivity;
  connectivity.reserve(mesh_.size() * cells_.size());
  for (std::size_t e = 0; e < mesh_.size(); ++e)
    for (const int point : cells_) connectivity.push_back(static_cast<std::int64_t>(e) * places_.rows() + point);
  return connectivity;
}

void FieldFileWriter::write(const std::filesystem::path& file, const System& system, std::span<const double> values,
                            std::optional<double> time) const {
  const auto nodes = static_cast<std::size_t>(nodes_of(mesh_.type, order_)), fields = system.fields.size(),
             points_each = static_cast<std::size_t>(places_.rows());
  const std::size_t elements = mesh_.size(), cells = elements * static_cast<std::size_t>(cells_per_element_);
  if (values.size() != elements * nodes * fields)
    throw UsageError(fmt::format("{}: {} values given for {} elements of {} nodes and {} fields", file.string(),
                                 values.size(), elements, nodes, fields));

  const auto array = [&]<class T>(const VectorField& shown, T /*as*/) {
    const std::size_t components = shown.fields.size() == 1 ? 1 : 3;
    return VtkArray::of<T>(shown.name, static_cast<int>(components), [&, shown, components] {
      std::vector<T> result(elements * points_each * components, T(0));
      Eigen::MatrixXd own(static_cast<Eigen::Index>(nodes), static_cast<Eigen::Index>(shown.fields.size()));
      for (std::size_t e = 0; e < elements; ++e) {
        const Eigen::Map<const RowMajor> all(values.data() + e * nodes * fields, static_cast<Eigen::Index>(nodes),
                                             static_cast<Eigen::Index>(fields));
        for (Eigen::Index c = 0; c < own.cols(); ++c) own.col(c) = all.col(shown.fields[static_cast<std::size_t>(c)]);
        Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> target(
            result.data() + e * points_each * components, places_.rows(), static_cast<Eigen::Index>(components));
        if (transform_.size() == 0)
          target.leftCols(own.cols()) = own.cast<T>();
        else
          target.leftCols(own.cols()) = (transform_ * own).cast<T>();
      }
      return result;
    });
  };
  VtkSection point_data{"PointData", {}};
  for (const VectorField& shown : shown_arrays(system))
    point_data.arrays.push_back(options_.single ? array(shown, float{}) : array(shown, double{}));

  const auto repeated = static_cast<std::size_t>(cells_per_element_);
  const auto cell_points = static_cast<std::int64_t>(cells_.size() / repeated);
  VtkFile content{"UnstructuredGrid",
                  "2.2",
                  "",
                  fmt::format("NumberOfPoints=\"{}\" NumberOfCells=\"{}\"", elements * points_each, cells),
                  time,
                  {},
                  {}};
  std::vector<std::string> names;
  for (std::size_t r = 0; r < mesh_.regions.size(); ++r)
    for (const std::string& name : mesh_.regions[r].names) names.push_back(fmt::format("{} {}", r, name));
  content.texts.push_back(VtkArray::of_texts("region_names", std::move(names)));
  content.sections.push_back(std::move(point_data));
  content.sections.push_back({"CellData", {VtkArray::of<std::int32_t>("region", 1, [&] {
                                std::vector<std::int32_t> regions;
                                for (const std::int32_t region : mesh_.region_of)
                                  regions.insert(regions.end(), repeated, region);
                                return regions;
                              })}});
  content.sections.push_back({"Points", {VtkArray::of<double>("Points", 3, [&] { return points(); })}});
  content.sections.push_back(
      {"Cells",
       {VtkArray::of<std::int64_t>("connectivity", 1, [&] { return connectivity(); }),
        VtkArray::of<std::int64_t>("offsets", 1,
                                   [&] {
                                     std::vector<std::int64_t> offsets(cells);
                                     for (std::size_t c = 0; c < cells; ++c)
                                       offsets[c] = (static_cast<std::int64_t>(c) + 1) * cell_points;
                                     return offsets;
                                   }),
        VtkArray::of<std::uint8_t>("types", 1, [&] { return std::vector<std::uint8_t>(cells, type_); })}});
  write_vtk(file, content);
}

}  // namespace rtcg::dgfem
