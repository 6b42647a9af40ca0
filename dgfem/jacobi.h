// Jacobi polynomials, orthonormal on [-1, 1] under the weight (1 - x)^alpha (1 + x)^beta, and the Gauss rules that
// belong to them. Formulas: Szego, Orthogonal Polynomials, chapter 4; rules by Golub and Welsch (1969).
#pragma once

#include <Eigen/Core>

namespace rtcg::dgfem {

/// P_n at each x.
Eigen::ArrayXd jacobi(int n, double alpha, double beta, const Eigen::ArrayXd& x);
/// d/dx P_n at each x.
Eigen::ArrayXd jacobi_derivative(int n, double alpha, double beta, const Eigen::ArrayXd& x);

struct GaussRule {
  Eigen::ArrayXd points, weights;  ///< points ascending
};
/// `count` >= 1 points, exact for polynomials of degree 2 count - 1 times the weight (1 - x)^alpha (1 + x)^beta.
GaussRule gauss_jacobi(int count, double alpha, double beta);
/// The order + 1 Legendre-Gauss-Lobatto points, order >= 1.
Eigen::ArrayXd gauss_lobatto_points(int order);

}  // namespace rtcg::dgfem
