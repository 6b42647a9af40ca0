#include "dgfem/quadrature.h"

#include "dgfem/jacobi.h"

namespace rtcg::dgfem {

Quadrature simplex_quadrature(int dimension, int degree) {
  const int count = degree / 2 + 1;
  const GaussRule along_a = gauss_jacobi(count, 0, 0), along_b = gauss_jacobi(dimension > 1 ? count : 1, 1, 0),
                  along_c = gauss_jacobi(dimension > 2 ? count : 1, 2, 0);
  const auto total = along_a.points.size() * (dimension > 1 ? count : 1) * (dimension > 2 ? count : 1);
  Quadrature rule{Eigen::MatrixXd(total, dimension), Eigen::VectorXd(total)};
  Eigen::Index q = 0;
  for (Eigen::Index k = 0; k < along_c.points.size(); ++k)
    for (Eigen::Index j = 0; j < along_b.points.size(); ++j)
      for (Eigen::Index i = 0; i < count; ++i, ++q) {
        // The Jacobians of the collapse are (1 - b)/2 and ((1 - c)/2)^2; the rules' weights hold all but the powers
        // of 2.
        double weight = along_a.weights(i);
        const double c = dimension > 2 ? along_c.points(k) : -1, b = dimension > 1 ? along_b.points(j) : -1;
        const double s = (1 + b) * (1 - c) / 2 - 1;
        if (dimension > 1) weight *= along_b.weights(j) / 2;
        if (dimension > 2) weight *= along_c.weights(k) / 4;
        rule.points(q, 0) = (1 + along_a.points(i)) * (-s - c) / 2 - 1;
        if (dimension > 1) rule.points(q, 1) = s;
        if (dimension > 2) rule.points(q, 2) = c;
        rule.weights(q) = weight;
      }
  return rule;
}

}  // namespace rtcg::dgfem
