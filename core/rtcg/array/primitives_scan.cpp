// Scans and filters of primitives.h.
#include <fmt/format.h>

#include "rtcg/array/function_text.h"
#include "rtcg/array/primitives.h"
#include "rtcg/array/scan_operation.h"
#include "rtcg/error.h"

namespace rtcg {

ScanOperation scan_operation(std::string_view primitive, const Operator& f, Dtype type) {
  const Operator::Combination combination = f.combination(type);
  if (!combination.neutral)
    throw UsageError(fmt::format("{}: \"{}\" has no neutral element that is known; say it with_neutral(value)",
                                 primitive, combination.name));
  ScanOperation operation;
  operation.combine = combination.function->name + "(a, b)";
  operation.neutral = literal_text(*combination.neutral);
  operation.functions = operation_helpers(combination.function->text) + combination.function->text;
  operation.name = fmt::format("{} {}", primitive, combination.name);
  return operation;
}

namespace {

Expression scanned(const char* primitive, const Operator& f, const Expression& x, const ScanOptions& options) {
  const Expression result = scan(x, scan_operation(primitive, f, x.dtype()), options);
  // Of several dimensions: the elements stay where they are in C order.
  return x.shape().size() == 1 ? result : take(result, positions(x));
}

}  // namespace

Expression scan(const Operator& f, const Expression& x) {
  return scanned("scan", f, x, {});
}
Expression rscan(const Operator& f, const Expression& x) {
  return scanned("rscan", f, x, {.backward = true});
}
Expression exclusive_scan(const Operator& f, const Scalar& first, const Expression& x) {
  return scanned("exclusive_scan", f, x, {.exclusive = true, .initial = first});
}
Expression exclusive_rscan(const Operator& f, const Scalar& first, const Expression& x) {
  return scanned("exclusive_rscan", f, x, {.exclusive = true, .backward = true, .initial = first});
}

Array filter(const Formula& p, const Expression& x) {
  return filter(x, map(p, x));
}
std::vector<Array> filter(const Formula& p, const Tuple& x) {
  return filter(std::span<const Expression>(x), map(p, x));
}

}  // namespace rtcg
