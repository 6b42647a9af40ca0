#include "dgfem/reference_element.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "dgfem/lattice.h"
#include "dgfem/quadrature.h"
#include "dgfem/simplex_basis.h"
#include "dgfem/warp_blend.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

class Elements : public testing::TestWithParam<std::tuple<ElementType, int>> {
 protected:
  const ElementType type_ = std::get<0>(GetParam());
  const int order_ = std::get<1>(GetParam());
  const ReferenceElement element_{type_, order_};
  const int dimension_ = dimension_of(type_);
};

INSTANTIATE_TEST_SUITE_P(, Elements,
                         testing::Combine(testing::Values(ElementType::triangle, ElementType::tetrahedron),
                                          testing::Range(1, highest_order + 1)),
                         [](const auto& element) {
                           return fmt::format("{}_{}", name_of(std::get<0>(element.param)), std::get<1>(element.param));
                         });

double power(double x, int n) {
  return std::pow(x, n);
}

/// Monomial r^i s^j t^k at rows of points, differentiated along d unless d < 0.
Eigen::VectorXd monomial(const Eigen::MatrixXd& points, std::array<int, 3> exponents, int d = -1) {
  double factor = 1;
  if (d >= 0) {
    int& e = exponents[static_cast<unsigned>(d)];
    factor = e;
    e = std::max(e - 1, 0);
  }
  Eigen::VectorXd result = Eigen::VectorXd::Constant(points.rows(), factor);
  for (Eigen::Index n = 0; n < points.rows(); ++n)
    for (int c = 0; c < points.cols(); ++c) result(n) *= power(points(n, c), exponents[static_cast<unsigned>(c)]);
  return result;
}

template <class Visit>
void for_each_monomial(int dimension, int degree, const Visit& visit) {
  for (int i = 0; i <= degree; ++i)
    for (int j = 0; j <= (dimension > 1 ? degree - i : 0); ++j)
      for (int k = 0; k <= (dimension > 2 ? degree - i - j : 0); ++k) visit(std::array<int, 3>{i, j, k});
}

double factorial(int n) {
  return std::tgamma(n + 1.0);
}

/// Integral of (1+r)^i (1+s)^j (1+t)^k over the reference simplex: 2^(dimension + i + j + k) i! j! k! / (dimension + i
/// + j + k)!.
double shifted_monomial_integral(int dimension, std::array<int, 3> e) {
  const int sum = e[0] + e[1] + e[2] + dimension;
  return std::exp2(sum) * factorial(e[0]) * factorial(e[1]) * factorial(e[2]) / factorial(sum);
}

TEST_P(Elements, DifferentiatePolynomialsExactly) {
  for_each_monomial(dimension_, order_, [&](std::array<int, 3> exponents) {
    const Eigen::VectorXd values = monomial(element_.nodes(), exponents);
    for (int d = 0; d < dimension_; ++d) {
      const double error =
          (element_.derivative(d) * values - monomial(element_.nodes(), exponents, d)).cwiseAbs().maxCoeff();
      EXPECT_LT(error, 2e-11) << exponents[0] << exponents[1] << exponents[2] << " along " << d;
    }
  });
}

TEST_P(Elements, IntegratePolynomialsExactly) {
  const Eigen::MatrixXd shifted = element_.nodes().array() + 1;
  const Eigen::VectorXd row_sums = element_.mass() * Eigen::VectorXd::Ones(element_.nodes_per_element());
  for_each_monomial(dimension_, order_, [&](std::array<int, 3> exponents) {
    const double exact = shifted_monomial_integral(dimension_, exponents);
    EXPECT_NEAR(row_sums.dot(monomial(shifted, exponents)), exact, 1e-12 * exact + 1e-13);
  });
}

TEST_P(Elements, InterpolatePolynomialsAnywhere) {
  const Eigen::MatrixXd points = simplex_quadrature(dimension_, 7).points;
  const Eigen::MatrixXd to_points = element_.interpolation(points);
  const auto gradient = element_.interpolated_gradient(points);
  for_each_monomial(dimension_, order_, [&](std::array<int, 3> exponents) {
    const Eigen::VectorXd values = monomial(element_.nodes(), exponents);
    EXPECT_LT((to_points * values - monomial(points, exponents)).cwiseAbs().maxCoeff(), 1e-12);
    for (unsigned d = 0; d < static_cast<unsigned>(dimension_); ++d)
      EXPECT_LT((gradient[d] * values - monomial(points, exponents, static_cast<int>(d))).cwiseAbs().maxCoeff(), 2e-11);
  });
  // Through evenly spaced nodes and back.
  const Eigen::MatrixXd even = equispaced_nodes(type_, order_);
  const Eigen::MatrixXd there = element_.interpolation(even), back = there.inverse();
  EXPECT_LT((back * there - Eigen::MatrixXd::Identity(there.rows(), there.rows())).cwiseAbs().maxCoeff(), 1e-10);
}

TEST_P(Elements, LiftIsTheInverseMassOfFaceIntegrals) {
  const Eigen::MatrixXd faces = element_.mass() * element_.lift();
  const int on_face = element_.nodes_per_face();
  for (int face = 0; face < element_.faces(); ++face)
    for (int n = 0; n < on_face; ++n) {
      Eigen::VectorXd expected = Eigen::VectorXd::Zero(element_.nodes_per_element());
      for (int m = 0; m < on_face; ++m)
        expected(element_.face_nodes(face)[static_cast<std::size_t>(m)]) = element_.face_mass()(m, n);
      EXPECT_LT((faces.col(face * on_face + n) - expected).cwiseAbs().maxCoeff(), 1e-12);
    }
  EXPECT_NEAR(element_.face_mass().sum(), 2, 1e-12);
}

TEST_P(Elements, ObeyTheDivergenceTheorem) {
  // Outward normals times the face's measure over the 2 of the reference face: for the slanted face (1, 1, 1).
  for (int d = 0; d < dimension_; ++d) {
    Eigen::MatrixXd boundary = Eigen::MatrixXd::Zero(element_.nodes_per_element(), element_.nodes_per_element());
    for (int face = 0; face < element_.faces(); ++face) {
      const int opposite = opposite_vertex(type_, face);
      const double normal = opposite == 0 ? 1 : opposite - 1 == d ? -1 : 0;
      const std::vector<int>& nodes = element_.face_nodes(face);
      for (std::size_t m = 0; m < nodes.size(); ++m)
        for (std::size_t n = 0; n < nodes.size(); ++n)
          boundary(nodes[m], nodes[n]) += normal * element_.face_mass()(static_cast<int>(m), static_cast<int>(n));
    }
    const Eigen::MatrixXd stiffness = element_.mass() * element_.derivative(d);
    EXPECT_LT((stiffness + stiffness.transpose() - boundary).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST_P(Elements, NodesAreSymmetricUnderEveryPermutationOfTheVertices) {
  std::vector<unsigned> order(static_cast<std::size_t>(dimension_) + 1);
  for (unsigned v = 0; v < order.size(); ++v) order[v] = v;
  const std::vector<Weights> places = lattice(dimension_, order_);
  do {
    for (std::size_t n = 0; n < places.size(); ++n) {
      Weights moved{};
      for (unsigned v = 0; v < order.size(); ++v) moved[order[v]] = places[n][v];
      const int image = lattice_index(dimension_, order_, moved);
      // Barycentric coordinates of both, permuted alike.
      Eigen::VectorXd a(dimension_ + 1), b(dimension_ + 1);
      a.tail(dimension_) = (element_.nodes().row(static_cast<int>(n)).transpose().array() + 1) / 2;
      b.tail(dimension_) = (element_.nodes().row(image).transpose().array() + 1) / 2;
      a(0) = 1 - a.tail(dimension_).sum();
      b(0) = 1 - b.tail(dimension_).sum();
      for (unsigned v = 0; v < order.size(); ++v) EXPECT_NEAR(a(v), b(order[v]), 2e-14);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_P(Elements, FaceNodesLieWhereTheFaceSaysTheyDo) {
  for (int face = 0; face < element_.faces(); ++face) {
    const Eigen::MatrixXd expected = face_points(type_, face, element_.nodes_on_face());
    for (int n = 0; n < element_.nodes_per_face(); ++n) {
      const int node = element_.face_nodes(face)[static_cast<std::size_t>(n)];
      EXPECT_LT((element_.nodes().row(node) - expected.row(n)).cwiseAbs().maxCoeff(), 2e-14);
    }
  }
}

TEST_P(Elements, OrientationTablesPermuteTheNodesOfAFace) {
  const auto tables = orientation_nodes(type_, order_);
  ASSERT_EQ(tables.size(), static_cast<std::size_t>(orientations_of(type_)));
  for (int o = 0; o < orientations_of(type_); ++o) {
    const std::vector<int>&there = tables[static_cast<std::size_t>(o)],
          &back = tables[static_cast<std::size_t>(opposite_orientation(type_, o))];
    for (std::size_t n = 0; n < there.size(); ++n)
      EXPECT_EQ(back[static_cast<std::size_t>(there[n])], static_cast<int>(n));
  }
  EXPECT_EQ(tables[0][0], 0);
}

TEST_P(Elements, LebesgueConstantsAreThoseOfThePaper) {
  // As Warburton (2006) gives them for these nodes.
  constexpr std::array<double, 10> triangle{1.00, 1.67, 2.11, 2.66, 3.12, 3.70, 4.27, 4.96, 5.74, 6.67},
      tetrahedron{1.00, 2.00, 2.93, 4.07, 5.32, 7.01, 9.21, 12.54, 17.02, 24.36};
  const int density = type_ == ElementType::triangle ? 200 : 90;
  const Eigen::MatrixXd to_points = element_.interpolation(equispaced_nodes(type_, density));
  const double constant = to_points.cwiseAbs().rowwise().sum().maxCoeff();
  const double expected = (type_ == ElementType::triangle ? triangle : tetrahedron)[static_cast<unsigned>(order_ - 1)];
  EXPECT_NEAR(constant, expected, 0.01 * expected);
}

TEST(Quadrature, IsExactToItsDegree) {
  for (int dimension = 1; dimension <= 3; ++dimension)
    for (int degree = 0; degree <= 21; ++degree) {
      const Quadrature rule = simplex_quadrature(dimension, degree);
      EXPECT_GT(rule.weights.minCoeff(), 0);
      const Eigen::MatrixXd shifted = rule.points.array() + 1;
      EXPECT_GT(shifted.minCoeff(), 0);
      for_each_monomial(dimension, degree, [&](std::array<int, 3> exponents) {
        const double exact = shifted_monomial_integral(dimension, exponents);
        EXPECT_NEAR(rule.weights.dot(monomial(shifted, exponents)), exact, 4e-13 * exact);
      });
    }
}

TEST(SimplexBasis, IsOrthonormal) {
  for (int dimension = 1; dimension <= 3; ++dimension) {
    const Quadrature rule = simplex_quadrature(dimension, 2 * highest_order);
    const Eigen::MatrixXd basis = simplex_basis(highest_order, rule.points);
    const Eigen::MatrixXd gram = basis.transpose() * rule.weights.asDiagonal() * basis;
    EXPECT_LT((gram - Eigen::MatrixXd::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(ReferenceElement, RefusesOrdersItDoesNotKnow) {
  EXPECT_MESSAGE(UsageError, "1 to 10, not 0", ReferenceElement(ElementType::triangle, 0));
  EXPECT_MESSAGE(UsageError, "1 to 10, not 11", ReferenceElement(ElementType::tetrahedron, 11));
}

}  // namespace
}  // namespace rtcg::dgfem
