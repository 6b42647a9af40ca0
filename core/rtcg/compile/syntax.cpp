#include "rtcg/compile/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "rtcg/error.h"

namespace rtcg::syntax {

namespace {

constexpr std::size_t column_limit = 100;

void need_new_name(const std::string& name, const char* what, std::set<std::string>& taken) {
  const bool is_identifier =
      !name.empty() && !std::isdigit(static_cast<unsigned char>(name.front())) &&
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (!is_identifier) throw UsageError(fmt::format("syntax: '{}' cannot name a {}", name, what));
  if (!taken.insert(name).second) throw UsageError(fmt::format("syntax: two {}s are named '{}'", what, name));
}

class Printer {
 public:
  std::string take() { return std::move(out_); }

  void print(const Block& block) {
    for (const Statement& statement : block.statements()) print(statement);
  }
  void print(const Statement& statement) {
    std::visit([this](const auto& node) { print(node); }, statement.node());
  }
  void print(const Function& function);

 private:
  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + '\n'; }
  void body(const Block& block) {
    ++depth_;
    print(block);
    --depth_;
  }

  void print(const Line& node) {
    if (node.text.starts_with('#'))
      out_ += node.text + '\n';
    else
      line(node.text);
  }
  void print(const Comment& node) {
    for (std::size_t at = 0; at <= node.text.size();) {
      const std::size_t end = std::min(node.text.find('\n', at), node.text.size());
      line("// " + node.text.substr(at, end - at));
      at = end + 1;
    }
  }
  void print(const Blank&) { out_ += '\n'; }
  void print(const Expression& node) { line(node.text + ";"); }
  void print(const Declaration& node) {
    line(node.value.empty() ? fmt::format("{} {};", node.type, node.name)
                            : fmt::format("{} {} = {};", node.type, node.name, node.value));
  }
  void print(const Assign& node) { line(fmt::format("{} = {};", node.target, node.value)); }
  void print(const Return& node) { line(node.value.empty() ? "return;" : fmt::format("return {};", node.value)); }
  void print(const Scope& node) {
    line("{");
    body(node.body);
    line("}");
  }
  void print(const While& node) {
    line(fmt::format("while ({}) {{", node.condition));
    body(node.body);
    line("}");
  }
  void print(const For& node) {
    line(fmt::format("for ({}; {}; {}) {{", node.start, node.condition, node.step));
    body(node.body);
    line("}");
  }
  void print(const If& node) {
    line(fmt::format("if ({}) {{", node.condition));
    const If* branch = &node;
    for (;;) {
      body(branch->then);
      const std::vector<Statement>& rest = branch->otherwise.statements();
      const If* chained = rest.size() == 1 ? std::get_if<If>(&rest.front().node()) : nullptr;
      if (rest.empty()) break;
      if (!chained) {
        line("} else {");
        body(branch->otherwise);
        break;
      }
      line(fmt::format("}} else if ({}) {{", chained->condition));
      branch = chained;
    }
    line("}");
  }

  std::string out_;
  std::size_t depth_ = 0;
};

void Printer::print(const Function& function) {
  std::set<std::string> names;
  std::string head = function.result + " " + function.name + "(";
  std::size_t column = head.size();
  const std::size_t indent = column;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    need_new_name(parameter.name, "parameter", names);
    const std::string text = parameter.type + " " + parameter.name + (i + 1 < function.parameters.size() ? "," : "");
    if (i > 0 && column + 1 + text.size() > column_limit) {
      head += '\n';
      head.append(indent, ' ');
      column = indent;
    } else if (i > 0) {
      head += ' ';
      ++column;
    }
    head += text;
    column += text.size();
  }
  out_ += head + ") {\n";
  body(function.body);
  out_ += "}\n";
}

}  // namespace

Block::Block(std::initializer_list<Statement> statements) : statements_(statements) {}

Block& Block::add(Statement statement) {
  statements_.push_back(std::move(statement));
  return *this;
}

Block& Block::add(const Block& block) {
  // By index: the block may be this one.
  for (std::size_t i = 0, count = block.statements_.size(); i < count; ++i) add(Statement(block.statements_[i]));
  return *this;
}

Block unrolled(int count, const std::function<Block(int)>& make) {
  Block result;
  for (int i = 0; i < count; ++i) result.add(make(i));
  return result;
}

Module& Module::add(Item item) {
  items_.push_back(std::move(item));
  return *this;
}

std::string Module::text() const {
  Printer printer;
  std::set<std::string> names;
  for (const Item& item : items_) {
    if (const auto* function = std::get_if<Function>(&item)) need_new_name(function->name, "function", names);
    std::visit([&](const auto& part) { printer.print(part); }, item);
  }
  return printer.take();
}

}  // namespace rtcg::syntax
