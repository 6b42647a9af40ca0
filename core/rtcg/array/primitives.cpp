#include "rtcg/array/primitives.h"

#include <fmt/format.h>

#include "rtcg/array/phase.h"
#include "rtcg/array/scatter.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

/// Would a value of `from` become one of a lower kind as `to`? A number of the program's text that is an integer goes
/// with any integers.
bool loses_kind(const Expression& from, Dtype to) {
  if (from.node()->is_weak && kind_of(from.dtype()) <= DtypeKind::signed_integer && to != Dtype::boolean) return false;
  return kind_of(from.dtype()) > kind_of(to);
}

void need_one_length(std::string_view primitive, const Expression& a, const Expression& b) {
  const Expression both[] = {a, b};
  common_shape(primitive, both);
}

}  // namespace

Shape common_shape(std::string_view primitive, std::span<const Expression> values) {
  const Shape* common = nullptr;
  for (const Expression& value : values) {
    if (value.shape().empty()) continue;
    if (common == nullptr)
      common = &value.shape();
    else if (!(*common == value.shape()))
      throw UsageError(fmt::format("{}: shapes {} and {}; they must be the same", primitive, to_string(*common),
                                   to_string(value.shape())));
  }
  return common == nullptr ? Shape{} : *common;
}

Expression map(const Formula& f, const Tuple& values) {
  common_shape("map", values);
  return f(values);
}

Expression range(std::int64_t n) {
  return range(0, n);
}
Expression range(std::int64_t from, std::int64_t to) {
  std::int64_t count = 0;
  if (__builtin_sub_overflow(to, from, &count))
    throw UsageError(fmt::format("range: {} to {} are more than 2^63 numbers", from, to));
  const Expression positions = indices(Shape{std::max<std::int64_t>(0, count)});
  return from == 0 ? positions : positions + from;
}

Expression positions(const Expression& x) {
  return indices(x.shape());
}
Tuple enumerate(const Expression& x) {
  return {positions(x), x};
}

Expression gather(const Expression& source, const Expression& index) {
  return take(source, index);
}

Expression shift(const Expression& x, std::int64_t k, const Expression& outside) {
  if (!outside.shape().empty()) throw UsageError("shift: the value outside is a single one");
  if (loses_kind(outside, x.dtype()))
    throw UsageError(fmt::format("shift: {} outside of {} loses the kind; cast one of them",
                                 dtype_name(outside.dtype()), dtype_name(x.dtype())));
  if (k == 0 || x.size() == 0) return x;
  const std::int64_t n = x.size();
  const Expression other = outside.astype(x.dtype());
  if (k >= n || k <= -n) return other.broadcast_to(x.shape());
  const Expression place = positions(x) + k;
  return where(k > 0 ? place < n : place >= 0, take(x, place), other);
}

Expression rotate(const Expression& x, std::int64_t k) {
  const std::int64_t n = x.size();
  if (n == 0 || k % n == 0) return x;
  const Expression place = positions(x) + (k % n + n) % n;
  return take(x, where(place < n, place, place - n));
}

Expression adjacent_difference(const Expression& x) {
  if (x.size() == 0) return x;
  return x - shift(x, -1, 0);
}

std::vector<Array> unzip(const Tuple& tuple) {
  return evaluate(tuple);
}

Expression permute(const Expression& x, const Expression& index) {
  need_one_length("permute", x, index);
  const Shape shape = x.shape();
  return make_phase("permute", {{x}, {index}}, x.dtype(), shape,
                    [shape](const Stream& stream, std::span<const Expression> values) {
                      const Array result = Array::empty(stream, shape, values[0].dtype());
                      scatter_into(stream, result, values[0], values[1]);
                      return result;
                    });
}

Expression scatter(const Expression& source, const Expression& index, const Expression& target) {
  need_one_length("scatter", source, index);
  if (loses_kind(source, target.dtype()))
    throw UsageError(fmt::format("scatter: {} into {} loses the kind; cast one of them", dtype_name(source.dtype()),
                                 dtype_name(target.dtype())));
  return make_phase("scatter", {{source}, {index}, {target}}, target.dtype(), target.shape(),
                    [](const Stream& stream, std::span<const Expression> values) {
                      const Array result = values[2].evaluate(stream);
                      scatter_into(stream, result, values[0], values[1]);
                      return result;
                    });
}

Expression update(const Expression& target, const Tuple& pairs) {
  if (pairs.size() != 2)
    throw UsageError(fmt::format("update: pairs of index and value, {} members given", pairs.size()));
  return scatter(pairs[1], pairs[0], target);
}

}  // namespace rtcg
