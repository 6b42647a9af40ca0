#include "dgfem/jacobi.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace rtcg::dgfem {

namespace {

/// Off-diagonal and diagonal of the three-term recurrence x P_n = b_n P_{n-1} + a_n P_n + b_{n+1} P_{n+1}.
double off_diagonal(int n, double alpha, double beta) {
  const double s = 2 * n + alpha + beta;
  // At n = 1 the factors n + alpha + beta and s - 1 cancel; as 0/0 where alpha + beta = -1.
  const double ratio = n == 1 ? 1 : (n + alpha + beta) / (s - 1);
  return 2 / s * std::sqrt(n * (n + alpha) * (n + beta) * ratio / (s + 1));
}
double diagonal(int n, double alpha, double beta) {
  if (alpha == beta) return 0;
  const double s = 2 * n + alpha + beta;
  return n == 0 ? (beta - alpha) / (s + 2) : (beta * beta - alpha * alpha) / (s * (s + 2));
}
double weight_integral(double alpha, double beta) {
  return std::exp((alpha + beta + 1) * std::log(2.0) + std::lgamma(alpha + 1) + std::lgamma(beta + 1) -
                  std::lgamma(alpha + beta + 2));
}

}  // namespace

Eigen::ArrayXd jacobi(int n, double alpha, double beta, const Eigen::ArrayXd& x) {
  Eigen::ArrayXd previous = Eigen::ArrayXd::Zero(x.size()),
                 current = Eigen::ArrayXd::Constant(x.size(), 1 / std::sqrt(weight_integral(alpha, beta)));
  for (int k = 0; k < n; ++k) {
    const double below = k == 0 ? 0 : off_diagonal(k, alpha, beta);
    Eigen::ArrayXd next =
        ((x - diagonal(k, alpha, beta)) * current - below * previous) / off_diagonal(k + 1, alpha, beta);
    previous.swap(current);
    current.swap(next);
  }
  return current;
}

Eigen::ArrayXd jacobi_derivative(int n, double alpha, double beta, const Eigen::ArrayXd& x) {
  if (n == 0) return Eigen::ArrayXd::Zero(x.size());
  return std::sqrt(n * (n + alpha + beta + 1)) * jacobi(n - 1, alpha + 1, beta + 1, x);
}

GaussRule gauss_jacobi(int count, double alpha, double beta) {
  Eigen::VectorXd main(count), beside(count - 1);
  for (int n = 0; n < count; ++n) main(n) = diagonal(n, alpha, beta);
  for (int n = 1; n < count; ++n) beside(n - 1) = off_diagonal(n, alpha, beta);
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(main, beside);
  GaussRule rule{solver.eigenvalues().array(), {}};
  // The weights from the polynomials at the points (Christoffel numbers) keep more digits than from eigenvectors.
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(count);
  for (int n = 0; n < count; ++n) sum += jacobi(n, alpha, beta, rule.points).square();
  rule.weights = sum.inverse();
  return rule;
}

Eigen::ArrayXd gauss_lobatto_points(int order) {
  Eigen::ArrayXd points(order + 1);
  points(0) = -1;
  points(order) = 1;
  if (order > 1) points.segment(1, order - 1) = gauss_jacobi(order - 1, 1, 1).points;
  return points;
}

}  // namespace rtcg::dgfem
