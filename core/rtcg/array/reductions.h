// Reductions of expressions over any of their axes: NumPy's by name, types and edge cases. Each is one phase into which
// everything local below it is fused; the result is lazy. The order of combination is fixed (same device, same bits)
// but is not that of the indices.
//
//   sum(x)   sum(x, 0)   mean(x, {0, -1})   max(x, Axes(1).kept())
//
// Sums and products of integers and booleans are int64 or uint64 and wrap; half is added up in float; others in their
// own type. NaN is what min, max, argmin and argmax give where there is one. UsageError for an axis out of range or
// named twice, for min, max, argmin, argmax of nothing, and for types without the operation (order of complex numbers).
#pragma once

#include "rtcg/array/expression.h"

namespace rtcg {

/// All axes, or those given; negative ones count from the last.
class Axes {
 public:
  Axes() = default;
  Axes(int axis) : list_{axis}, all_(false) {}  // NOLINT(google-explicit-constructor)
  Axes(std::initializer_list<int> axes) : list_(axes), all_(false) {}
  explicit Axes(std::vector<int> axes) : list_(std::move(axes)), all_(false) {}
  /// The result keeps them with extent 1, so that it broadcasts against what was reduced.
  Axes kept() const {
    Axes axes = *this;
    axes.kept_ = true;
    return axes;
  }
  bool is_kept() const { return kept_; }
  /// Which of the dimensions are reduced. UsageError.
  std::vector<bool> of(int dimensions) const;

 private:
  std::vector<int> list_;
  bool all_ = true, kept_ = false;
};

Expression sum(const Expression& x, const Axes& axes = {});
Expression prod(const Expression& x, const Axes& axes = {});
/// Of integers float64. NaN for nothing.
Expression mean(const Expression& x, const Axes& axes = {});
/// Of |x - mean|^2, divided by n - degrees; two passes, as accurate as the sums.
Expression var(const Expression& x, const Axes& axes = {}, std::int64_t degrees = 0);
Expression stddev(const Expression& x, const Axes& axes = {}, std::int64_t degrees = 0);
Expression min(const Expression& x, const Axes& axes = {});
Expression max(const Expression& x, const Axes& axes = {});
/// int64: the first of several; over all axes in C order, else along the one axis given.
Expression argmin(const Expression& x);
Expression argmin(const Expression& x, int axis);
Expression argmax(const Expression& x);
Expression argmax(const Expression& x, int axis);
/// Is any, are all different from zero? False and true for nothing. NaN differs from zero.
Expression any(const Expression& x, const Axes& axes = {});
Expression all(const Expression& x, const Axes& axes = {});
Expression count_nonzero(const Expression& x, const Axes& axes = {});
/// Square root of the sum of |x|^2, which is not scaled: it overflows where that does.
Expression norm(const Expression& x, const Axes& axes = {});
/// Sum of a b over one dimension each (no conjugation); UsageError for other shapes.
Expression dot(const Expression& a, const Expression& b);

}  // namespace rtcg
