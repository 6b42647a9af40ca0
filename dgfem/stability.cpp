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

SymmetricSystem acoustic_system(int dimension) {
  SymmetricSystem system(static_cast<std::size_t>(dimension), Eigen::MatrixXd::Zero(dimension + 1, dimension + 1));
  for (int d = 0; d < dimension; ++d)
    system[static_cast<std::size_t>(d)](0, d + 1) = system[static_cast<std::size_t>(d)](d + 1, 0) = 1;
  return system;
}

SymmetricSystem maxwell_system() {
  SymmetricSystem system(3, Eigen::MatrixXd::Zero(6, 6));
  for (int d = 0; d < 3; ++d) {
    // -curl along axis d: E_e has -H_f, E_f has H_e; the transpose for H.
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    Eigen::MatrixXd& matrix = system[static_cast<std::size_t>(d)];
    matrix(e, 3 + f) = matrix(3 + f, e) = 1;
    matrix(f, 3 + e) = matrix(3 + e, f) = -1;
  }
  return system;
}

Eigen::VectorXcd upwind_spectrum(ElementType type, int order, const SymmetricSystem& system,
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

  const Eigen::Index fields = system.front().rows(), size = nodes * fields * static_cast<Eigen::Index>(per_cell);
  Eigen::MatrixXcd matrix = Eigen::MatrixXcd::Zero(size, size);
  const auto place = [&](std::size_t element, Eigen::Index field) {
    return (static_cast<Eigen::Index>(element) * fields + field) * nodes;
  };
  const auto sum_along = [&](const double* factors) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(fields, fields);
    for (int d = 0; d < dimension; ++d) sum += factors[d] * system[static_cast<std::size_t>(d)];
    return sum;
  };
  double inradius = 0;
  for (std::size_t k = 0; k < per_cell; ++k) {
    const std::size_t e = middle[k];
    double surface = 0;
    for (int i = 0; i < dimension; ++i) {
      const Eigen::MatrixXd along =
          sum_along(geometry.metric.data() + (e * static_cast<std::size_t>(dimension) + static_cast<std::size_t>(i)) *
                                                 static_cast<std::size_t>(dimension));
      for (Eigen::Index f = 0; f < fields; ++f)
        for (Eigen::Index g = 0; g < fields; ++g)
          if (along(f, g) != 0)
            matrix.block(place(k, f), place(k, g), nodes, nodes) -= along(f, g) * reference.derivative(i);
    }
    for (int face_number = 0; face_number < faces; ++face_number) {
      const std::size_t face = e * static_cast<std::size_t>(faces) + static_cast<std::size_t>(face_number);
      const double scale = geometry.face_scale[face];
      surface += scale;
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(
          sum_along(geometry.normal.data() + face * static_cast<std::size_t>(dimension)));
      // What flows in differs from the element's own: the part of the normal flux with negative speeds.
      const Eigen::MatrixXd inflow = -scale * modes.eigenvectors() * modes.eigenvalues().cwiseMin(0).asDiagonal() *
                                     modes.eigenvectors().transpose();
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
      const std::size_t like_other = like(other);
      const auto& own_nodes = reference.face_nodes(face_number);
      const auto& other_nodes = reference.face_nodes(connectivity.neighbour_face[face]);
      const auto& meets = orientations[static_cast<std::size_t>(connectivity.orientation[face])];
      for (Eigen::Index m = 0; m < face_nodes; ++m) {
        const auto node = static_cast<std::size_t>(m);
        const Eigen::VectorXcd lifted = reference.lift().col(face_number * face_nodes + m).cast<std::complex<double>>();
        for (Eigen::Index f = 0; f < fields; ++f)
          for (Eigen::Index g = 0; g < fields; ++g) {
            if (std::abs(inflow(f, g)) < 1e-14) continue;
            matrix.block(place(k, f), place(like_other, g) + other_nodes[static_cast<std::size_t>(meets[node])], nodes,
                         1) += factor * inflow(f, g) * lifted;
            matrix.block(place(k, f), place(k, g) + own_nodes[node], nodes, 1) -= inflow(f, g) * lifted;
          }
      }
    }
    inradius = inradius == 0 ? 2 / surface : std::min(inradius, 2 / surface);
  }
  if (phase.isZero()) return Eigen::EigenSolver<Eigen::MatrixXd>(matrix.real(), false).eigenvalues() * inradius;
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
  static constexpr std::array<std::array<double, 10>, 4> measured{
      {{1.151, 0.652, 0.443, 0.311, 0.237, 0.183, 0.148, 0.120, 0.101, 0.085},
       {0.931, 0.563, 0.412, 0.319, 0.232, 0.189, 0.147, 0.124, 0.099, 0.083},
       {4.521, 2.408, 1.653, 1.237, 0.982, 0.727, 0.621, 0.479, 0.426, 0.340},
       {3.704, 2.240, 1.641, 1.271, 0.923, 0.751, 0.588, 0.493, 0.410, 0.330}}};
  const std::size_t row = (scheme.name == "lsrk144" ? 2u : 0u) + (type == ElementType::triangle ? 0u : 1u);
  return measured[row][static_cast<std::size_t>(order - 1)];
}

}  // namespace rtcg::dgfem
