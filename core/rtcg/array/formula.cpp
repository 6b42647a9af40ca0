#include "rtcg/array/formula.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "rtcg/array/function_text.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

using Kind = FormulaNode::Kind;

bool is_arithmetic(Op op) {
  switch (op) {
    case Op::negate:
    case Op::positive:
    case Op::bit_not:
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::remainder:
    case Op::shift_left:
    case Op::shift_right:
      return true;
    default:
      return false;
  }
}

Expression operate(Op op, std::span<const Expression> given) {
  const auto is_bool = [](const Expression& x) { return x.dtype() == Dtype::boolean; };
  const auto is_whole = [](const Expression& x) { return kind_of(x.dtype()) <= DtypeKind::signed_integer; };
  std::vector<Expression> x(given.begin(), given.end());
  if (is_arithmetic(op) && std::all_of(x.begin(), x.end(), is_bool))
    for (Expression& operand : x) operand = operand.astype(Dtype::i32);
  if (op == Op::positive) return x[0];
  if (op == Op::divide && std::all_of(x.begin(), x.end(), is_whole)) op = Op::truncate_divide;
  if (op == Op::remainder) op = Op::fmod;
  return x.size() == 1   ? apply(op, {&x[0]})
         : x.size() == 2 ? apply(op, {&x[0], &x[1]})
                         : apply(op, {&x[0], &x[1], &x[2]});
}

Expression build(const FormulaTree& tree, std::span<const Expression> values) {
  std::vector<Expression> built;
  built.reserve(tree.nodes.size());
  for (const FormulaNode& node : tree.nodes) {
    try {
      std::vector<Expression> operands;
      for (std::size_t k = 0; k < node.operand_count; ++k) operands.push_back(built[node.operands[k]]);
      switch (node.kind) {
        case Kind::literal:
          built.emplace_back(node.value, true);
          break;
        case Kind::name:
          built.push_back(values[node.name]);
          break;
        case Kind::cast:
          built.push_back(operands[0].astype(node.type));
          break;
        case Kind::operation:
          built.push_back(operate(node.op, operands));
          break;
      }
    } catch (const UsageError& error) {
      const bool is_power = node.kind == Kind::operation && node.op == Op::bit_xor;
      tree.fail(node.at, std::string(error.what()) + (is_power ? " (a power is written pow(a, b))" : ""));
    }
  }
  return built.back();
}

}  // namespace

Formula::Formula(std::string text) : tree_(std::make_shared<const FormulaTree>(read_formula(std::move(text)))) {}

Formula::Formula(std::string text, std::vector<std::string> parameters) {
  FormulaTree tree = read_formula(std::move(text));
  if (!tree.parameters.empty()) tree.fail(0, "the names are given already; leave out the list in front of '->'");
  for (const FormulaNode& node : tree.nodes) {
    if (node.kind != Kind::name) continue;
    const std::string& name = tree.names[node.name];
    if (std::find(parameters.begin(), parameters.end(), name) == parameters.end() && !formula_constant(name))
      tree.fail(node.at, parameters.empty()
                             ? fmt::format("there is no '{}'; there are no names", name)
                             : fmt::format("there is no '{}'; there are {}", name, fmt::join(parameters, ", ")));
  }
  tree.parameters = std::move(parameters);
  tree_ = std::make_shared<const FormulaTree>(std::move(tree));
}

bool Formula::uses(std::string_view name) const {
  return std::find(tree_->names.begin(), tree_->names.end(), name) != tree_->names.end();
}

std::vector<std::string> Formula::names_for(std::size_t operands) const {
  if (!tree_->parameters.empty()) {
    if (operands != tree_->parameters.size())
      throw UsageError(fmt::format("formula \"{}\" takes {} operands ({}), {} given", tree_->text,
                                   tree_->parameters.size(), fmt::join(tree_->parameters, ", "), operands));
    return tree_->parameters;
  }
  if (operands > 26)
    throw UsageError(fmt::format("formula: {} operands; more than 26 need names: (x0, x1, ...) -> ...", operands));
  std::vector<std::string> names;
  for (std::size_t k = 0; k < operands; ++k) names.emplace_back(1, static_cast<char>('a' + k));
  return names;
}

Expression Formula::operator()(std::span<const Expression> operands) const {
  const std::vector<std::string> names = names_for(operands.size());
  std::vector<Named> values;
  for (std::size_t k = 0; k < names.size(); ++k) values.emplace_back(names[k], operands[k]);
  return with(values);
}

Expression Formula::with(std::span<const Named> given) const {
  std::vector<Expression> values;
  for (std::uint32_t n = 0; n < tree_->names.size(); ++n) {
    const std::string& name = tree_->names[n];
    const auto found = std::find_if(given.begin(), given.end(), [&](const Named& v) { return v.first == name; });
    if (found != given.end()) {
      values.push_back(found->second);
    } else if (const std::optional<double> constant = formula_constant(name)) {
      values.emplace_back(Scalar(*constant), true);
    } else {
      const auto use = std::find_if(tree_->nodes.begin(), tree_->nodes.end(),
                                    [&](const FormulaNode& node) { return node.kind == Kind::name && node.name == n; });
      std::vector<std::string_view> names;
      for (const Named& v : given) names.push_back(v.first);
      tree_->fail(use->at, fmt::format("there is no '{}'; there {}", name,
                                       names.empty() ? std::string("are no names")
                                                     : fmt::format("{} {}", names.size() == 1 ? "is" : "are",
                                                                   fmt::join(names, ", "))));
    }
  }
  return build(*tree_, values);
}

std::shared_ptr<const FunctionText> Formula::function(std::string name, std::span<const Dtype> parameters,
                                                      Dtype result) const {
  std::vector<NodePtr> nodes;
  std::vector<Expression> operands;
  for (const Dtype type : parameters) {
    nodes.push_back(make_parameter(type));
    operands.emplace_back(nodes.back());
  }
  const NodePtr root = (*this)(operands).node();
  return write_function(std::move(name), make_cast(root, result == Dtype::unknown ? root->dtype : result), nodes);
}

}  // namespace rtcg
