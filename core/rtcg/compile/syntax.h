// The third way to write a kernel's text: a tree of statements as plain values, printed well indented.
//
//   Block body;
//   body.add(Declaration{"int", "i", "get_global_id(0)"});
//   body.add(If{"i < n", {Assign{"z[i]", "x[i] + y[i]"}}});
//   Function add{"add", {{"__global float*", "z"}, {"__global const float*", "x"}, ...}, body};
//   Source source{"add.cl", Module{Comment{"z = x + y"}, add}.text()};
//
// Expressions stay text: what the tree buys is structure (loops written out or not, statements that other functions
// contribute, kernels that differ in one part), never the burden of spelling x[i] + y[i] as nested calls.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

namespace rtcg::syntax {

class Statement;

/// Statements in order.
class Block {
 public:
  Block() = default;
  Block(std::initializer_list<Statement> statements);
  Block& add(Statement statement);
  Block& add(const Block& block);  ///< its statements, without braces of their own
  const std::vector<Statement>& statements() const { return statements_; }

 private:
  std::vector<Statement> statements_;
};

/// The block that `make` gives for 0 .. count - 1, one after the other: a loop written out.
Block unrolled(int count, const std::function<Block(int)>& make);

/// As it is; a preprocessor line ("#...") goes to the margin.
struct Line {
  std::string text;
};
/// May have several lines.
struct Comment {
  std::string text;
};
/// An empty line.
struct Blank {};
/// An expression as a statement: "barrier(CLK_LOCAL_MEM_FENCE)"; the semicolon is added.
struct Expression {
  std::string text;
};
struct Declaration {
  std::string type, name, value = {};
};
struct Assign {
  std::string target, value;
};
struct Return {
  std::string value = {};
};
/// Braces of its own.
struct Scope {
  Block body;
};
struct If {
  std::string condition;
  Block then, otherwise = {};
};
struct For {
  std::string start, condition, step;
  Block body;
};
struct While {
  std::string condition;
  Block body;
};

class Statement {
 public:
  using Node = std::variant<Line, Comment, Blank, Expression, Declaration, Assign, Return, Scope, If, For, While>;
  template <class Kind>
  requires std::is_constructible_v<Node, Kind> Statement(Kind node) : node_(std::move(node)) {}
  const Node& node() const { return node_; }

 private:
  Node node_;
};

struct Parameter {
  std::string type, name;
};

struct Function {
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
  std::string result = "__kernel void";  ///< everything before the name
};

/// A whole text.
class Module {
 public:
  using Item = std::variant<Statement, Function>;
  Module() = default;
  Module(std::initializer_list<Item> items) : items_(items) {}
  Module& add(Item item);
  /// UsageError when the name of a function or a parameter is no identifier or is given twice.
  std::string text() const;

 private:
  std::vector<Item> items_;
};

}  // namespace rtcg::syntax
