// Conjugate gradients for symmetric positive definite matrices (Shewchuk's B3, preconditioned), all of it on the
// device: the scalars stay there, the host only keeps the queue filled and looks at a page-locked copy of them two
// polls behind, so the device never waits for it. That the residual is small is believed only of the true one,
// b - A x, which replaces the recursive one every `check_every` iterations and whenever that claims to be small enough.
// The schedule does not depend on timing and sums have a fixed order: same device, same input, same bits.
#pragma once

#include <memory>

#include "rtcg/sparse/preconditioner.h"
#include "rtcg/sparse/sparse_operator.h"

namespace rtcg {

struct ConjugateGradientOptions {
  double tolerance = 1e-8;  ///< of |b - A x| / |b|
  std::size_t max_iterations = 10000;
  std::size_t poll_every = 20;   ///< iterations between two looks by the host
  std::size_t check_every = 50;  ///< iterations between two true residuals; rounded up to polls, at most n
};

struct ConjugateGradientReport {
  enum class Reason : std::uint8_t {
    converged,        ///< the true residual is within the tolerance
    zero_right_side,  ///< b = 0, so x = 0
    max_iterations,
    stagnated,  ///< the recursive residual got there again and again, the true one no longer falls
  };
  struct Poll {
    std::size_t iteration = 0;
    double residual = 0;   ///< |r| / |b|
    bool is_true = false;  ///< of b - A x, not of the recursion
  };
  Reason reason = Reason::max_iterations;
  std::size_t iterations = 0;
  double residual = 0;  ///< |b - A x| / |b| of the x returned
  std::vector<Poll> history;
  bool converged() const { return reason == Reason::converged || reason == Reason::zero_right_side; }
};
const char* name_of(ConjugateGradientReport::Reason reason);

class ConjugateGradients {
 public:
  /// Compiles the kernels and makes the work vectors. UsageError unless the matrix is square and real, the
  /// preconditioner fits it, and the options make sense.
  ConjugateGradients(const Stream& stream, SparseOperator matrix, Preconditioner preconditioner = {},
                     const ConjugateGradientOptions& options = {});

  /// Solves A x = b from the x given; both hold n elements of the matrix's type. NumericalError with its iteration when
  /// p.Ap is not positive (the matrix is not positive definite), r.Mr is not (the preconditioner is not), or numbers
  /// overflow, or when b is not 0 but b.b is. One solve at a time.
  ConjugateGradientReport solve(const Stream& stream, const Buffer& b, const Buffer& x) const;

  /// The same on the stream of b; `x` is the start (none: zero) and becomes the solution.
  ConjugateGradientReport solve(const Array& b, Array& x) const;

  /// Bytes that an iteration has to move.
  std::size_t bytes() const;
  std::string explain() const;

 private:
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};

}  // namespace rtcg
