#include "dgfem/formula_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rtcg::dgfem {

namespace {

double applied(Op op, const std::array<double, 3>& x, const FormulaTree& tree, std::uint32_t at) {
  switch (op) {
    case Op::negate:
      return -x[0];
    case Op::positive:
      return x[0];
    case Op::absolute:
      return std::abs(x[0]);
    case Op::sign:
      return static_cast<double>((x[0] > 0) - (x[0] < 0));
    case Op::square:
      return x[0] * x[0];
    case Op::reciprocal:
      return 1 / x[0];
    case Op::logical_not:
      return x[0] == 0;
    case Op::sqrt:
      return std::sqrt(x[0]);
    case Op::rsqrt:
      return 1 / std::sqrt(x[0]);
    case Op::cbrt:
      return std::cbrt(x[0]);
    case Op::exp:
      return std::exp(x[0]);
    case Op::exp2:
      return std::exp2(x[0]);
    case Op::expm1:
      return std::expm1(x[0]);
    case Op::log:
      return std::log(x[0]);
    case Op::log2:
      return std::log2(x[0]);
    case Op::log10:
      return std::log10(x[0]);
    case Op::log1p:
      return std::log1p(x[0]);
    case Op::sin:
      return std::sin(x[0]);
    case Op::cos:
      return std::cos(x[0]);
    case Op::tan:
      return std::tan(x[0]);
    case Op::asin:
      return std::asin(x[0]);
    case Op::acos:
      return std::acos(x[0]);
    case Op::atan:
      return std::atan(x[0]);
    case Op::sinh:
      return std::sinh(x[0]);
    case Op::cosh:
      return std::cosh(x[0]);
    case Op::tanh:
      return std::tanh(x[0]);
    case Op::asinh:
      return std::asinh(x[0]);
    case Op::acosh:
      return std::acosh(x[0]);
    case Op::atanh:
      return std::atanh(x[0]);
    case Op::erf:
      return std::erf(x[0]);
    case Op::erfc:
      return std::erfc(x[0]);
    case Op::lgamma:
      return std::lgamma(x[0]);
    case Op::tgamma:
      return std::tgamma(x[0]);
    case Op::floor:
      return std::floor(x[0]);
    case Op::ceil:
      return std::ceil(x[0]);
    case Op::trunc:
      return std::trunc(x[0]);
    case Op::rint:
      return std::rint(x[0]);
    case Op::add:
      return x[0] + x[1];
    case Op::subtract:
      return x[0] - x[1];
    case Op::multiply:
      return x[0] * x[1];
    case Op::divide:
    case Op::truncate_divide:
      return x[0] / x[1];
    case Op::fmod:
      return std::fmod(x[0], x[1]);
    case Op::power:
      return std::pow(x[0], x[1]);
    case Op::minimum:
    case Op::fmin:
      return std::min(x[0], x[1]);
    case Op::maximum:
    case Op::fmax:
      return std::max(x[0], x[1]);
    case Op::atan2:
      return std::atan2(x[0], x[1]);
    case Op::hypot:
      return std::hypot(x[0], x[1]);
    case Op::copysign:
      return std::copysign(x[0], x[1]);
    case Op::equal:
      return x[0] == x[1];
    case Op::not_equal:
      return x[0] != x[1];
    case Op::less:
      return x[0] < x[1];
    case Op::less_equal:
      return x[0] <= x[1];
    case Op::greater:
      return x[0] > x[1];
    case Op::greater_equal:
      return x[0] >= x[1];
    case Op::logical_and:
      return x[0] != 0 && x[1] != 0;
    case Op::logical_or:
      return x[0] != 0 || x[1] != 0;
    case Op::where:
      return x[0] != 0 ? x[1] : x[2];
    case Op::fma:
      return std::fma(x[0], x[1], x[2]);
    case Op::clip:
      return std::clamp(x[0], x[1], x[2]);
    default:
      tree.fail(at, fmt::format("'{}' has no meaning here", info(op).name));
  }
}

/// Walks the tree from its leaves; `leaf` and `operation` give what is kept for each node.
template <class Value, class Leaf, class Operation>
Value walk(const FormulaTree& tree, const Leaf& leaf, const Operation& operation) {
  std::vector<Value> values;
  for (const FormulaNode& node : tree.nodes) {
    if (node.kind == FormulaNode::Kind::cast) {
      values.push_back(values[node.operands[0]]);
    } else if (node.kind == FormulaNode::Kind::operation) {
      std::array<Value, 3> operands{};
      for (std::uint32_t i = 0; i < node.operand_count; ++i) operands[i] = values[node.operands[i]];
      values.push_back(operation(node, operands));
    } else {
      values.push_back(leaf(node));
    }
  }
  return values.back();
}

}  // namespace

double formula_value(const FormulaTree& tree, const std::function<std::optional<double>(std::string_view)>& value_of) {
  return walk<double>(
      tree,
      [&](const FormulaNode& node) {
        if (node.kind == FormulaNode::Kind::literal) return node.value.to_double();
        const std::string& name = tree.names[node.name];
        if (const auto value = value_of(name)) return *value;
        if (const auto value = formula_constant(name)) return *value;
        tree.fail(node.at, fmt::format("'{}' is not known here", name));
      },
      [&](const FormulaNode& node, const std::array<double, 3>& x) { return applied(node.op, x, tree, node.at); });
}

Dependence formula_dependence(const FormulaTree& tree, const std::function<Dependence(std::string_view)>& of_name) {
  // A literal zero is linear as well as constant: it is what a field that does not flow is written as.
  struct Part {
    Dependence dependence = Dependence::none;
    bool is_zero = false;
  };
  const Part part = walk<Part>(
      tree,
      [&](const FormulaNode& node) -> Part {
        if (node.kind == FormulaNode::Kind::literal) return {Dependence::none, node.value.to_double() == 0};
        return {of_name(tree.names[node.name])};
      },
      [](const FormulaNode& node, const std::array<Part, 3>& x) -> Part {
        const auto any = [&](Dependence kind) {
          return std::any_of(x.begin(), x.begin() + node.operand_count,
                             [&](const Part& operand) { return operand.dependence == kind; });
        };
        if (any(Dependence::other)) return {Dependence::other};
        if (!any(Dependence::linear)) return {Dependence::none};
        const auto is_linear = [](const Part& operand) {
          return operand.dependence == Dependence::linear || operand.is_zero;
        };
        switch (node.op) {
          case Op::negate:
          case Op::positive:
            return {Dependence::linear};
          case Op::add:
          case Op::subtract:
            return {is_linear(x[0]) && is_linear(x[1]) ? Dependence::linear : Dependence::other};
          case Op::multiply:
            return {x[0].dependence == Dependence::none || x[1].dependence == Dependence::none ? Dependence::linear
                                                                                               : Dependence::other};
          case Op::divide:
          case Op::truncate_divide:
            return {x[1].dependence == Dependence::none ? Dependence::linear : Dependence::other};
          default:
            return {Dependence::other};
        }
      });
  return part.is_zero ? Dependence::linear : part.dependence;
}

}  // namespace rtcg::dgfem
