#include "rtcg/array/scatter.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtcg/array/elementwise_skeleton.h"
#include "rtcg/array/evaluate.h"
#include "rtcg/array/index_check.h"
#include "rtcg/array/kernel_table.h"
#include "rtcg/array/loop_body.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/compile/template.h"
#include "rtcg/error.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

const char* atomic_name(Op op) {
  switch (op) {
    case Op::add:
      return "atomic_add";
    case Op::minimum:
    case Op::fmin:
      return "atomic_min";
    case Op::maximum:
    case Op::fmax:
      return "atomic_max";
    case Op::bit_and:
      return "atomic_and";
    case Op::bit_or:
      return "atomic_or";
    case Op::bit_xor:
      return "atomic_xor";
    default:
      return nullptr;
  }
}

std::string write_text(const Array& target, const std::string& value, const char* atomic) {
  if (atomic != nullptr) return fmt::format("{}(y_ + at_, {})", atomic, value);
  return target.dtype() == Dtype::f16 ? fmt::format("vstore_half({}, (size_t)at_, y_)", value)
                                      : fmt::format("y_[at_] = {}", value);
}

void launch(const Stream& stream, const Array& target, const Expression& values, const Expression& index,
            const char* atomic) {
  if (!is_integer(index.dtype()))
    throw UsageError(fmt::format("scatter: the index is {}; it must be an integer type", dtype_name(index.dtype())));
  if (!target.is_contiguous()) throw std::logic_error("scatter: the target must be contiguous");
  const Shape shape = broadcast(values.shape(), index.shape());
  if (element_count(shape) == 0 || target.size() == 0) return;
  const Device& device = stream.device();
  const bool cpu = loop_shape(device) == LoopShape::cpu;
  check_indices("scatter", stream, index, target.size());
  NodePtr roots[] = {make_cast(values.node(), target.dtype()), index.node()};
  // Alone each fits; where the two together do not, both are made arrays.
  for (NodePtr& root : roots) root = fitted(stream, root, shape);
  if (!LoopBody(device, roots, shape).fits())
    for (NodePtr& root : roots) root = Expression(Expression(root).broadcast_to(shape).evaluate(stream)).node();
  const LoopBody body(device, roots, shape);
  std::string key = fmt::format("{}{}{}{}", cpu ? 'c' : 'g', static_cast<int>(target.dtype()),
                                atomic == nullptr ? "" : atomic, body.key());
  const Kernel& kernel = cached_kernel(device, "scatter", key, [&] {
    const BodyText text = body.text();
    return std::pair(Source("scatter.cl", render(kernels::scatter_cl,
                                                 {{"functions", text.functions},
                                                  {"parameters", text.parameters},
                                                  {"declare_lanes", text.declare_lanes},
                                                  {"load_run", text.load_run},
                                                  {"load_one", text.load_one},
                                                  {"compute", text.compute},
                                                  {"index", text.results[1]},
                                                  {"write", write_text(target, text.results[0], atomic)},
                                                  {"storage", storage_name(target.dtype())},
                                                  {"lanes", body.lanes()},
                                                  {"cpu", cpu}},
                                                 "scatter.cl")),
                     std::string("scatter"));
  });
  const Buffer& buffer = target.buffer();
  if (target.offset() != 0) throw std::logic_error("scatter: the target must own its memory");
  ArgumentList list;
  body.append_arguments(list);
  list.buffer(buffer, target.dtype());
  list.value(target.size());
  list.value(static_cast<std::uint64_t>(body.count()));
  const std::size_t runs = (static_cast<std::size_t>(body.count()) - 1) / body.lanes() + 1;
  const Grid grid = cpu ? Grid::of(std::clamp<std::size_t>(runs / 4096, 1, 4 * device.properties().compute_units), 1)
                        : Grid::over(runs, 256);
  kernel.launch(stream, grid, list.arguments());
}

}  // namespace

void scatter_into(const Stream& stream, const Array& target, const Expression& values, const Expression& index) {
  launch(stream, target, values, index, nullptr);
}

bool combines_atomically(const Operator::Combination& combination, Dtype type) {
  return (type == Dtype::i32 || type == Dtype::u32) && combination.op && atomic_name(*combination.op) != nullptr;
}

void combine_into(const Stream& stream, const Array& target, const Expression& values, const Expression& index,
                  const Operator::Combination& combination) {
  if (!combines_atomically(combination, target.dtype()))
    throw std::logic_error("combine_into: no atomic operation for this");
  launch(stream, target, values, index, atomic_name(*combination.op));
}

}  // namespace rtcg
