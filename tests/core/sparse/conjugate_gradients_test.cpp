#include "rtcg/sparse/conjugate_gradients.h"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>

#include <limits>
#include <random>

#include "rtcg/error.h"
#include "rtcg/sparse/eigen.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Reason = ConjugateGradientReport::Reason;

/// Minus the Laplacian on nx x ny x nz points with zero boundary values; `roll` varies the coefficient.
Rows poisson(int nx, int ny, int nz, double roll = 0) {
  const auto at = [&](int x, int y, int z) { return x + nx * (y + ny * z); };
  const auto weight = [&](int x, int y, int z) { return 1 + roll * (1 + std::sin(0.7 * x + 1.3 * y - 0.4 * z)); };
  std::vector<Eigen::Triplet<double>> triplets;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        double sum = 0;
        const auto link = [&](int dx, int dy, int dz) {
          const double w = 0.5 * (weight(x, y, z) + weight(x + dx, y + dy, z + dz));
          sum += w;
          if (x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny && z + dz >= 0 && z + dz < nz)
            triplets.emplace_back(at(x, y, z), at(x + dx, y + dy, z + dz), -w);
        };
        link(1, 0, 0), link(-1, 0, 0), link(0, 1, 0), link(0, -1, 0);
        if (nz > 1) link(0, 0, 1), link(0, 0, -1);
        triplets.emplace_back(at(x, y, z), at(x, y, z), sum);
      }
  Rows matrix(nx * ny * nz, nx * ny * nz);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

/// S (pairs of strongly coupled rows, weak links between them) S with a diagonal S over two decades: Jacobi undoes the
/// scaling, blocks of two the coupling as well.
Rows scaled_pairs(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Eigen::Triplet<double>> triplets;
  Vector diagonal = Vector::Zero(n);
  const auto scale = [](int i) { return std::pow(10.0, 0.5 * (i * 7 % 5)); };
  const auto link = [&](int i, int j, double value) {
    triplets.emplace_back(i, j, value * scale(i) * scale(j)), triplets.emplace_back(j, i, value * scale(i) * scale(j));
    diagonal[i] += std::abs(value), diagonal[j] += std::abs(value);
  };
  for (int i = 0; i + 1 < n; i += 2) {
    link(i, i + 1, 1);
    link(i, static_cast<int>(random() % static_cast<unsigned>(i + 1)) / 2, 0.01);
  }
  for (int i = 0; i < n; ++i) triplets.emplace_back(i, i, (1.01 * diagonal[i] + 0.01) * scale(i) * scale(i));
  Rows matrix(n, n);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

Vector random_vector(Eigen::Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return Vector::NullaryExpr(n, [&] { return normal(random); });
}

struct Solution {
  ConjugateGradientReport report;
  Vector x;
};

class ConjugateGradientsTest : public test::DeviceTest {
 protected:
  template <class T = double>
  Solution solve(const Rows& matrix, const Vector& b, const SparseOptions& sparse = {}, std::size_t block = 0,
                 const ConjugateGradientOptions& options = {}, const Vector& start = {}) const {
    const Stream s = stream();
    const SparseMatrix host = from_eigen(matrix.cast<T>());
    const Preconditioner preconditioner = block == 0 ? Preconditioner() : Preconditioner::block_jacobi(s, host, block);
    const ConjugateGradients solver(s, SparseOperator(s, host, sparse), preconditioner, options);
    std::vector<T> values(static_cast<std::size_t>(b.size())), x(values.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      values[k] = static_cast<T>(b[static_cast<Eigen::Index>(k)]);
      if (start.size() != 0) x[k] = static_cast<T>(start[static_cast<Eigen::Index>(k)]);
    }
    const Buffer device_b = Buffer::from(s, values), device_x = Buffer::from(s, x);
    Solution solution;
    solution.report = solver.solve(s, device_b, device_x);
    x = device_x.read<T>();
    solution.x = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(x.data(), b.size()).template cast<double>();
    return solution;
  }
};

SparseOptions in(SparseFormat format, DeviceKind shape) {
  SparseOptions options;
  options.format = format, options.loop_shape = shape;
  return options;
}

TEST_P(ConjugateGradientsTest, SolvesPoissonInEveryFormatLikeADirectSolver) {
  const Rows matrix = poisson(17, 13, 11);
  const Vector b = random_vector(matrix.rows(), 1);
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> direct(matrix);
  const Vector expected = direct.solve(b);
  Eigen::ConjugateGradient<Rows, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> reference(matrix);
  reference.setTolerance(1e-10);
  const Vector iterated = reference.solve(b);
  ASSERT_LT((iterated - expected).norm(), 1e-8 * expected.norm());
  ConjugateGradientOptions options;
  options.tolerance = 1e-10;
  for (const SparseFormat format : {SparseFormat::csr, SparseFormat::sell, SparseFormat::dia, SparseFormat::stencils})
    for (const DeviceKind shape : {DeviceKind::gpu, DeviceKind::cpu}) {
      SCOPED_TRACE(testing::Message() << name_of(format) << ", shape " << static_cast<int>(shape));
      const Solution solution = solve(matrix, b, in(format, shape), 0, options);
      EXPECT_EQ(solution.report.reason, Reason::converged);
      EXPECT_LT((solution.x - expected).norm(), 1e-8 * expected.norm());
      const double residual = (b - matrix * solution.x).norm() / b.norm();
      EXPECT_LE(residual, 1.001e-10);
      EXPECT_NEAR(solution.report.residual, residual, 1e-12);
      EXPECT_NEAR(static_cast<double>(solution.report.iterations), static_cast<double>(reference.iterations()), 3);
    }
}

TEST_P(ConjugateGradientsTest, PreconditionersSaveIterations) {
  const Rows matrix = scaled_pairs(1501, 3);
  const Vector b = random_vector(matrix.rows(), 4);
  std::vector<std::size_t> iterations;
  const auto run = [&](DeviceKind shape, std::size_t block) {
    const Solution solution = solve(matrix, b, in(SparseFormat::csr, shape), block);
    EXPECT_EQ(solution.report.reason, Reason::converged);
    EXPECT_LT((b - matrix * solution.x).norm(), 1e-8 * b.norm());
    return solution.report.iterations;
  };
  for (const std::size_t block : {0u, 1u, 2u}) iterations.push_back(run(DeviceKind::cpu, block));
  EXPECT_LT(2 * iterations[1], iterations[0]);
  EXPECT_LT(2 * iterations[2], iterations[1]);
  EXPECT_EQ(run(DeviceKind::gpu, 2), iterations[2]);
}

TEST_P(ConjugateGradientsTest, PreconditionsOnDiagonalsToo) {
  const Rows matrix = poisson(30, 20, 1, 40);
  const Vector b = random_vector(matrix.rows(), 5);
  for (const DeviceKind shape : {DeviceKind::gpu, DeviceKind::cpu}) {
    const Solution solution = solve(matrix, b, in(SparseFormat::dia, shape), 2);
    EXPECT_EQ(solution.report.reason, Reason::converged);
    EXPECT_LT((b - matrix * solution.x).norm(), 1e-8 * b.norm());
  }
}

TEST_P(ConjugateGradientsTest, SolvesInSinglePrecisionAsFarAsItReaches) {
  const Rows matrix = poisson(40, 30, 1);
  const Vector b = random_vector(matrix.rows(), 6);
  ConjugateGradientOptions options;
  options.tolerance = 1e-5;
  const Solution solution = solve<float>(matrix, b, {}, 0, options);
  EXPECT_EQ(solution.report.reason, Reason::converged);
  EXPECT_LT((b - matrix * solution.x).norm(), 3e-5 * b.norm());
  // A tolerance below what float holds is refuted by true residuals, not reported as reached.
  options.tolerance = 1e-12;
  const Solution beyond = solve<float>(matrix, b, {}, 0, options);
  EXPECT_EQ(beyond.report.reason, Reason::stagnated);
  EXPECT_LT(beyond.report.residual, 1e-5);
  EXPECT_GT(beyond.report.residual, 1e-12);
}

TEST_P(ConjugateGradientsTest, EndsAtOnceWhereNothingIsLeftToDo) {
  const Rows matrix = poisson(12, 12, 1);
  const Vector b = random_vector(matrix.rows(), 7);
  const Vector exact = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>(matrix).solve(b);
  const Solution solved = solve(matrix, b, {}, 0, {}, exact);
  EXPECT_EQ(solved.report.reason, Reason::converged);
  EXPECT_EQ(solved.report.iterations, 0u);
  EXPECT_EQ(solved.x, exact);
  const Solution zero = solve(matrix, Vector::Zero(matrix.rows()), {}, 0, {}, exact);
  EXPECT_EQ(zero.report.reason, Reason::zero_right_side);
  EXPECT_EQ(zero.x, Vector::Zero(matrix.rows()));
  EXPECT_THROW(solve(matrix, Vector::Constant(matrix.rows(), 1e-170)), NumericalError);  // b.b is 0, but b is not
  EXPECT_TRUE(solve(Rows(0, 0), Vector()).report.converged());
}

TEST_P(ConjugateGradientsTest, ConvergesInOneStepOnMultiplesOfTheIdentity) {
  for (const int n : {1, 2, 5, 300}) {
    Rows matrix(n, n);
    matrix.setIdentity();
    const Vector b = random_vector(n, 8);
    const Solution solution = solve(4.0 * matrix, b);
    EXPECT_EQ(solution.report.iterations, 1u);
    EXPECT_LT((4 * solution.x - b).norm(), 1e-14 * b.norm());
  }
}

TEST_P(ConjugateGradientsTest, StopsAtTheMaximumWithTheTrueResidual) {
  const Rows matrix = poisson(60, 60, 1);
  const Vector b = random_vector(matrix.rows(), 9);
  ConjugateGradientOptions options;
  options.max_iterations = 33;
  const Solution solution = solve(matrix, b, {}, 0, options);
  EXPECT_EQ(solution.report.reason, Reason::max_iterations);
  EXPECT_EQ(solution.report.iterations, 33u);
  EXPECT_FALSE(solution.report.converged());
  EXPECT_NEAR(solution.report.residual, (b - matrix * solution.x).norm() / b.norm(), 1e-12);
  EXPECT_GT(solution.report.residual, options.tolerance);
}

TEST_P(ConjugateGradientsTest, ReportsResidualsAtPollsAndTrueOnesAtChecks) {
  const Rows matrix = poisson(60, 60, 1);
  ConjugateGradientOptions options;
  options.poll_every = 10, options.check_every = 30;
  const ConjugateGradientReport report = solve(matrix, random_vector(matrix.rows(), 10), {}, 0, options).report;
  ASSERT_GT(report.history.size(), 7u);
  for (std::size_t k = 0; k + 1 < report.history.size(); ++k) {
    EXPECT_EQ(report.history[k].iteration, 10 * k);
    EXPECT_EQ(report.history[k].is_true, k % 3 == 0) << k;
  }
  EXPECT_DOUBLE_EQ(report.history[0].residual, 1);
  EXPECT_TRUE(report.history.back().is_true);
  EXPECT_LE(report.history.back().residual, 1e-8);
}

TEST_P(ConjugateGradientsTest, ReportsBreakdownWithItsIteration) {
  Rows matrix = poisson(20, 20, 1);
  const Vector b = random_vector(matrix.rows(), 11);
  Rows negative = -matrix;
  for (const DeviceKind shape : {DeviceKind::gpu, DeviceKind::cpu})
    EXPECT_MESSAGE(NumericalError, "breakdown in iteration 1: p.Ap = -",
                   solve(negative, b, in(SparseFormat::dia, shape)));
  // Two unknowns of opposite sign: the first step sees b.Ab = 3 - 1 > 0, the second direction meets the other sign.
  Rows indefinite(2, 2);
  indefinite.insert(0, 0) = 3, indefinite.insert(1, 1) = -1;
  EXPECT_MESSAGE(NumericalError, "breakdown in iteration 2: p.Ap = -", solve(indefinite, Vector::Ones(2)));
  EXPECT_MESSAGE(NumericalError, "the block of rows 0 to 1 is not positive definite",
                 solve(indefinite, Vector::Ones(2), {}, 2));
  EXPECT_MESSAGE(NumericalError, "the diagonal entry of row 1 is not positive",
                 solve(indefinite, Vector::Ones(2), {}, 1));
  Vector broken = b;
  broken[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_MESSAGE(NumericalError, "the residual after iteration 0 is not finite", solve(matrix, broken));
}

TEST_P(ConjugateGradientsTest, RepeatsBitForBit) {
  const Rows matrix = poisson(25, 31, 5, 3);
  const Vector b = random_vector(matrix.rows(), 12);
  for (const SparseFormat format : {SparseFormat::csr, SparseFormat::dia}) {
    const Solution first = solve(matrix, b, in(format, DeviceKind::gpu), 2);
    const Solution second = solve(matrix, b, in(format, DeviceKind::gpu), 2);
    EXPECT_EQ(first.x, second.x);
    EXPECT_EQ(first.report.iterations, second.report.iterations);
    EXPECT_EQ(first.report.residual, second.report.residual);
  }
}

TEST_P(ConjugateGradientsTest, SolvesTheOpticalFlowOfTwoCoupledFields) {
  // Horn and Schunck's equations on a picture: 2 x 2 blocks (u, v) on a five-point stencil.
  const int nx = 24, ny = 18;
  std::vector<Eigen::Triplet<double>> triplets;
  Vector b(2 * nx * ny);
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      const int i = x + nx * y;
      const double gx = std::cos(0.5 * x) * 3, gy = std::sin(0.4 * y) * 3, gt = gx - 0.5 * gy, alpha = 0.05;
      int links = 0;
      for (const auto& [dx, dy] : {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}})
        if (x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny) {
          ++links;
          for (int c = 0; c < 2; ++c) triplets.emplace_back(2 * i + c, 2 * (i + dx + nx * dy) + c, -alpha);
        }
      triplets.emplace_back(2 * i, 2 * i, gx * gx + links * alpha),
          triplets.emplace_back(2 * i + 1, 2 * i + 1, gy * gy + links * alpha);
      triplets.emplace_back(2 * i, 2 * i + 1, gx * gy), triplets.emplace_back(2 * i + 1, 2 * i, gx * gy);
      b[2 * i] = gx * gt, b[2 * i + 1] = gy * gt;
    }
  Rows matrix(b.size(), b.size());
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  ConjugateGradientOptions options;
  options.tolerance = 1e-10;
  const Solution solution = solve(matrix, b, {}, 2, options);
  EXPECT_EQ(solution.report.reason, Reason::converged);
  for (int i = 0; i < nx * ny; ++i) {
    EXPECT_NEAR(solution.x[2 * i], 1, 1e-5);
    EXPECT_NEAR(solution.x[2 * i + 1], -0.5, 1e-5);
  }
}

TEST_P(ConjugateGradientsTest, SolvesForArrays) {
  const Stream s = stream();
  const Rows matrix = poisson(12, 12, 1);
  const ConjugateGradients solver(s, SparseOperator(s, from_eigen(matrix)));
  const Vector b = random_vector(matrix.rows(), 13);
  const Array device_b = Array::from(s, std::vector<double>(b.begin(), b.end()));
  Array x;
  EXPECT_TRUE(solver.solve(device_b, x).converged());
  const std::vector<double> solution = x.to_vector<double>();
  EXPECT_LT((b - matrix * Eigen::Map<const Vector>(solution.data(), b.size())).norm(), 1e-8 * b.norm());
  EXPECT_EQ(solver.solve(device_b, x).iterations, 0u);  // from where the last solve ended
  EXPECT_EQ(x.to_vector<double>(), solution);
  EXPECT_MESSAGE(UsageError, "b is (143,) of double, the matrix has 144 rows", solver.solve(device_b(Slice{1, {}}), x));
}

TEST_P(ConjugateGradientsTest, RefusesWhatDoesNotFit) {
  const Stream s = stream();
  const SparseMatrix wide = from_eigen(Rows(3, 4)), square = from_eigen(poisson(3, 3, 1)),
                     other = from_eigen(poisson(4, 4, 1));
  const Rows real = poisson(3, 3, 1);
  EXPECT_MESSAGE(UsageError, "3 x 4, not square", ConjugateGradients(s, SparseOperator(s, wide)));
  EXPECT_MESSAGE(UsageError, "for float and double, not cdouble_t",
                 ConjugateGradients(s, SparseOperator(s, from_eigen(real.cast<std::complex<double>>()))));
  EXPECT_MESSAGE(UsageError, "the preconditioner is of 16 rows, the matrix of 9",
                 ConjugateGradients(s, SparseOperator(s, square), Preconditioner::jacobi(s, other)));
  EXPECT_MESSAGE(
      UsageError, "the preconditioner holds float, the matrix double",
      ConjugateGradients(s, SparseOperator(s, square), Preconditioner::jacobi(s, from_eigen(real.cast<float>()))));
  EXPECT_MESSAGE(UsageError, "blocks of 1 to 16 rows, not 17", Preconditioner::block_jacobi(s, square, 17));
  ConjugateGradientOptions options;
  options.tolerance = -1;
  EXPECT_MESSAGE(UsageError, "a tolerance is not negative",
                 ConjugateGradients(s, SparseOperator(s, square), {}, options));
  options = {}, options.poll_every = 0;
  EXPECT_MESSAGE(UsageError, "at least one iteration apart",
                 ConjugateGradients(s, SparseOperator(s, square), {}, options));
  const ConjugateGradients solver(s, SparseOperator(s, square));
  const Buffer b = Buffer::of<double>(s, 9);
  EXPECT_MESSAGE(UsageError, "x has 64 bytes; 9 elements of double need 72",
                 solver.solve(s, b, Buffer::of<double>(s, 8)));
  EXPECT_MESSAGE(UsageError, "b and x are one buffer", solver.solve(s, b, b));
}

RTCG_INSTANTIATE_FOR_DEVICES(ConjugateGradientsTest);

}  // namespace
}  // namespace rtcg
