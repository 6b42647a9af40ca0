#include "rtcg/array/function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rtcg/array/formula_tree.h"
#include "rtcg/compile/tokens.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

constexpr std::size_t longest_text = std::size_t{1} << 20;

using Tokens = std::span<const std::string>;

std::vector<std::string> tokens_without_directives(std::string_view text) {
  const std::string code = blank_comments(text);
  std::string kept;
  bool continues = false;
  for (std::size_t start = 0; start < code.size();) {
    const std::size_t end = std::min(code.find('\n', start), code.size());
    const std::string_view line = std::string_view(code).substr(start, end - start);
    const std::size_t first = line.find_first_not_of(" \t\r");
    const bool is_directive = continues || (first != std::string_view::npos && line[first] == '#');
    continues = is_directive && line.ends_with('\\');
    if (!is_directive) kept += std::string(line) + '\n';
    start = end + 1;
  }
  return tokenise(kept);
}

/// One past the bracket that closes the one at `open`.
std::size_t past_closing(Tokens tokens, std::size_t open) {
  const std::string &opening = tokens[open], closing = opening == "(" ? ")" : "}";
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += tokens[i] == opening ? 1 : tokens[i] == closing ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  throw InputError(fmt::format("function: a '{}' is never closed", opening));
}

struct Found {
  std::string name;
  std::vector<std::string> result, parameters;
};

/// The last definition outside of any braces.
Found last_definition(Tokens tokens) {
  Found found;
  std::size_t start = 0;  // of the declaration being read
  for (std::size_t i = 0; i < tokens.size();) {
    if (tokens[i] == "{") {
      i = past_closing(tokens, i), start = i;
    } else if (tokens[i] == ";" || tokens[i] == "}") {
      start = ++i;
    } else if (tokens[i] == "(") {
      const std::size_t after = past_closing(tokens, i);
      if (after < tokens.size() && tokens[after] == "{" && i > start && is_word(tokens[i - 1])) {
        const Tokens result = tokens.subspan(start, i - 1 - start), list = tokens.subspan(i + 1, after - i - 2);
        found = {tokens[i - 1], {result.begin(), result.end()}, {list.begin(), list.end()}};
      }
      i = after;
    } else {
      ++i;
    }
  }
  if (found.name.empty())
    throw InputError("function: no function is defined in the text; expected float name(float x, int n) { ... }");
  return found;
}

/// Of "const unsigned int", with the qualifiers that mean nothing here left out.
Dtype type_of(const std::string& function, const std::string& what, Tokens tokens) {
  static constexpr std::string_view ignored[] = {"static", "inline", "const", "extern"};
  std::string words;
  for (const std::string& token : tokens) {
    if (token == "*" || token == "[")
      throw InputError(
          fmt::format("function {}: {} is a pointer; functions take and give single elements", function, what));
    if (std::find(std::begin(ignored), std::end(ignored), token) == std::end(ignored))
      words += (words.empty() ? "" : " ") + token;
  }
  const Dtype type = dtype_of_c(words);
  if (type == Dtype::unknown)
    throw InputError(
        fmt::format("function {}: {} has the type '{}'; known are bool, char ... ulong, float, double, "
                    "cfloat_t and cdouble_t",
                    function, what, words));
  return type;
}

}  // namespace

Function::Function(std::string text) {
  if (text.size() > longest_text)
    throw InputError(fmt::format("function: {} bytes of text, at most {} are read", text.size(), longest_text));
  const std::vector<std::string> tokens = tokens_without_directives(text);
  const Found found = last_definition(tokens);
  auto function = std::make_shared<FunctionText>();
  function->name = found.name;
  if (operation_named(found.name) != Op::call)
    throw InputError(fmt::format("function {0}: there is a built-in {0}; choose another name", found.name));
  function->result = type_of(found.name, "the result", found.result);
  const Tokens list(found.parameters);
  if (!(list.empty() || (list.size() == 1 && list[0] == "void"))) {
    for (std::size_t start = 0; start <= list.size();) {
      const auto comma = static_cast<std::size_t>(
          std::find(list.begin() + static_cast<std::ptrdiff_t>(start), list.end(), ",") - list.begin());
      const Tokens one = list.subspan(start, comma - start);
      if (one.size() < 2 || !is_word(one.back()))
        throw InputError(fmt::format("function {}: parameter {} needs a type and a name, found '{}'", found.name,
                                     function->parameters.size() + 1, fmt::join(one, " ")));
      function->parameters.push_back(
          type_of(found.name, fmt::format("parameter '{}'", one.back()), one.first(one.size() - 1)));
      start = comma + 1;
    }
  }
  function->text = std::move(text);
  text_ = std::move(function);
}

Expression Function::apply(std::span<const Expression> arguments) const {
  const FunctionText& function = *text_;
  if (arguments.size() != function.parameters.size()) {
    std::vector<std::string> types;
    for (const Dtype type : function.parameters) types.emplace_back(name_of(type));
    throw UsageError(fmt::format("function {} takes {} arguments ({}), {} given", function.name, types.size(),
                                 fmt::join(types, ", "), arguments.size()));
  }
  std::vector<NodePtr> converted;
  Shape shape;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Dtype given = arguments[k].dtype(), expected = function.parameters[k];
    const bool loses_kind = kind_of(given) >= DtypeKind::real && kind_of(given) > kind_of(expected);
    if (loses_kind)
      throw UsageError(fmt::format("function {}: argument {} is {}, the parameter {}; cast it if that is meant",
                                   function.name, k + 1, dtype_name(given), dtype_name(expected)));
    converted.push_back(make_cast(arguments[k].node(), expected));
    shape = broadcast(shape, arguments[k].shape());
  }
  return Expression(std::make_shared<CallNode>(text_, std::move(converted), shape));
}

}  // namespace rtcg
