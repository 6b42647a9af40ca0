// What the values of the template language can do: operators, functions, and how they are written.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "rtcg/compile/template_expression.h"

namespace rtcg::detail {

namespace {

using List = TemplateValue::List;

constexpr std::int64_t longest_range = 1'000'000;
constexpr std::size_t most_list_values = 1'000'000;
constexpr int deepest_list = 100;

/// Values in a list and in the lists it holds, which lie `depth` deep.
std::size_t count_values(const List& list, int depth, const TemplateText& text, std::size_t at) {
  if (depth > deepest_list) text.fail(at, fmt::format("lists nested deeper than {}", deepest_list));
  std::size_t count = list.size();
  for (const TemplateValue& value : list)
    if (const auto* inner = std::get_if<List>(&value.data())) count += count_values(*inner, depth + 1, text, at);
  return count;
}

const char* kind_of(const TemplateValue& value) {
  static constexpr const char* names[] = {"a truth value", "an integer", "a real", "a string", "a list"};
  return names[value.data().index()];
}

template <class T>
const T* as(const TemplateValue& value) {
  return std::get_if<T>(&value.data());
}

bool is_number(const TemplateValue& value) {
  return as<std::int64_t>(value) || as<double>(value);
}

double real_of(const TemplateValue& value) {
  const auto* integer = as<std::int64_t>(value);
  return integer ? static_cast<double>(*integer) : *as<double>(value);
}

TemplateValue integer_operation(char operation, std::int64_t a, std::int64_t b, const TemplateText& text,
                                std::size_t at) {
  std::int64_t result = 0;
  bool overflows = false;
  switch (operation) {
    case '+':
      overflows = __builtin_add_overflow(a, b, &result);
      break;
    case '-':
      overflows = __builtin_sub_overflow(a, b, &result);
      break;
    case '*':
      overflows = __builtin_mul_overflow(a, b, &result);
      break;
    default:
      if (b == 0) text.fail(at, "division by zero");
      overflows = a == INT64_MIN && b == -1;
      if (!overflows) result = operation == '/' ? a / b : a % b;
  }
  if (overflows) text.fail(at, fmt::format("{} {} {} does not fit 64 bits", a, operation, b));
  return result;
}

TemplateValue real_operation(char operation, double a, double b) {
  switch (operation) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      return a / b;
  }
}

/// -1, 0 or 1; 2 for unordered (NaN).
int compare(const TemplateValue& a, const TemplateValue& b, const TemplateText& text, std::size_t at) {
  const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : x == y ? 0 : 2; };
  if (as<std::int64_t>(a) && as<std::int64_t>(b)) return order(*as<std::int64_t>(a), *as<std::int64_t>(b));
  if (is_number(a) && is_number(b)) return order(real_of(a), real_of(b));
  if (as<std::string>(a) && as<std::string>(b)) return order(*as<std::string>(a), *as<std::string>(b));
  if (as<bool>(a) && as<bool>(b)) return order(*as<bool>(a), *as<bool>(b));
  text.fail(at, fmt::format("{} cannot be compared with {}", kind_of(a), kind_of(b)));
}

void need(std::size_t least, std::size_t most, const List& arguments, const char* name, const TemplateText& text,
          std::size_t at) {
  if (arguments.size() >= least && arguments.size() <= most) return;
  const std::string wanted = least == most ? fmt::to_string(least) : fmt::format("{} to {}", least, most);
  text.fail(at, fmt::format("{}() takes {} argument{}, not {}", name, wanted, most == 1 ? "" : "s", arguments.size()));
}

template <class T>
const T& need_kind(const TemplateValue& value, const char* name, const char* wanted, const TemplateText& text,
                   std::size_t at) {
  if (const T* found = as<T>(value)) return *found;
  text.fail(at, fmt::format("{}() takes {}, not {}", name, wanted, kind_of(value)));
}

TemplateValue range(const List& arguments, const TemplateText& text, std::size_t at) {
  need(1, 3, arguments, "range", text, at);
  std::int64_t bounds[3] = {0, 0, 1};
  for (std::size_t i = 0; i < arguments.size(); ++i)
    bounds[arguments.size() == 1 ? 1 : i] = need_kind<std::int64_t>(arguments[i], "range", "integers", text, at);
  const auto [first, last, step] = bounds;
  if (step == 0) text.fail(at, "range() with a step of 0");
  List list;
  for (std::int64_t i = first; step > 0 ? i < last : i > last;) {
    if (static_cast<std::int64_t>(list.size()) == longest_range)
      text.fail(at, fmt::format("range() of more than {} values", longest_range));
    list.emplace_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return list;
}

TemplateValue length(const List& arguments, const TemplateText& text, std::size_t at) {
  need(1, 1, arguments, "length", text, at);
  if (const auto* string = as<std::string>(arguments[0])) return string->size();
  return need_kind<List>(arguments[0], "length", "a list or a string", text, at).size();
}

TemplateValue extreme(const List& arguments, int wanted, const char* name, const TemplateText& text, std::size_t at) {
  const bool from_list = arguments.size() == 1 && as<List>(arguments[0]);
  const List& values = from_list ? *as<List>(arguments[0]) : arguments;
  if (values.empty()) text.fail(at, fmt::format("{}() of nothing", name));
  const TemplateValue* best = &values[0];
  for (const TemplateValue& value : values)
    if (compare(value, *best, text, at) == wanted) best = &value;
  return *best;
}
TemplateValue least(const List& arguments, const TemplateText& text, std::size_t at) {
  return extreme(arguments, -1, "min", text, at);
}
TemplateValue greatest(const List& arguments, const TemplateText& text, std::size_t at) {
  return extreme(arguments, 1, "max", text, at);
}

TemplateValue to_integer(const List& arguments, const TemplateText& text, std::size_t at) {
  need(1, 1, arguments, "int", text, at);
  const TemplateValue& value = arguments[0];
  if (as<std::int64_t>(value)) return value;
  if (const auto* truth = as<bool>(value)) return *truth ? 1 : 0;
  if (const auto* real = as<double>(value)) {
    if (!(std::abs(*real) < 0x1p63)) text.fail(at, fmt::format("int({}) does not fit 64 bits", *real));
    return static_cast<std::int64_t>(*real);
  }
  const std::string& string = need_kind<std::string>(value, "int", "a number or a string", text, at);
  std::int64_t result = 0;
  const auto [end, error] = std::from_chars(string.data(), string.data() + string.size(), result);
  if (error != std::errc{} || end != string.data() + string.size())
    text.fail(at, fmt::format("int(\"{}\") is not an integer", string));
  return result;
}

TemplateValue to_real(const List& arguments, const TemplateText& text, std::size_t at) {
  need(1, 1, arguments, "real", text, at);
  const TemplateValue& value = arguments[0];
  if (is_number(value)) return real_of(value);
  const std::string& string = need_kind<std::string>(value, "real", "a number or a string", text, at);
  double result = 0;
  const auto [end, error] = std::from_chars(string.data(), string.data() + string.size(), result);
  if (error != std::errc{} || end != string.data() + string.size())
    text.fail(at, fmt::format("real(\"{}\") is not a number", string));
  return result;
}

TemplateValue join(const List& arguments, const TemplateText& text, std::size_t at) {
  need(2, 2, arguments, "join", text, at);
  const std::string& separator = need_kind<std::string>(arguments[1], "join", "a list and a string", text, at);
  std::string result;
  bool first = true;
  for (const TemplateValue& value : need_kind<List>(arguments[0], "join", "a list and a string", text, at)) {
    if (!first) result += separator;
    result += template_text_of(value, text, at);
    check_template_text(result.size(), text, at);
    first = false;
  }
  return result;
}

template <int (*Change)(int)>
TemplateValue change_case(const List& arguments, const char* name, const TemplateText& text, std::size_t at) {
  need(1, 1, arguments, name, text, at);
  std::string result = need_kind<std::string>(arguments[0], name, "a string", text, at);
  for (char& c : result) c = static_cast<char>(Change(static_cast<unsigned char>(c)));
  return result;
}
TemplateValue upper(const List& arguments, const TemplateText& text, std::size_t at) {
  return change_case<std::toupper>(arguments, "upper", text, at);
}
TemplateValue lower(const List& arguments, const TemplateText& text, std::size_t at) {
  return change_case<std::tolower>(arguments, "lower", text, at);
}

}  // namespace

TemplateFunction template_function(std::string_view name) {
  static constexpr std::pair<std::string_view, TemplateFunction> functions[] = {
      {"range", range},  {"length", length}, {"min", least},   {"max", greatest}, {"int", to_integer},
      {"real", to_real}, {"join", join},     {"upper", upper}, {"lower", lower}};
  for (const auto& [known, function] : functions)
    if (known == name) return function;
  return nullptr;
}

TemplateValue template_operate(std::string_view operation, const TemplateValue& a, const TemplateValue& b,
                               const TemplateText& text, std::size_t at) {
  if (operation == "~") {
    std::string joined = template_text_of(a, text, at) + template_text_of(b, text, at);
    check_template_text(joined.size(), text, at);
    return joined;
  }
  if (operation == "==") return compare(a, b, text, at) == 0;
  if (operation == "!=") return compare(a, b, text, at) != 0;
  if (operation == "<") return compare(a, b, text, at) == -1;
  if (operation == ">") return compare(a, b, text, at) == 1;
  if (operation == "<=") return compare(a, b, text, at) <= 0;
  if (operation == ">=") return (compare(a, b, text, at) | 1) == 1;
  const char symbol = operation.front();
  if (as<std::int64_t>(a) && as<std::int64_t>(b))
    return integer_operation(symbol, *as<std::int64_t>(a), *as<std::int64_t>(b), text, at);
  if (is_number(a) && is_number(b) && symbol != '%') return real_operation(symbol, real_of(a), real_of(b));
  const char* hint = as<std::string>(a) || as<std::string>(b) ? "; ~ joins as text" : "";
  text.fail(at, fmt::format("'{}' between {} and {}{}", operation, kind_of(a), kind_of(b), hint));
}

void check_template_text(std::size_t bytes, const TemplateText& text, std::size_t at) {
  if (bytes > largest_template_text)
    text.fail(at, fmt::format("the text made here passes {} MiB", largest_template_text >> 20));
}

void check_template_list(const List& list, const TemplateText& text, std::size_t at) {
  if (count_values(list, 1, text, at) > most_list_values)
    text.fail(at, fmt::format("a list of more than {} values", most_list_values));
}

std::string template_text_of(const TemplateValue& value, const TemplateText& text, std::size_t at) {
  if (const auto* truth = as<bool>(value)) return *truth ? "true" : "false";
  if (const auto* integer = as<std::int64_t>(value)) return fmt::to_string(*integer);
  if (const auto* string = as<std::string>(value)) return *string;
  if (const auto* real = as<double>(value)) {
    // As kernel texts spell them; a real stays a real there, so that 1.0 / 3 does not become an integer division.
    if (std::isnan(*real)) return "NAN";
    if (std::isinf(*real)) return *real < 0 ? "-INFINITY" : "INFINITY";
    std::string digits = fmt::to_string(*real);
    return digits.find_first_of(".e") == digits.npos ? digits + ".0" : digits;
  }
  text.fail(at, "a list has no text of its own; use join(list, separator)");
}

bool template_truth_of(const TemplateValue& value, const TemplateText& text, std::size_t at) {
  if (const auto* truth = as<bool>(value)) return *truth;
  if (const auto* integer = as<std::int64_t>(value)) return *integer != 0;
  text.fail(at, fmt::format("a condition must be a truth value or an integer, not {}", kind_of(value)));
}

}  // namespace rtcg::detail
