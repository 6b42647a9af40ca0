// The orthonormal polynomials on the reference simplices of dimension 1 to 3 (Proriol 1957, Koornwinder 1975, Dubiner
// 1991): what nodal bases, derivatives and integrals are made from, because it stays well conditioned at high order.
#pragma once

#include <Eigen/Core>
#include <array>

namespace rtcg::dgfem {

/// Points are rows: [points, dimension]. Returns [points, simplex_nodes(dimension, order)]; the first function is
/// constant.
Eigen::MatrixXd simplex_basis(int order, const Eigen::MatrixXd& points);
/// Derivatives along each reference coordinate, of the same shape; those beyond the dimension are empty.
std::array<Eigen::MatrixXd, 3> simplex_basis_gradient(int order, const Eigen::MatrixXd& points);

}  // namespace rtcg::dgfem
