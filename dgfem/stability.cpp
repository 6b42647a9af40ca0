#include "dgfem/stability.h"

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>
#include <numbers>

#include "dgfem/geometry.h"
#include "dgfem/lattice.h"
#include "dgfem/mesh/box.h"
#include "dgfem/reference_element.h"

namespace rtcg::dgfem {

Eigen::VectorXcd advection_spectrum(ElementType type, int order, const Eigen::Vector3d& direction,
                                    const Eigen::Vector3d& phase) {
  // 3 x 3 (x 3) periodic cells: the middle one's neighbours are told apart by their cell's place.
  const int dimension = dimension_of(type);
  const Mesh mesh = box_mesh({.type = type, .cells = {3, 3, 3}, .high = {3, 3, 3}, .periodic = {true, true, true}});
  const Connectivity connectivity = connect(mesh);
  const AffineGeometry geometry = affine_geometry(mesh);
  const ReferenceElement reference(type, order);
  const auto orientations = orientation_nodes(type, order);
  const Eigen::Index nodes = reference.nodes_per_element(), face_nodes = reference.nodes_per_face();
  const int faces = reference.faces();
  const std::size_t per_cell = type == ElementType::triangle ? 2 : 6;

  const auto cell_of = [&](std::size_t e) {
    std::array<int, 3> cell{};
    const Point centre = mesh.centroid(e);
    for (unsigned d = 0; d < static_cast<unsigned>(dimension); ++d) cell[d] = static_cast<int>(std::floor(centre[d]));
    return cell;
  };
  std::vector<std::size_t> middle;  // elements of the cell (1, 1, 1)
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    const auto cell = cell_of(e);
    if (cell[0] == 1 && cell[1] == 1 && (dimension == 2 || cell[2] == 1)) middle.push_back(e);
  }
  // An element's like in the middle cell: the one with the same centre within its cell.
  const auto like = [&](std::size_t e) {
    const auto cell = cell_of(e);
    const Point centre = mesh.centroid(e);
    for (std::size_t k = 0; k < per_cell; ++k) {
      const Point other = mesh.centroid(middle[k]);
      double distance = 0;
      for (unsigned d = 0; d < static_cast<unsigned>(dimension); ++d)
        distance += std::abs(centre[d] - cell[d] - (other[d] - 1));
      if (distance < 1e-9) return k;
    }
    return per_cell;
  };

  Eigen::MatrixXcd matrix =
      Eigen::MatrixXcd::Zero(nodes * static_cast<Eigen::Index>(per_cell), nodes * static_cast<Eigen::Index>(per_cell));
  double inradius = 0;
  for (std::size_t k = 0; k < per_cell; ++k) {
    const std::size_t e = middle[k];
    const Eigen::Index row = static_cast<Eigen::Index>(k) * nodes;
    double surface = 0;
    for (int i = 0; i < dimension; ++i) {
      double along = 0;
      for (int d = 0; d < dimension; ++d)
        along += geometry.metric[(e * static_cast<std::size_t>(dimension) + static_cast<std::size_t>(i)) *
                                     static_cast<std::size_t>(dimension) +
                                 static_cast<std::size_t>(d)] *
                 direction(d);
      matrix.block(row, row, nodes, nodes) -= along * reference.derivative(i);
    }
    for (int f = 0; f < faces; ++f) {
      const std::size_t face = e * static_cast<std::size_t>(faces) + static_cast<std::size_t>(f);
      const double scale = geometry.face_scale[face];
      surface += scale;
      double an = 0;
      for (int d = 0; d < dimension; ++d)
        an += geometry.normal[face * static_cast<std::size_t>(dimension) + static_cast<std::size_t>(d)] * direction(d);
      if (an >= 0) continue;  // upwind: only what flows in differs from the element's own
      const auto other = static_cast<std::size_t>(connectivity.neighbour[face]);
      const auto here = cell_of(e), there = cell_of(other);
      double angle = 0;
      for (unsigned d = 0; d < static_cast<unsigned>(dimension); ++d) {
        int steps = there[d] - here[d];
        if (steps == 2) steps = -1;
        if (steps == -2) steps = 1;
        angle += steps * phase(static_cast<Eigen::Index>(d));
      }
      const std::complex<double> factor = std::polar(1.0, angle);
      const Eigen::Index column = static_cast<Eigen::Index>(like(other)) * nodes;
      const auto& own_nodes = reference.face_nodes(f);
      const auto& other_nodes = reference.face_nodes(connectivity.neighbour_face[face]);
      const auto& meets = orientations[static_cast<std::size_t>(connectivity.orientation[face])];
      for (Eigen::Index m = 0; m < face_nodes; ++m) {
        const auto node = static_cast<std::size_t>(m);
        const Eigen::VectorXd lifted = -an * scale * reference.lift().col(f * face_nodes + m);
        matrix.block(row, column + other_nodes[static_cast<std::size_t>(meets[node])], nodes, 1) += factor * lifted;
        matrix.block(row, row + own_nodes[node], nodes, 1) -= lifted;
      }
    }
    inradius = inradius == 0 ? 2 / surface : std::min(inradius, 2 / surface);
  }
  return Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(matrix, false).eigenvalues() * inradius;
}

double largest_scale(const TimeScheme& scheme, const Eigen::VectorXcd& eigenvalues) {
  const auto is_stable = [&](double scale) {
    for (const std::complex<double>& lambda : eigenvalues)
      if (std::abs(scheme.amplification(scale * lambda)) > 1 + 1e-10) return false;
    return true;
  };
  // Stable up to a first point: looked for from below, then halved in on.
  double low = 0, high = 1e-3;
  while (is_stable(high)) low = high, high *= 1.05;
  for (int i = 0; i < 50; ++i) (is_stable(0.5 * (low + high)) ? low : high) = 0.5 * (low + high);
  return low;
}

double stability_limit(const TimeScheme& scheme, ElementType type, int order) {
  // Rows: triangles and tetrahedra with lsrk45, then with lsrk144.
  static constexpr std::array<std::array<double, 10>, 4> measured{{{}, {}, {}, {}}};
  const std::size_t row = (scheme.name == "lsrk144" ? 2u : 0u) + (type == ElementType::triangle ? 0u : 1u);
  return measured[row][static_cast<std::size_t>(order - 1)];
}

}  // namespace rtcg::dgfem
