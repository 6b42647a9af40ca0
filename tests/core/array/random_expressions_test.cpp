// More than 10,000 random expressions against a plain interpreter of the same graph, on both loop shapes. Expressions
// come in sets that share a kernel; a set is computed for many extents and data, so that few kernels are compiled.
// A failure names its seed and shows the smallest part that is wrong.
#include <gtest/gtest.h>

#include <random>

#include "rtcg/array/expression.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/array/reductions.h"
#include "rtcg/array/scans.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/interpreter.h"

namespace rtcg {
namespace {

using test::Interpreter;
using test::Number;
using test::Numbers;
using Rules = std::map<const Phase*, Interpreter::Rule>;

constexpr Op operations[] = {
    Op::negate,     Op::absolute,   Op::sign,          Op::square,      Op::reciprocal,   Op::logical_not,
    Op::bit_not,    Op::sqrt,       Op::rsqrt,         Op::cbrt,        Op::exp,          Op::expm1,
    Op::log,        Op::log1p,      Op::sin,           Op::cos,         Op::atan,         Op::tanh,
    Op::floor,      Op::ceil,       Op::trunc,         Op::rint,        Op::isnan,        Op::real,
    Op::imag,       Op::conj,       Op::add,           Op::add,         Op::subtract,     Op::subtract,
    Op::multiply,   Op::multiply,   Op::divide,        Op::divide,      Op::floor_divide, Op::truncate_divide,
    Op::remainder,  Op::fmod,       Op::power,         Op::minimum,     Op::maximum,      Op::fmin,
    Op::fmax,       Op::atan2,      Op::hypot,         Op::copysign,    Op::bit_and,      Op::bit_or,
    Op::bit_xor,    Op::shift_left, Op::shift_right,   Op::equal,       Op::not_equal,    Op::less,
    Op::less_equal, Op::greater,    Op::greater_equal, Op::logical_and, Op::logical_or,   Op::make_complex,
    Op::where,      Op::where,      Op::fma,           Op::clip};
constexpr Dtype types[] = {Dtype::boolean, Dtype::i8,  Dtype::u8,  Dtype::i16, Dtype::u16, Dtype::i32,
                           Dtype::i32,     Dtype::u32, Dtype::i64, Dtype::u64, Dtype::f16, Dtype::f32,
                           Dtype::f32,     Dtype::f32, Dtype::f64, Dtype::f64, Dtype::c64, Dtype::c128};

/// Draws a set of expressions: `choice` decides what they are, `data` how long and of what values.
class RandomSet {
 public:
  RandomSet(const Stream& stream, unsigned seed, unsigned round)
      : stream_(stream), choice_(seed), data_(1000 * seed + round) {
    const int dimensions = pick(5);
    for (int d = 0; d < dimensions; ++d) shape_.push_back(2 + static_cast<int>(data_() % (dimensions > 2 ? 5 : 30)));
    for (int k = 0; k < 6; ++k) leaves_.push_back(leaf(types[pick(std::size(types))]));
    for (int k = 0; k < 3; ++k) leaves_.emplace_back(Scalar(number()).as(types[1 + pick(std::size(types) - 1)]), false);
    source_ = values(Shape{3 + static_cast<int>(data_() % 20)}, types[pick(std::size(types))]);
    for (int k = 0; k < 2; ++k)
      if (dimensions > 0) leaves_.insert(leaves_.begin(), total(tree(1 + pick(2))));
    while (roots.size() < 24) {
      const Expression root = tree(1 + pick(4));
      if (root.node()->op > Op::index) roots.push_back(root.broadcast_to(shape_));
    }
  }
  std::vector<Expression> roots;
  Rules rules;  ///< of the reductions and scans below

 private:
  int pick(std::size_t n) { return static_cast<int>(choice_() % n); }
  /// Multiples of 1/16, which every real type holds.
  double number() { return (static_cast<int>(data_() % 129) - 64) / 16.0; }

  Array values(const Shape& shape, Dtype type) {
    std::vector<double> list(static_cast<std::size_t>(element_count(shape)));
    const bool is_real_type = kind_of(type) >= DtypeKind::real;
    for (double& v : list) {
      v = is_real_type ? number() : static_cast<int>(data_() % 41) - 20;
      // Some of the largest and smallest; a conversion of reals to integers saturates.
      if (!is_real_type && data_() % 16 == 0) v = data_() % 2 == 0 ? 1e30 : -1e30;
    }
    const Array reals = Array::from(stream_, list, shape);
    if (!is_complex(type)) return reals.astype(type);
    return make_complex(reals, 2 * reals - 1).astype(type).evaluate();
  }

  /// An array that broadcasts to the shape: contiguous or a view, some dimensions of extent 1 or left out.
  Expression leaf(Dtype type) {
    const int left_out = shape_.empty() || pick(3) > 0 ? 0 : pick(static_cast<std::size_t>(shape_.size()) + 1);
    Shape own, memory;
    for (int d = left_out; d < shape_.size(); ++d) own.push_back(pick(5) == 0 ? 1 : shape_[d]);
    const int layout = own.empty() ? 0 : pick(5);
    memory = own;
    const int axis = own.empty() ? 0 : pick(static_cast<std::size_t>(own.size()));
    switch (layout) {
      case 1: {  // reversed axes
        Shape reversed;
        for (int d = own.size() - 1; d >= 0; --d) reversed.push_back(own[d]);
        return values(reversed, type).transpose();
      }
      case 2: {  // every second or third along an axis
        const std::int64_t step = 2 + pick(2);
        memory[axis] = own[axis] * step;
        std::vector<Index> index(static_cast<std::size_t>(own.size()), Slice{});
        index[static_cast<std::size_t>(axis)] = Slice{1, {}, step};
        return values(memory, type).at(index);
      }
      case 3:
        return values(own, type).flip(axis);
      default:
        return values(own, type);
    }
  }

  /// A sum, an extreme or a running sum along one axis, as a leaf that broadcasts.
  Expression total(const Expression& given) {
    const Expression x = given.broadcast_to(shape_);
    const int axis = pick(static_cast<std::size_t>(shape_.size())), kind = pick(4);
    const bool has_order = !is_complex(x.dtype());
    const Expression e = kind == 3                 ? cumsum(x, axis)
                         : kind == 0 || !has_order ? sum(x, Axes(axis).kept())
                         : kind == 1               ? max(x, Axes(axis).kept())
                                                   : min(x, Axes(axis).kept());
    if (e.node()->op != Op::total) return given;
    const bool is_sum = kind == 0 || kind == 3 || !has_order;
    const Dtype result = e.dtype();
    rules[static_cast<const TotalNode&>(*e.node()).phase.get()] = [=](const Node& operand, const Numbers& values) {
      return along(operand.shape, axis, kind == 3, values, [=](const Number& a, const Number& b, bool is_first) {
        const Number next = test::converted(b, operand.dtype, result);
        if (is_first || a.unknown || next.unknown) return is_first || next.unknown ? next : a;
        const Number pair[] = {a, next};
        Number n = test::operate(is_sum ? Op::add : kind == 1 ? Op::maximum : Op::minimum, result, result, pair);
        // In any order: partial sums may be as large as all that was added.
        if (is_sum && kind_of(result) >= DtypeKind::real)
          n.error += pair[1].error + test::rounded(next, result, 20).error;
        return n;
      });
    };
    return e;
  }

  /// Folds an array along an axis, which is kept with extent 1, or whole when all partial results are wanted.
  template <class F>
  static Numbers along(const Shape& shape, int axis, bool all, const Numbers& values, F&& fold) {
    std::int64_t inner = 1;
    for (int d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
    const std::int64_t length = shape[axis], outer = static_cast<std::int64_t>(values.size()) / (inner * length);
    Numbers result;
    result.resize(static_cast<std::size_t>(outer * inner * (all ? length : 1)));
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t c = 0; c < inner; ++c) {
        Number n;
        for (std::int64_t r = 0; r < length; ++r) {
          n = fold(n, values[static_cast<std::size_t>((o * length + r) * inner + c)], r == 0);
          if (all || r == length - 1)
            result[static_cast<std::size_t>(all ? (o * length + r) * inner + c : o * inner + c)] = n;
        }
      }
    return result;
  }

  Expression tree(int depth) {
    if (depth == 0) {
      if (pick(12) == 0 && !shape_.empty())
        return pick(2) == 0 ? indices(shape_) : index_along(shape_, pick(static_cast<std::size_t>(shape_.size())));
      // Few scalars, each use may be converted to a type of its own and a kernel takes no more than a dozen.
      const bool may_be_scalar = scalar_uses_ < 8;
      const int which = pick(may_be_scalar ? leaves_.size() : leaves_.size() - 3);
      scalar_uses_ += which + 3 >= static_cast<int>(leaves_.size());
      return leaves_[static_cast<std::size_t>(which)];
    }
    for (;;) {
      const int what = pick(20);
      if (what == 0) return tree(depth - 1).astype(types[pick(std::size(types))]);
      if (what == 1) {
        const Expression index = tree(depth - 1);
        if (kind_of(index.dtype()) == DtypeKind::signed_integer) return take(source_, index);
        continue;
      }
      const Op op = operations[pick(std::size(operations))];
      const int count = info(op).operands;
      std::vector<Expression> x;
      for (int k = 0; k < count; ++k) x.push_back(tree(k == 0 ? depth - 1 : pick(static_cast<std::size_t>(depth))));
      try {
        return count == 1   ? apply(op, {&x[0]})
               : count == 2 ? apply(op, {&x[0], &x[1]})
                            : apply(op, {&x[0], &x[1], &x[2]});
      } catch (const UsageError&) {  // no meaning for these types
      }
    }
  }

  const Stream& stream_;
  std::mt19937 choice_, data_;
  Shape shape_;
  std::vector<Expression> leaves_;
  Array source_;
  int scalar_uses_ = 0;
};

/// The smallest part that differs, and how.
std::string smallest_difference(const Stream& stream, const NodePtr& node, const Rules& rules) {
  std::string below;
  for_each_operand(*node, [&](const NodePtr& operand) {
    if (below.empty() && operand->op > Op::index) below = smallest_difference(stream, operand, rules);
  });
  if (!below.empty()) return below;
  Interpreter interpreter;
  interpreter.rules = rules;
  const std::string difference = interpreter.difference(node, Expression(node).evaluate(stream));
  return difference.empty() ? "" : difference + "\n" + Expression(node).explain();
}

class RandomExpressions : public test::DeviceTest {};

TEST_P(RandomExpressions, AgreeWithAPlainInterpreter) {
  constexpr unsigned sets = 6, rounds = 36;
  const Stream stream = this->stream();
  std::size_t expressions = 0, compared = 0, unknown = 0;
  int failures = 0;
  for (unsigned seed = 0; seed < sets && failures < 3; ++seed)
    for (const LoopShape shape : {LoopShape::cpu, LoopShape::gpu}) {
      force_loop_shape(shape);
      for (unsigned round = 0; round < rounds && failures < 3; ++round) {
        const RandomSet set(stream, seed, 2 * round + (shape == LoopShape::gpu));
        const std::vector<Array> results = evaluate(set.roots, &stream);
        Interpreter interpreter;
        interpreter.rules = set.rules;
        for (std::size_t k = 0; k < results.size(); ++k) {
          const std::string difference = interpreter.difference(set.roots[k].node(), results[k]);
          if (difference.empty()) continue;
          ++failures;
          ADD_FAILURE() << "seed " << seed << ", round " << round << ", shape " << static_cast<int>(shape) << ", root "
                        << k << ": " << difference << "\n"
                        << set.roots[k].explain() << "smallest part, evaluated alone: "
                        << smallest_difference(stream, set.roots[k].node(), set.rules);
        }
        expressions += results.size();
        compared += interpreter.compared, unknown += interpreter.unknown;
      }
    }
  force_loop_shape({});
  EXPECT_GE(expressions, 10'000u);
  // The interpreter's bounds are worth something: most numbers are compared.
  EXPECT_GT(compared, 3 * unknown) << compared << " compared, " << unknown << " unknown";
}

RTCG_INSTANTIATE_FOR_DEVICES(RandomExpressions);

}  // namespace
}  // namespace rtcg
