#include "rtcg/compile/template_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "rtcg/error.h"

namespace rtcg::detail {

namespace {

using Kind = TemplateToken::Kind;

constexpr int deepest_nesting = 200;
/// In one tag: a chain of operators is evaluated as deep as it is long.
constexpr int most_operators = 2000;

/// From the loosest to the tightest. Not a container: templates may be rendered before main.
constexpr std::string_view levels[][6] = {{"or"}, {"and"},    {"==", "!=", "<=", ">=", "<", ">"},
                                          {"~"},  {"+", "-"}, {"*", "/", "%"}};
constexpr std::string_view keywords[] = {"and", "or", "not", "if", "else", "in", "true", "false"};

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

void TemplateText::fail(std::size_t at, const std::string& message) const {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  throw InputError(fmt::format("{}:{}:{}: {}", name, line, at - line_start + 1, message));
}

TemplateReader::TemplateReader(const TemplateText& text, std::size_t at) : text_(&text), at_(at), taken_to_(at) {
  advance();
}

void TemplateReader::advance() {
  const std::string_view text = text_->text;
  taken_to_ = at_;
  while (at_ < text.size() && std::isspace(static_cast<unsigned char>(text[at_]))) ++at_;
  next_ = {Kind::end, "", at_};
  if (at_ == text.size()) return;

  const auto take_while = [&](auto belongs) {
    const std::size_t start = at_;
    while (at_ < text.size() && belongs(text[at_])) ++at_;
    return text.substr(start, at_ - start);
  };
  const std::size_t start = at_;
  if (starts_name(text[at_])) {
    next_.kind = Kind::name;
    next_.text = std::string(take_while([](char c) { return starts_name(c) || is_digit(c); }));
  } else if (is_digit(text[at_])) {
    next_.kind = Kind::integer;
    take_while(is_digit);
    if (at_ + 1 < text.size() && text[at_] == '.' && is_digit(text[at_ + 1])) {
      next_.kind = Kind::real;
      ++at_;
      take_while(is_digit);
    }
    if (at_ < text.size() && (text[at_] == 'e' || text[at_] == 'E')) {
      next_.kind = Kind::real;
      ++at_;
      if (at_ < text.size() && (text[at_] == '+' || text[at_] == '-')) ++at_;
      if (take_while(is_digit).empty()) text_->fail(start, "a number without digits in its exponent");
    }
    if (at_ < text.size() && starts_name(text[at_]))
      text_->fail(at_, fmt::format("'{}' directly after a number", text[at_]));
    next_.text = std::string(text.substr(start, at_ - start));
  } else if (text[at_] == '"') {
    next_.kind = Kind::string;
    for (++at_;; ++at_) {
      if (at_ >= text.size() || text[at_] == '\n') text_->fail(start, "a string without its closing quote");
      if (text[at_] == '"') break;
      if (text[at_] != '\\') {
        next_.text += text[at_];
        continue;
      }
      const char escaped = ++at_ < text.size() ? text[at_] : '\0';
      if (escaped == 'n')
        next_.text += '\n';
      else if (escaped == 't')
        next_.text += '\t';
      else if (escaped == '"' || escaped == '\\')
        next_.text += escaped;
      else
        text_->fail(at_ - 1, "an escape other than \\n, \\t, \\\" and \\\\");
    }
    ++at_;
  } else {
    next_.kind = Kind::symbol;
    const std::string_view two = text.substr(at_, 2);
    const bool is_two = two == "}}" || two == "%}" || two == "==" || two == "!=" || two == "<=" || two == ">=";
    next_.text = std::string(text.substr(at_, is_two ? 2 : 1));
    at_ += next_.text.size();
  }
}

bool TemplateReader::next_is(std::string_view symbol_or_word) const {
  return (next_.kind == Kind::symbol || next_.kind == Kind::name) && next_.text == symbol_or_word;
}

bool TemplateReader::take(std::string_view symbol_or_word) {
  if (!next_is(symbol_or_word)) return false;
  // After a closing tag comes plain text, which is not for this reader.
  if (symbol_or_word == "}}" || symbol_or_word == "%}")
    taken_to_ = at_;
  else
    advance();
  return true;
}

void TemplateReader::expect(std::string_view symbol_or_word) {
  if (take(symbol_or_word)) return;
  const std::string found = next_.kind == Kind::end ? "the end of the text" : "'" + next_.text + "'";
  text_->fail(next_.at, fmt::format("expected '{}', found {}", symbol_or_word, found));
}

std::string TemplateReader::take_name() {
  if (next_.kind != Kind::name || std::find(std::begin(keywords), std::end(keywords), next_.text) != std::end(keywords))
    text_->fail(next_.at, "expected a name");
  std::string name = next_.text;
  advance();
  return name;
}

void TemplateReader::count_operator() {
  if (++operators_ > most_operators)
    text_->fail(next_.at, fmt::format("more than {} operators in one tag", most_operators));
}

TemplateExpression TemplateReader::take_expression() {
  if (++depth_ > deepest_nesting) text_->fail(next_.at, "an expression nested too deeply");
  TemplateExpression result = conditional();
  --depth_;
  return result;
}

TemplateExpression TemplateReader::conditional() {
  TemplateExpression value = binary(0);
  const std::size_t at = next_.at;
  if (!take("if")) return value;
  TemplateExpression condition = binary(0);
  expect("else");
  TemplateExpression other = take_expression();
  return [text = text_, at, value, condition, other](const TemplateValues& values) {
    return template_truth_of(condition(values), *text, at) ? value(values) : other(values);
  };
}

TemplateExpression TemplateReader::binary(std::size_t level) {
  if (level == std::size(levels)) return unary();
  TemplateExpression left = binary(level + 1);
  for (;;) {
    const auto operation = std::find_if(std::begin(levels[level]), std::end(levels[level]),
                                        [&](std::string_view word) { return !word.empty() && next_is(word); });
    if (operation == std::end(levels[level])) return left;
    const std::string_view word = *operation;
    const std::size_t at = next_.at;
    count_operator();
    advance();
    TemplateExpression right = binary(level + 1);
    if (word == "and" || word == "or") {
      left = [text = text_, at, decides = word == "or", left = std::move(left),
              right = std::move(right)](const TemplateValues& values) -> TemplateValue {
        const bool first = template_truth_of(left(values), *text, at);
        return first == decides ? first : template_truth_of(right(values), *text, at);
      };
    } else {
      left = [text = text_, at, word, left = std::move(left), right = std::move(right)](const TemplateValues& values) {
        return template_operate(word, left(values), right(values), *text, at);
      };
    }
  }
}

TemplateExpression TemplateReader::unary() {
  const std::size_t at = next_.at;
  const bool negates = next_is("not");
  if (!negates && !next_is("-")) return postfix();
  advance();
  if (++depth_ > deepest_nesting) text_->fail(at, "an expression nested too deeply");
  TemplateExpression operand = negates ? binary(2) : unary();
  --depth_;
  if (negates)
    return [text = text_, at, operand](const TemplateValues& values) -> TemplateValue {
      return !template_truth_of(operand(values), *text, at);
    };
  return [text = text_, at, operand](const TemplateValues& values) {
    return template_operate("-", 0, operand(values), *text, at);
  };
}

TemplateExpression TemplateReader::postfix() {
  TemplateExpression value = primary();
  for (std::size_t at = next_.at; take("["); at = next_.at) {
    count_operator();
    TemplateExpression index = take_expression();
    expect("]");
    value = [text = text_, at, value = std::move(value),
             index = std::move(index)](const TemplateValues& values) -> TemplateValue {
      const TemplateValue container = value(values), position = index(values);
      const auto* list = std::get_if<TemplateValue::List>(&container.data());
      const auto* number = std::get_if<std::int64_t>(&position.data());
      if (!list) text->fail(at, "only a list can be indexed");
      if (!number) text->fail(at, "an index must be an integer");
      if (*number < 0 || static_cast<std::size_t>(*number) >= list->size())
        text->fail(at, fmt::format("index {} of a list of {}", *number, list->size()));
      return (*list)[static_cast<std::size_t>(*number)];
    };
  }
  return value;
}

std::vector<TemplateExpression> TemplateReader::list_until(std::string_view closing) {
  std::vector<TemplateExpression> items;
  if (take(closing)) return items;
  do items.push_back(take_expression());
  while (take(","));
  expect(closing);
  return items;
}

TemplateExpression TemplateReader::primary() {
  const TemplateToken token = next_;
  const auto constant = [](TemplateValue value) -> TemplateExpression {
    return [value](const TemplateValues&) { return value; };
  };
  const auto evaluate_all = [](const std::vector<TemplateExpression>& items, const TemplateValues& values) {
    TemplateValue::List list;
    for (const TemplateExpression& item : items) list.push_back(item(values));
    return list;
  };
  if (take("(")) {
    TemplateExpression inner = take_expression();
    expect(")");
    return inner;
  }
  if (take("[")) {
    return [text = text_, at = token.at, items = list_until("]"),
            evaluate_all](const TemplateValues& values) -> TemplateValue {
      TemplateValue::List list = evaluate_all(items, values);
      check_template_list(list, *text, at);
      return list;
    };
  }
  if (take("true")) return constant(true);
  if (take("false")) return constant(false);
  if (token.kind == Kind::name) {
    const std::string name = take_name();
    if (take("(")) {
      const TemplateFunction function = template_function(name);
      if (!function) text_->fail(token.at, fmt::format("there is no function '{}'", name));
      return [text = text_, at = token.at, function, items = list_until(")"),
              evaluate_all](const TemplateValues& values) { return function(evaluate_all(items, values), *text, at); };
    }
    return [text = text_, at = token.at, name](const TemplateValues& values) {
      const auto found = values.find(name);
      if (found == values.end()) text->fail(at, fmt::format("'{}' has no value", name));
      return found->second;
    };
  }
  if (token.kind == Kind::string) {
    advance();
    return constant(token.text);
  }
  const char* const begin = token.text.data();
  const char* const end = begin + token.text.size();
  if (token.kind == Kind::integer) {
    std::int64_t value = 0;
    if (std::from_chars(begin, end, value).ec != std::errc{})
      text_->fail(token.at, token.text + " does not fit 64 bits");
    advance();
    return constant(value);
  }
  if (token.kind == Kind::real) {
    double value = 0;
    if (std::from_chars(begin, end, value).ec != std::errc{})
      text_->fail(token.at, token.text + " does not fit a double");
    advance();
    return constant(value);
  }
  text_->fail(token.at, token.kind == Kind::end ? "the text ends inside an expression"
                                                : fmt::format("expected a value, found '{}'", token.text));
}

}  // namespace rtcg::detail
