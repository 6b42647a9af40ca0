#include "dgfem/warp_blend.h"

#include <algorithm>
#include <array>

#include "dgfem/jacobi.h"
#include "dgfem/lattice.h"

namespace rtcg::dgfem {

namespace {

using Barycentric = std::array<double, 4>;

/// The blending parameters of the paper's tables, by order from 1; they minimise the Lebesgue constant.
double blending(ElementType type, int order) {
  constexpr std::array<double, 15> triangle{0,      0,      1.4152, 0.1001, 0.2751, 0.9800, 1.0999, 1.2832,
                                            1.3648, 1.4773, 1.4959, 1.5743, 1.5770, 1.6223, 1.6258};
  constexpr std::array<double, 15> tetrahedron{0,      0,       0,      0.1002, 1.1332, 1.5608, 1.3413, 1.2577,
                                               1.1603, 1.10153, 0.6080, 0.4523, 0.8856, 0.8717, 0.9655};
  const auto& table = type == ElementType::triangle ? triangle : tetrahedron;
  return table[std::min<std::size_t>(static_cast<std::size_t>(order), table.size()) - 1];
}

class Warp {
 public:
  explicit Warp(int order) : even_(Eigen::ArrayXd::LinSpaced(order + 1, -1, 1)) {
    shift_ = gauss_lobatto_points(order) - even_;
  }

  /// How far the node at x in [-1, 1] moves from even spacing to Gauss-Lobatto, as an interpolating polynomial.
  double operator()(double x) const {
    double sum = 0;
    for (Eigen::Index i = 1; i + 1 < even_.size(); ++i) {
      double term = shift_(i);
      for (Eigen::Index j = 0; j < even_.size(); ++j)
        if (j != i) term *= (x - even_(j)) / (even_(i) - even_(j));
      sum += term;
    }
    return sum;
  }
  /// The same over 1 - x^2, whose zeros at both ends it shares.
  double per_bubble(double x) const {
    double sum = 0;
    for (Eigen::Index i = 1; i + 1 < even_.size(); ++i) {
      double term = shift_(i) / (1 - even_(i) * even_(i));
      for (Eigen::Index j = 1; j + 1 < even_.size(); ++j)
        if (j != i) term *= (x - even_(j)) / (even_(i) - even_(j));
      sum += term;
    }
    return sum;
  }

 private:
  Eigen::ArrayXd even_, shift_;
};

/// Adds the blended warps of the three edges of a face, times `factor`.
void shift_face(const Warp& warp, double alpha, const std::array<unsigned, 3>& face, const Barycentric& at,
                double factor, Barycentric& moved) {
  for (unsigned m = 0; m < 3; ++m) {
    const unsigned apex = face[m], from = face[(m + 1) % 3], to = face[(m + 2) % 3];
    const double stretch = 1 + alpha * at[apex] * alpha * at[apex];
    const double shift = factor * 4 * at[from] * at[to] * warp.per_bubble(at[to] - at[from]) * stretch;
    moved[to] += shift / 2;
    moved[from] -= shift / 2;
  }
}

void shift_edge(const Warp& warp, unsigned from, unsigned to, const Barycentric& at, Barycentric& moved) {
  const double shift = warp(at[to] - at[from]);
  moved[to] += shift / 2;
  moved[from] -= shift / 2;
}

Barycentric warped(ElementType type, const Warp& warp, double alpha, const Barycentric& at) {
  Barycentric moved = at;
  std::array<unsigned, 4> positive{};
  unsigned count = 0;
  for (unsigned v = 0; v < 4; ++v)
    if (at[v] > 0) positive[count++] = v;
  if (count == 2) shift_edge(warp, positive[0], positive[1], at, moved);
  if (count < 3) return moved;
  if (type == ElementType::triangle) {
    shift_face(warp, alpha, {0, 1, 2}, at, 1, moved);
    return moved;
  }
  for (unsigned apex = 0; apex < 4; ++apex) {
    std::array<unsigned, 3> face{};
    for (unsigned v = 0, m = 0; v < 4; ++v)
      if (v != apex) face[m++] = v;
    double blend = 1 + alpha * at[apex] * alpha * at[apex];
    for (const unsigned v : face) blend *= at[v] / (at[v] + at[apex] / 2);
    if (blend > 0) shift_face(warp, alpha, face, at, blend, moved);
  }
  return moved;
}

template <class Move>
Eigen::MatrixXd nodes(ElementType type, int order, const Move& move) {
  const int dimension = dimension_of(type);
  Eigen::MatrixXd result(nodes_of(type, order), dimension);
  Eigen::Index row = 0;
  for (const Weights& weights : lattice(dimension, order)) {
    Barycentric at{};
    for (unsigned v = 0; v < 4; ++v) at[v] = static_cast<double>(weights[v]) / order;
    at = move(at);
    for (int d = 0; d < dimension; ++d) result(row, d) = 2 * at[static_cast<unsigned>(d) + 1] - 1;
    ++row;
  }
  return result;
}

}  // namespace

Eigen::MatrixXd warp_blend_nodes(ElementType type, int order) {
  const Warp warp(order);
  const double alpha = blending(type, order);
  return nodes(type, order, [&](const Barycentric& at) { return warped(type, warp, alpha, at); });
}

Eigen::MatrixXd equispaced_nodes(ElementType type, int order) {
  return nodes(type, order, [](const Barycentric& at) { return at; });
}

}  // namespace rtcg::dgfem
