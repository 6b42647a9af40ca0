#include "rtcg/array/scans.h"

#include <fmt/format.h>

#include <vector>

#include "rtcg/array/elementwise_skeleton.h"
#include "rtcg/array/evaluate.h"
#include "rtcg/array/phase.h"
#include "rtcg/array/phases.h"
#include "rtcg/array/scan_skeleton.h"
#include "rtcg/array/transposed.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

/// NumPy's type of a sum: integers and booleans below 64 bits widen.
Dtype sum_type(Dtype type) {
  switch (kind_of(type)) {
    case DtypeKind::unsigned_integer:
      return Dtype::u64;
    case DtypeKind::boolean:
    case DtypeKind::signed_integer:
      return Dtype::i64;
    default:
      return type;
  }
}

ScanOperation operation_of(Op op, Dtype type, std::string neutral, std::string name) {
  operation_types(op, type);  // UsageError where the operation has no meaning
  const std::string arguments[] = {"a", "b"};
  ScanOperation operation{operation_text(op, type, arguments), std::move(neutral), {}, std::move(name)};
  operation.functions = operation_helpers(operation.combine);
  return operation;
}

std::string number(Dtype type, int value) {
  if (is_complex(type)) return fmt::format("{}_new({}, 0)", type == Dtype::c128 ? "cdouble" : "cfloat", value);
  return fmt::format("({}){}", compute_name(type), value);
}

/// The largest value, or the smallest.
std::string extreme(Dtype type, bool largest) {
  switch (type) {
    case Dtype::boolean:
      return largest ? "1" : "0";
    case Dtype::i8:
      return largest ? "127" : "-128";
    case Dtype::u8:
      return largest ? "255" : "0";
    case Dtype::i16:
      return largest ? "32767" : "-32768";
    case Dtype::u16:
      return largest ? "65535" : "0";
    case Dtype::i32:
      return largest ? "INT_MAX" : "INT_MIN";
    case Dtype::u32:
      return largest ? "UINT_MAX" : "0u";
    case Dtype::i64:
      return largest ? "LONG_MAX" : "LONG_MIN";
    case Dtype::u64:
      return largest ? "ULONG_MAX" : "0ul";
    default:
      return largest ? "INFINITY" : "-INFINITY";
  }
}

Array run(const Stream& stream, const Expression& x, const ScanOperation& operation, const ScanOptions& options) {
  const Dtype type = x.dtype();
  const Shape& shape = x.shape();
  std::vector<int> axes;
  Shape loop_shape;
  if (options.axis) {
    for (int d = 0; d < shape.size(); ++d)
      if (d != *options.axis) axes.push_back(d);
    axes.push_back(*options.axis);
    for (const int d : axes) loop_shape.push_back(shape[d]);
  } else {
    loop_shape = shape;
  }
  NodePtr root = without_phases(stream, x.node());
  if (options.axis && *options.axis != shape.size() - 1) root = transposed(root, shape, axes);
  root = fitted(stream, root, loop_shape);
  const Array result = Array::empty(stream, loop_shape, type);
  const LoopBody body(stream.device(), {&root, 1}, loop_shape, {&result, 1});

  ScanText text;
  text.functions = operation.functions;
  text.value_type = compute_name(type);
  text.value_bytes = type == Dtype::f16 ? sizeof(float) : size_of(type);
  text.value = "$0";
  text.combine = operation.combine;
  text.neutral = operation.neutral;
  text.backward = options.backward;
  ArgumentList arguments;
  const std::uint64_t row = options.axis ? static_cast<std::uint64_t>(loop_shape.back()) : 0;
  if (options.axis && loop_shape.back() != result.size()) {
    text.parameters = "const ulong scan_row, ";
    text.segment_start = options.backward ? "(i + 1) % (index_t)scan_row == 0" : "i % (index_t)scan_row == 0";
    arguments.value(row);
  }
  std::string item = options.exclusive ? "prev_item" : "item";
  if (options.initial) {
    text.parameters += fmt::format("const {} scan_initial, ", text.value_type);
    item = fmt::format("scan_combine(scan_initial, {})", item);
    arguments.copy(options.initial->as(type == Dtype::f16 ? Dtype::f32 : type));
  }
  text.output = fmt::format("out0_[k] = {};", item);
  run_scan(stream, text, body, arguments.arguments());
  if (!options.axis) return result.ravel();
  std::vector<int> back(axes.size());
  for (std::size_t d = 0; d < axes.size(); ++d) back[static_cast<std::size_t>(axes[d])] = static_cast<int>(d);
  return result.transpose(back);
}

Expression cumulative(const Expression& x, const ScanOperation& operation, std::optional<int> axis) {
  ScanOptions options;
  options.axis = axis;
  return scan(x, operation, options);
}

}  // namespace

ScanOperation sum_operation(Dtype type) {
  return operation_of(Op::add, type, number(type, 0), "cumsum");
}
ScanOperation product_operation(Dtype type) {
  return operation_of(Op::multiply, type, number(type, 1), "cumprod");
}
ScanOperation minimum_operation(Dtype type) {
  return operation_of(Op::minimum, type, extreme(type, true), "cummin");
}
ScanOperation maximum_operation(Dtype type) {
  return operation_of(Op::maximum, type, extreme(type, false), "cummax");
}

Expression scan(const Expression& x, const ScanOperation& operation, const ScanOptions& options) {
  ScanOptions settled = options;
  if (options.axis) settled.axis = normalized_axis(*options.axis, x.shape().size());
  const std::string name =
      operation.name + (settled.axis ? fmt::format(" over axis {}", *settled.axis) : std::string());
  return make_phase(name, {{x, false}}, x.dtype(), settled.axis ? x.shape() : Shape{x.size()},
                    [operation, settled](const Stream& stream, std::span<const Expression> operands) {
                      return run(stream, operands[0], operation, settled);
                    });
}

Expression cumsum(const Expression& x, std::optional<int> axis) {
  const Expression wide = x.astype(sum_type(x.dtype()));
  return cumulative(wide, sum_operation(wide.dtype()), axis);
}
Expression cumprod(const Expression& x, std::optional<int> axis) {
  const Expression wide = x.astype(sum_type(x.dtype()));
  return cumulative(wide, product_operation(wide.dtype()), axis);
}
Expression cummin(const Expression& x, std::optional<int> axis) {
  return cumulative(x, minimum_operation(x.dtype()), axis);
}
Expression cummax(const Expression& x, std::optional<int> axis) {
  return cumulative(x, maximum_operation(x.dtype()), axis);
}

}  // namespace rtcg
