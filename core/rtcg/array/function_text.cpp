#include "rtcg/array/function_text.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "rtcg/compile/source.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

class FunctionWriter {
 public:
  explicit FunctionWriter(std::span<const NodePtr> parameters) {
    for (std::size_t k = 0; k < parameters.size(); ++k) names_[parameters[k].get()] = fmt::format("a{}", k);
  }

  const std::string& value(const NodePtr& node) {
    if (const auto known = names_.find(node.get()); known != names_.end()) return known->second;
    if (node->op == Op::scalar) return names_[node.get()] = literal_text(static_cast<const ScalarNode&>(*node).value);
    const std::string text = operation(*node);
    const std::string name = fmt::format("v{}", names_.size());
    statements += fmt::format("  const {} {} = {};\n", compute_name(node->dtype), name, text);
    return names_[node.get()] = name;
  }

  std::string statements, functions;

 private:
  std::string operation(const Node& node) {
    switch (node.op) {
      case Op::array:
      case Op::index:
      case Op::take:
      case Op::total:
        throw UsageError("a function of single values cannot read arrays; give them as operands");
      case Op::call: {
        const auto& call = static_cast<const CallNode&>(node);
        if (called_.insert(call.function->text).second) functions += call.function->text + "\n";
        std::string list;
        for (const NodePtr& argument : call.arguments) list += (list.empty() ? "" : ", ") + value(argument);
        return fmt::format("{}({})", call.function->name, list);
      }
      default:
        break;
    }
    std::vector<std::string> arguments;
    for (const NodePtr& operand : node.operands) {
      if (!operand) break;
      const bool is_weak_scalar = operand->is_weak && operand->op == Op::scalar && node.op != Op::cast;
      arguments.push_back(is_weak_scalar
                              ? literal_text(static_cast<const ScalarNode&>(*operand).value.as(node.operand_type))
                              : value(operand));
    }
    if (node.op == Op::cast) return cast_text(node.operands[0]->dtype, node.dtype, arguments[0]);
    return operation_text(node.op, node.operand_type, arguments);
  }

  std::map<const Node*, std::string> names_;
  std::set<std::string> called_;
};

}  // namespace

NodePtr make_parameter(Dtype type) {
  // Not a scalar's node: a cast of that would convert its value on the spot.
  return std::make_shared<Node>(Op::index, type, Shape{});
}

std::shared_ptr<const FunctionText> write_function(std::string name, const NodePtr& root,
                                                   std::span<const NodePtr> parameters) {
  FunctionWriter writer(parameters);
  const std::string result = writer.value(root);
  auto function = std::make_shared<FunctionText>();
  std::string list;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    list += fmt::format("{}{} a{}", k > 0 ? ", " : "", compute_name(parameters[k]->dtype), k);
    function->parameters.push_back(parameters[k]->dtype);
  }
  function->text =
      fmt::format("{}static inline {} {}({}) {{\n{}  return {};\n}}\n", writer.functions, compute_name(root->dtype),
                  name, parameters.empty() ? "void" : list, writer.statements, result);
  function->name = std::move(name);
  function->result = root->dtype;
  return function;
}

std::string literal_text(const Scalar& value) {
  const auto read = [&]<class T>(T result) {
    std::memcpy(&result, value.data(), sizeof(T));
    return result;
  };
  switch (value.dtype()) {
    case Dtype::boolean:
      return read(std::uint8_t{}) != 0 ? "(uchar)1" : "(uchar)0";
    case Dtype::f16:
      return Source::literal(static_cast<float>(value.to_double()));
    case Dtype::f32:
      return Source::literal(read(float{}));
    case Dtype::f64:
      // INFINITY and NAN are float constants of C.
      return std::isfinite(read(double{})) ? Source::literal(read(double{}))
                                           : fmt::format("(double){}", Source::literal(read(double{})));
    case Dtype::c64: {
      const auto z = read(std::complex<float>{});
      return fmt::format("cfloat_new({}, {})", Source::literal(z.real()), Source::literal(z.imag()));
    }
    case Dtype::c128: {
      const auto z = read(std::complex<double>{});
      return fmt::format("cdouble_new({}, {})", Source::literal(z.real()), Source::literal(z.imag()));
    }
    case Dtype::u64:
      return fmt::format("(ulong){}", Source::literal(read(std::uint64_t{})));
    case Dtype::i64:
      return fmt::format("(long){}", Source::literal(read(std::int64_t{})));
    default:
      return fmt::format("({}){}", compute_name(value.dtype()),
                         Source::literal(static_cast<long long>(value.to_double())));
  }
}

}  // namespace rtcg
