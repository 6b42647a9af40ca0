// Arrays from arrays: joined, cut, repeated, shifted, padded, picked along an axis; and arrays from a rule. NumPy's
// functions of the same name. What is an Expression computes nothing here and fuses into what uses it (its source is
// made an Array first); what is an Array has its own memory, or is a view where it says so.
// UsageError for axes out of range and for shapes that do not fit, naming both.
#pragma once

#include <span>
#include <vector>

#include "rtcg/array/expression.h"

namespace rtcg {

/// Types promote; each part is computed straight into its place. On the stream of the first array.
Array concatenate(std::span<const Expression> parts, int axis = 0);
inline Array concatenate(std::initializer_list<Expression> parts, int axis = 0) {
  return concatenate(std::span(parts.begin(), parts.size()), axis);
}
/// Along a new axis; parts of one shape.
Array stack(std::span<const Expression> parts, int axis = 0);
inline Array stack(std::initializer_list<Expression> parts, int axis = 0) {
  return stack(std::span(parts.begin(), parts.size()), axis);
}
/// Views: equal parts (the count must divide the extent), or cuts before these positions.
std::vector<Array> split(const Array& array, std::int64_t parts, int axis = 0);
std::vector<Array> split(const Array& array, std::span<const std::int64_t> positions, int axis = 0);

/// Each element `count` times in a row.
Expression repeat(const Expression& x, std::int64_t count, int axis);
/// The whole `counts[d]` times along dimension d; as many counts as dimensions.
Expression tile(const Expression& x, std::span<const std::int64_t> counts);
inline Expression tile(const Expression& x, std::initializer_list<std::int64_t> counts) {
  return tile(x, std::span(counts.begin(), counts.size()));
}
/// Element i comes to i + shift; what leaves at one end enters at the other.
Expression roll(const Expression& x, std::int64_t shift, int axis);

enum class PadMode : std::uint8_t {
  constant,  ///< the value given
  edge,      ///< the last element
  reflect,   ///< mirrored at the last element: 2 1 | 0 1 2; at most extent - 1 elements
  wrap,      ///< from the other end; at most extent elements
};
struct PadWidth {
  std::int64_t before = 0, after = 0;
};
/// One width per dimension.
Expression pad(const Expression& x, std::span<const PadWidth> widths, PadMode mode = PadMode::constant,
               const Scalar& value = 0);
inline Expression pad(const Expression& x, std::initializer_list<PadWidth> widths, PadMode mode = PadMode::constant,
                      const Scalar& value = 0) {
  return pad(x, std::span(widths.begin(), widths.size()), mode, value);
}

/// source[..., index, ...]: the axis is replaced by the dimensions of the integer index. Bad indices as in the flat
/// take.
Expression take(const Expression& source, const Array& index, int axis);
/// source[i, index[i, j], ...] with an index that has the source's shape but along the axis: numpy.take_along_axis, for
/// what argsort and argmin give.
Expression take_along(const Expression& source, const Expression& index, int axis);

/// target.ravel()[index] = values, in place: integers from -n to n - 1, elementwise; values broadcast to the index and
/// are converted to the target's type. What lies outside is not written (checked mode: UsageError); of several writes
/// to one place any one stays.
void put(const Array& target, const Expression& index, const Expression& values);

/// The diagonal that starts `k` columns to the right of the corner (k < 0: -k rows below); a view of a matrix.
Array diagonal(const Array& matrix, std::int64_t k = 0);
/// Ones on that diagonal.
Expression eye(std::int64_t rows, std::int64_t columns, std::int64_t k = 0, Dtype type = Dtype::f32);
/// What lies on and below, on and above that diagonal of the last two dimensions; 0 elsewhere.
Expression tril(const Expression& x, std::int64_t k = 0);
Expression triu(const Expression& x, std::int64_t k = 0);
/// `count` values from start to stop, both included; float32, float64 or complex.
Expression linspace(double start, double stop, std::int64_t count, Dtype type = Dtype::f32);
/// Coordinates of a grid with the axes given, in their order ("ij"): views, nothing is copied.
std::vector<Array> meshgrid(std::span<const Array> axes);
inline std::vector<Array> meshgrid(std::initializer_list<Array> axes) {
  return meshgrid(std::span(axes.begin(), axes.size()));
}

}  // namespace rtcg
