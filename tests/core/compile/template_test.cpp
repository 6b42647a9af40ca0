#include "rtcg/compile/template.h"

#include "rtcg/error.h"

namespace rtcg {
namespace {

std::string message_of(std::string_view text, const TemplateValues& values = {}) {
  try {
    return "rendered: " + render(text, values, "t.cl");
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Substitute, ReplacesNamesAndKeepsDollars) {
  EXPECT_EQ(substitute("y[i] = ${a} * x[i]; // $$${a}", {{"a", "2.0f"}}), "y[i] = 2.0f * x[i]; // $2.0f");
  EXPECT_EQ(substitute("", {}), "");
}

TEST(Substitute, DoesNotReplaceInsideWhatItInserted) {
  EXPECT_EQ(substitute("${a}", {{"a", "${a}$$"}}), "${a}$$");
}

TEST(Substitute, RefusesUnknownNamesAndStrayDollars) {
  EXPECT_THROW(substitute("${b}", {{"a", "1"}}), InputError);
  EXPECT_THROW(substitute("${a", {{"a", "1"}}), InputError);
  EXPECT_THROW(substitute("$a", {{"a", "1"}}), InputError);
  EXPECT_THROW(substitute("cost: 5$", {}), InputError);
  try {
    substitute("first\n  ${nothing}", {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "substitute:2:3: 'nothing' has no value");
  }
}

TEST(Template, WritesValuesAsKernelTextsSpellThem) {
  EXPECT_EQ(
      render("{{ a }} {{ b }} {{ c }} {{ d }} {{ e }}", {{"a", 1}, {"b", 2.0}, {"c", 0.1}, {"d", "x"}, {"e", true}}),
      "1 2.0 0.1 x true");
  EXPECT_EQ(render("{{ a }}", {{"a", 1e30}}), "1e+30");
}

TEST(Template, EvaluatesWithTheUsualPrecedence) {
  const std::pair<const char*, const char*> cases[] = {
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"7 / 2", "3"},
      {"-7 / 2", "-3"},
      {"7 % 4", "3"},
      {"7 / 2.0", "3.5"},
      {"10 - 3 - 2", "5"},
      {"-2 - -3", "1"},
      {"1 + 1 ~ 2", "22"},
      {"\"x\" ~ 3 + 4", "x7"},
      {"1 < 2 and 2 < 1 or true", "true"},
      {"not 1 == 2", "true"},
      {"not true or true", "true"},
      {"2 <= 2 and 2 >= 2 and not 2 != 2", "true"},
      {"1 == 1.0", "true"},
      {"\"a\" < \"b\"", "true"},
      {"1 if true else 2 if true else 3", "1"},
      {"1 if false else 2 if false else 3", "3"},
      {"[10, 20, 30][1]", "20"},
      {"[[1, 2], [3]][0][1]", "2"},
      {"length(range(3, 11, 2)) ~ length(\"abc\")", "43"},
      {"join(range(4), \", \")", "0, 1, 2, 3"},
      {"join(range(3, 0, -1), \"\")", "321"},
      {"min(3, 1, 2) ~ max([3, 1, 2])", "13"},
      {"int(2.9) + int(\"40\")", "42"},
      {"real(1)", "1.0"},
      {"upper(\"ab\") ~ lower(\"CD\")", "ABcd"},
      {"\"}} %} \\\"\\n\\\\\"", "}} %} \"\n\\"},
  };
  for (const auto& [expression, expected] : cases)
    EXPECT_EQ(message_of(std::string("{{ ") + expression + " }}"), std::string("rendered: ") + expected) << expression;
}

TEST(Template, AndOrEvaluateOnlyWhatTheyNeed) {
  EXPECT_EQ(render("{{ n == 0 or 10 / n > 3 }}", {{"n", 0}}), "true");
  EXPECT_EQ(render("{{ 1 / n if n != 0 else 0 }}", {{"n", 0}}), "0");
}

TEST(Template, UnrollsALoopWithoutBlankLines) {
  const char* text =
      "void f() {\n"
      "  {% for k in range(2) %}\n"
      "  y[{{ k }}] = x[{{ k }}];\n"
      "  {% endfor %}\n"
      "}\n";
  EXPECT_EQ(render(text, {}), "void f() {\n  y[0] = x[0];\n  y[1] = x[1];\n}\n");
}

TEST(Template, TagsWithinALineKeepTheLine) {
  EXPECT_EQ(render("a{% if true %}, b{% endif %}\nc", {}), "a, b\nc");
}

TEST(Template, ConditionsTakeTheFirstTrueBranch) {
  const char* text = "{% if n == 1 %}one{% elif n == 2 %}two{% elif n == 3 %}three{% else %}many{% endif %}";
  EXPECT_EQ(render(text, {{"n", 1}}), "one");
  EXPECT_EQ(render(text, {{"n", 2}}), "two");
  EXPECT_EQ(render(text, {{"n", 3}}), "three");
  EXPECT_EQ(render(text, {{"n", 4}}), "many");
  EXPECT_EQ(render("[{% if false %}x{% endif %}]", {}), "[]");
}

TEST(Template, LoopsNestAndTheirNameHidesOneOutside) {
  EXPECT_EQ(render("{% for i in [1, 2] %}{% for j in [\"a\", \"b\"] %}{{ i ~ j }} {% endfor %}{% endfor %}{{ i }}",
                   {{"i", "outer"}}),
            "1a 1b 2a 2b outer");
  EXPECT_EQ(render("{% for i in [] %}x{% endfor %}", {}), "");
}

TEST(Template, SetInALoopAccumulates) {
  EXPECT_EQ(render("{% set s = 0 %}{% for i in range(5) %}{% set s = s + i %}{% endfor %}{{ s }}", {}), "10");
}

TEST(Template, CommentsVanishWithTheirLine) {
  EXPECT_EQ(render("a\n  {# \"unclosed {{ nothing #}\nb{# x #}c", {}), "a\nbc");
}

TEST(Template, BracesOfCAreLeftAlone) {
  EXPECT_EQ(render("int a[] = {1, 2}; { }", {}), "int a[] = {1, 2}; { }");
}

TEST(Template, ErrorsNameTemplateLineAndColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"a\n  {{ b }}", "t.cl:2:6: 'b' has no value"},
      {"{{ 1 + }}", "t.cl:1:8: expected a value, found '}}'"},
      {"{{ 1 2 }}", "t.cl:1:6: expected '}}', found '2'"},
      {"x {{ 1", "t.cl:1:3: '{{' without '}}'"},
      {"x {% if true", "t.cl:1:3: '{%' without '%}'"},
      {"x {# y", "t.cl:1:3: '{#' without '#}'"},
      {"\n{% if true %}x", "t.cl:2:1: a block without its {% endif %}"},
      {"{% for i in [1] %}{% if i %}{% endfor %}", "t.cl:1:29: {% endfor %} without its beginning"},
      {"{% else %}", "t.cl:1:1: {% else %} without its beginning"},
      {"{% if 1 %}{% else %}{% else %}{% endif %}", "t.cl:1:21: {% else %} without its beginning"},
      {"{% fro i in [1] %}", "t.cl:1:1: unknown tag 'fro'; there are set, for and if"},
      {"{% for i in 3 %}{% endfor %}", "t.cl:1:13: {% for %} needs a list"},
      {"{% for if in [1] %}{% endfor %}", "t.cl:1:8: expected a name"},
      {"{{ \"a\" + 1 }}", "t.cl:1:8: '+' between a string and an integer; ~ joins as text"},
      {"{{ 1 < \"a\" }}", "t.cl:1:6: an integer cannot be compared with a string"},
      {"{{ 1 / 0 }}", "t.cl:1:6: division by zero"},
      {"{{ 1 % 0 }}", "t.cl:1:6: division by zero"},
      {"{{ 1.5 % 2 }}", "t.cl:1:8: '%' between a real and an integer"},
      {"{{ [1][1] }}", "t.cl:1:7: index 1 of a list of 1"},
      {"{{ [1][-1] }}", "t.cl:1:7: index -1 of a list of 1"},
      {"{{ [1] }}", "t.cl:1:1: a list has no text of its own; use join(list, separator)"},
      {"{% if \"yes\" %}{% endif %}", "t.cl:1:7: a condition must be a truth value or an integer, not a string"},
      {"{{ sqrt(2) }}", "t.cl:1:4: there is no function 'sqrt'"},
      {"{{ range() }}", "t.cl:1:4: range() takes 1 to 3 arguments, not 0"},
      {"{{ range(1, 2, 0) }}", "t.cl:1:4: range() with a step of 0"},
      {"{{ length(1) }}", "t.cl:1:4: length() takes a list or a string, not an integer"},
      {"{{ int(\"4x\") }}", "t.cl:1:4: int(\"4x\") is not an integer"},
      {"{{ 9223372036854775807 + 1 }}", "t.cl:1:24: 9223372036854775807 + 1 does not fit 64 bits"},
      {"{{ 9223372036854775808 }}", "t.cl:1:4: 9223372036854775808 does not fit 64 bits"},
      {"{{ 2x }}", "t.cl:1:5: 'x' directly after a number"},
      {"{{ \"a\\q\" }}", "t.cl:1:6: an escape other than \\n, \\t, \\\" and \\\\"},
      {"{{ range(1000000000000) }}", "t.cl:1:4: range() of more than 1000000 values"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(message_of(text), expected) << text;
}

TEST(Template, DeepNestingIsAnErrorAndNotACrash) {
  EXPECT_THROW(render("{{ " + std::string(100000, '(') + "1", {}), InputError);
  EXPECT_THROW(render("{{ " + std::string(100000, '(') + "1 }}", {}), InputError);
  EXPECT_THROW(render("{{ " + std::string(100000, '-') + "1 }}", {}), InputError);
  std::string blocks;
  for (int i = 0; i < 10000; ++i) blocks += "{% if true %}";
  EXPECT_THROW(render(blocks, {}), InputError);
}

TEST(Template, TextsAndListsThatGrowBeyondAllUseAreErrors) {
  std::string sum = "{{ 1", indices = "{{ a";
  for (int i = 0; i < 20000; ++i) sum += " + 1", indices += "[0]";
  const std::pair<std::string, std::string> cases[] = {
      {sum + " }}", "more than 2000 operators in one tag"},
      {indices + " }}", "more than 2000 operators in one tag"},
      {"{% set l = [0] %}{% for i in range(200000) %}{% set l = [l] %}{% endfor %}", "lists nested deeper than 100"},
      {"{% set l = [0] %}{% for i in range(60) %}{% set l = [l, l] %}{% endfor %}",
       "a list of more than 1000000 values"},
      {"{% set s = \"ab\" %}{% for i in range(60) %}{% set s = s ~ s %}{% endfor %}",
       "the text made here passes 64 MiB"},
      {"{{ join(range(1000000), \"" + std::string(100, ' ') + "\") }}", "the text made here passes 64 MiB"},
      {"{% for i in range(1000000) %}" + std::string(100, 'x') + "{% endfor %}", "the text made here passes 64 MiB"},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_NE(message_of(text).find(expected), std::string::npos) << message_of(text);
}

TEST(Template, TruncatedTextsNeverCrash) {
  const std::string text =
      "{% set n = 3 %}{% for k in range(n) %}{% if k == 0 %}{{ \"a\" ~ [1, 2][k] }}{% elif k > 1 %}x{% else %}{# c "
      "#}{% endif %}{% endfor %}";
  for (std::size_t length = 0; length < text.size(); ++length) {
    try {
      render(text.substr(0, length), {});
    } catch (const InputError&) {
    }
  }
  EXPECT_EQ(render(text, {}), "a1x");
}

}  // namespace
}  // namespace rtcg
