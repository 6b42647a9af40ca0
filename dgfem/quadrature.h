// Quadrature on the reference simplices: products of Gauss-Jacobi rules in collapsed coordinates. Not the fewest
// points, but positive weights and points inside for every degree.
#pragma once

#include <Eigen/Core>

namespace rtcg::dgfem {

struct Quadrature {
  Eigen::MatrixXd points;   ///< [points, dimension]
  Eigen::VectorXd weights;  ///< their sum is the reference simplex' volume: 2, 2, 4/3 in 1, 2, 3 dimensions
};

/// Exact for polynomials up to `degree` >= 0 on the reference simplex of dimension 1 to 3.
Quadrature simplex_quadrature(int dimension, int degree);

}  // namespace rtcg::dgfem
