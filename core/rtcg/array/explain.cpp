// What an evaluation will do, without doing it.
#include <fmt/format.h>

#include <unordered_map>

#include "rtcg/array/expression.h"

namespace rtcg {

namespace {

class Explainer {
 public:
  std::string explain(std::span<const Expression> expressions) {
    for (const Expression& e : expressions) phases_below(e.node());
    for (std::size_t k = 0; k < expressions.size(); ++k) {
      const NodePtr& node = expressions[k].node();
      if (node->op == Op::total) continue;
      bool shares = false;
      for (std::size_t j = 0; j < k; ++j)
        shares = shares || (expressions[j].node()->op != Op::total && expressions[j].shape() == expressions[k].shape());
      line(shares ? "the same kernel" : "kernel",
           fmt::format("{} {} = {}", dtype_name(node->dtype), to_string(node->shape), formula(*node, 0)));
    }
    return text_;
  }

 private:
  void line(const std::string& what, const std::string& does) {
    text_ += fmt::format("{:>2}  {}: {}\n", ++lines_, what, does);
  }

  void phases_below(const NodePtr& node) {
    if (!node->has_phases || !seen_.emplace(node.get(), 0).second) return;
    for_each_operand(*node, [&](const NodePtr& operand) { phases_below(operand); });
    if (node->op == Op::take) {
      const Node& source = *node->operands[0];
      if (source.op != Op::total && source.op != Op::array) name(source, "kernel", formula(source, 0));
    }
    if (node->op != Op::total) return;
    const Phase& phase = *static_cast<const TotalNode&>(*node).phase;
    if (phases_.contains(&phase)) return;
    std::string operands;
    for (std::size_t k = 0; k < phase.operands.size(); ++k) {
      const Node& operand = *phase.operands[k];
      if (phase.demands_array[k] && operand.op != Op::array && operand.op != Op::total && !names_.contains(&operand))
        name(operand, "kernel", formula(operand, 0));
      operands += fmt::format("{}{}", k > 0 ? ", " : "", formula(operand, 0));
    }
    line("phase", fmt::format("t{} = {}({}), {} {}", phases_.size(), phase.name, operands, dtype_name(node->dtype),
                              to_string(node->shape)));
    phases_.emplace(&phase, phases_.size());
  }

  void name(const Node& node, const char* what, const std::string& value) {
    if (names_.contains(&node)) return;
    const std::string given = fmt::format("m{}", names_.size());
    line(what, fmt::format("{} = {}, {} {}", given, value, dtype_name(node.dtype), to_string(node.shape)));
    names_.emplace(&node, given);
  }

  std::string formula(const Node& node, int depth) {
    if (const auto found = names_.find(&node); found != names_.end()) return found->second;
    if (depth > 12) return "...";
    const auto operand = [&](int k) { return formula(*node.operands[static_cast<std::size_t>(k)], depth + 1); };
    switch (node.op) {
      case Op::array: {
        const auto& array = static_cast<const ArrayNode&>(node);
        const auto key = std::make_pair(array.buffer.native(), array.offset);
        return fmt::format("x{}", arrays_.emplace(key, arrays_.size()).first->second);
      }
      case Op::scalar: {
        const std::complex<double> z = static_cast<const ScalarNode&>(node).value.to_complex();
        return z.imag() == 0 ? fmt::format("{}", z.real()) : fmt::format("({} + {}i)", z.real(), z.imag());
      }
      case Op::index:
        return "index";
      case Op::cast:
        return fmt::format("{}({})", dtype_name(node.dtype), operand(0));
      case Op::take:
        return fmt::format("{}[{}]", operand(0), operand(1));
      case Op::call: {
        const auto& call = static_cast<const CallNode&>(node);
        std::string list;
        for (const NodePtr& a : call.arguments) list += (list.empty() ? "" : ", ") + formula(*a, depth + 1);
        return fmt::format("{}({})", call.function->name, list);
      }
      case Op::total: {
        const auto& total = static_cast<const TotalNode&>(node);
        const auto found = phases_.find(total.phase.get());
        const std::string phase = found == phases_.end() ? total.phase->name : fmt::format("t{}", found->second);
        return total.part == 0 ? phase : fmt::format("{}.{}", phase, total.part);
      }
      default: {
        const OperationInfo& operation = info(node.op);
        if (std::isalpha(static_cast<unsigned char>(operation.name[0])) != 0) {
          std::string list;
          for (int k = 0; k < operation.operands; ++k) list += (k > 0 ? ", " : "") + operand(k);
          return fmt::format("{}({})", operation.name, list);
        }
        return operation.operands == 1 ? fmt::format("{}{}", operation.name, operand(0))
                                       : fmt::format("({} {} {})", operand(0), operation.name, operand(1));
      }
    }
  }

  std::string text_;
  int lines_ = 0;
  std::unordered_map<const Node*, int> seen_;
  std::unordered_map<const Phase*, std::size_t> phases_;
  std::unordered_map<const Node*, std::string> names_;
  std::map<std::pair<Handle, std::int64_t>, std::size_t> arrays_;
};

}  // namespace

std::string explain(std::span<const Expression> expressions) {
  return Explainer().explain(expressions);
}

std::string Expression::explain() const {
  return rtcg::explain({this, 1});
}

}  // namespace rtcg
