// Fields of a run as VTK unstructured grids (.vtu) for ParaView: every element has points of its own, so that jumps
// between elements are seen, and curved elements come out curved.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <span>

#include "dgfem/mesh/mesh.h"
#include "dgfem/system.h"

namespace rtcg::dgfem {

enum class FieldCells {
  lagrange,    ///< one cell of the element's order each: the polynomial itself, as VTK 9.1 numbers it
  subdivided,  ///< linear cells between the element's nodes (subcells.h), for viewers that draw only these
};
/// "lagrange", "subdivide"; UsageError otherwise.
FieldCells parse_field_cells(std::string_view text);

struct FieldFileOptions {
  FieldCells cells = FieldCells::lagrange;
  bool single = true;  ///< values as Float32; points are Float64 always
};

class FieldFileWriter {
 public:
  /// Keeps a reference to the mesh. Elements are of `order`; Lagrange cells are of the mesh's order where that is
  /// higher, so that the shape is kept.
  FieldFileWriter(const Mesh& mesh, int order, const FieldFileOptions& options = {});

  /// `values` are [element][node][field] at the warp & blend nodes, in the mesh's order of elements. Vectors of the
  /// system become arrays of three components and the other fields scalars; "region" is a cell array,
  /// "region_names" has its lines "NUMBER NAME". UsageError when
  /// the number of values is wrong, InputError when the file cannot be written.
  void write(const std::filesystem::path& file, const System& system, std::span<const double> values,
             std::optional<double> time = {}) const;

 private:
  std::vector<double> points() const;
  std::vector<std::int64_t> connectivity() const;

  const Mesh& mesh_;
  int order_;
  FieldFileOptions options_;
  Eigen::MatrixXd places_;     // points of a cell in reference coordinates
  Eigen::MatrixXd transform_;  // values there from those at the nodes; empty for the same
  std::vector<int> cells_;     // [cell of an element][point]
  int cells_per_element_ = 1;
  std::uint8_t type_ = 0;
};

}  // namespace rtcg::dgfem
