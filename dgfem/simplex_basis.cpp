#include "dgfem/simplex_basis.h"

#include <cmath>

#include "dgfem/element_type.h"
#include "dgfem/jacobi.h"

namespace rtcg::dgfem {

namespace {

using Eigen::ArrayXd;

/// The cube coordinates of points in the simplex, with u = (1 - b)/2 and v = (1 - c)/2. In 1-D only a is used, in 2-D
/// c = -1. Where the map is singular, a and b may have any value.
struct Collapsed {
  ArrayXd a, b, c, u, v;

  explicit Collapsed(const Eigen::MatrixXd& points) {
    const auto dimension = points.cols();
    const ArrayXd minus_one = ArrayXd::Constant(points.rows(), -1);
    const ArrayXd r = points.col(0), s = dimension > 1 ? ArrayXd(points.col(1)) : minus_one,
                  t = dimension > 2 ? ArrayXd(points.col(2)) : minus_one;
    a = ratio(r, -s - t);
    b = ratio(s, 1 - t);
    c = t;
    u = (1 - b) / 2;
    v = (1 - c) / 2;
  }

 private:
  static ArrayXd ratio(const ArrayXd& x, const ArrayXd& width) {
    return (width.abs() > 1e-14).select(2 * (1 + x) / width - 1, -1);
  }
};

/// 0 for a negative exponent: there the other factor of the product is zero as well.
ArrayXd power(const ArrayXd& x, int exponent) {
  if (exponent < 0) return ArrayXd::Zero(x.size());
  ArrayXd result = ArrayXd::Ones(x.size());
  for (int k = 0; k < exponent; ++k) result *= x;
  return result;
}

/// Calls visit(column, i, j, k) for each function.
template <class Visit>
void for_each_mode(int dimension, int order, const Visit& visit) {
  int column = 0;
  for (int i = 0; i <= order; ++i)
    for (int j = 0; j <= (dimension > 1 ? order - i : 0); ++j)
      for (int k = 0; k <= (dimension > 2 ? order - i - j : 0); ++k) visit(column++, i, j, k);
}

/// What makes the function orthonormal beside the three orthonormal factors.
double scale(int dimension, int i, int j) {
  if (dimension == 1) return 1;
  return dimension == 2 ? std::exp2(i + 0.5) : std::exp2(2 * i + j + 1.5);
}

}  // namespace

Eigen::MatrixXd simplex_basis(int order, const Eigen::MatrixXd& points) {
  const int dimension = static_cast<int>(points.cols());
  const Collapsed x(points);
  Eigen::MatrixXd result(points.rows(), simplex_nodes(dimension, order));
  for_each_mode(dimension, order, [&](int column, int i, int j, int k) {
    ArrayXd value = scale(dimension, i, j) * jacobi(i, 0, 0, x.a);
    if (dimension > 1) value *= jacobi(j, 2 * i + 1, 0, x.b) * power(x.u, i);
    if (dimension > 2) value *= jacobi(k, 2 * (i + j) + 2, 0, x.c) * power(x.v, i + j);
    result.col(column) = value;
  });
  return result;
}

std::array<Eigen::MatrixXd, 3> simplex_basis_gradient(int order, const Eigen::MatrixXd& points) {
  const int dimension = static_cast<int>(points.cols());
  const Collapsed x(points);
  std::array<Eigen::MatrixXd, 3> result;
  for (unsigned d = 0; d < static_cast<unsigned>(dimension); ++d)
    result[d].resize(points.rows(), simplex_nodes(dimension, order));
  for_each_mode(dimension, order, [&](int column, int i, int j, int k) {
    const ArrayXd f = scale(dimension, i, j) * jacobi(i, 0, 0, x.a),
                  df = scale(dimension, i, j) * jacobi_derivative(i, 0, 0, x.a);
    if (dimension == 1) {
      result[0].col(column) = df;
      return;
    }
    const ArrayXd g = jacobi(j, 2 * i + 1, 0, x.b), dg = jacobi_derivative(j, 2 * i + 1, 0, x.b);
    ArrayXd h = ArrayXd::Ones(points.rows()), dh = h, below = h, level = h;
    if (dimension > 2) {
      h = jacobi(k, 2 * (i + j) + 2, 0, x.c);
      dh = jacobi_derivative(k, 2 * (i + j) + 2, 0, x.c);
      below = power(x.v, i + j - 1);
      level = power(x.v, i + j);
    }
    const ArrayXd along_r = df * g * h * power(x.u, i - 1) * below,
                  along_b = f * h * below * (dg * power(x.u, i) - 0.5 * i * g * power(x.u, i - 1));
    result[0].col(column) = along_r;
    result[1].col(column) = (1 + x.a) / 2 * along_r + along_b;
    if (dimension > 2)
      result[2].col(column) = (1 + x.a) / 2 * along_r + (1 + x.b) / 2 * along_b +
                              f * g * power(x.u, i) * (dh * level - 0.5 * (i + j) * h * below);
  });
  return result;
}

}  // namespace rtcg::dgfem
