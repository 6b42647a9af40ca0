// Two of the three ways to write a kernel's text at run time (the third is compile/syntax.h).
//
//   substitute("y[i] = ${a} * x[i];", {{"a", "2"}})             keyword replacement
//   render("{% for k in range(4) %}y[{{ k }}] = x[{{ k }}];\n{% endfor %}", {...})   a template language
//
// The template language: {{ expression }}, {% set n = expression %}, {% for x in expression %} ... {% endfor %},
// {% if %} / {% elif %} / {% else %} / {% endif %}, {# comment #}. A line that holds only a {% %} tag leaves no blank
// line behind. Expressions: integers, reals, "strings", true/false, names, lists [a, b], a[i], + - * / (integer
// division on integers) % ~ (join as text), comparisons, and/or/not, conditional `a if c else b`, functions range(n |
// a, b | a, b, step), length, min, max, int, real, join(list, separator), upper, lower. An unknown name, a wrong type
// and an unclosed tag are InputErrors that name the template, its line and column; so are texts over 64 MiB, lists of
// more than a million values or 100 deep, and more than 2000 operators in one tag.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rtcg {

/// A value of the template language.
class TemplateValue {
 public:
  using List = std::vector<TemplateValue>;
  TemplateValue(bool value) : data_(value) {}
  TemplateValue(std::integral auto value) : data_(static_cast<std::int64_t>(value)) {}
  TemplateValue(std::floating_point auto value) : data_(static_cast<double>(value)) {}
  TemplateValue(std::string value) : data_(std::move(value)) {}
  TemplateValue(const char* value) : data_(std::string(value)) {}
  TemplateValue(List value) : data_(std::move(value)) {}
  const std::variant<bool, std::int64_t, double, std::string, List>& data() const { return data_; }

 private:
  std::variant<bool, std::int64_t, double, std::string, List> data_;
};

using TemplateValues = std::map<std::string, TemplateValue, std::less<>>;

/// Replaces ${name}; `$$` is a dollar sign. InputError for a name without a value.
std::string substitute(std::string_view text, const std::map<std::string, std::string, std::less<>>& values);

/// `name` appears in error messages.
std::string render(std::string_view text, const TemplateValues& values, std::string_view name = "template");

}  // namespace rtcg
