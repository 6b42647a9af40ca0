// Formulas read into the graph: what is read, what it means, what is refused and how it is shown.
#include "rtcg/array/formula.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "rtcg/error.h"

namespace rtcg {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
std::string refusal(const std::string& text) {
  return message_of([&] { Formula formula(text); });
}

/// Signs and names of a tree, fully bracketed.
std::string bracketed(const FormulaTree& tree, std::size_t n) {
  const FormulaNode& node = tree.nodes[n];
  switch (node.kind) {
    case FormulaNode::Kind::literal:
      return std::to_string(node.value.to_double()).substr(0, 4);
    case FormulaNode::Kind::name:
      return tree.names[node.name];
    case FormulaNode::Kind::cast:
      return std::string("(") + name_of(node.type) + ")" + bracketed(tree, node.operands[0]);
    case FormulaNode::Kind::operation:
      break;
  }
  std::string text = std::string(info(node.op).name) + "(";
  for (std::size_t k = 0; k < node.operand_count; ++k) text += (k > 0 ? "," : "") + bracketed(tree, node.operands[k]);
  return text + ")";
}
std::string bracketed(const std::string& text) {
  const Formula formula(text);
  return bracketed(formula.tree(), formula.tree().nodes.size() - 1);
}

Expression parameter(Dtype type) {
  return Expression(std::make_shared<Node>(Op::index, type, Shape{}));
}
Dtype type_of(const std::string& text, std::initializer_list<Dtype> types) {
  std::vector<Expression> operands;
  for (const Dtype type : types) operands.push_back(parameter(type));
  return Formula(text)(operands).dtype();
}

TEST(Formula, OperatorsBindAsInC) {
  EXPECT_EQ(bracketed("a + b * c - d"), "-(+(a,*(b,c)),d)");
  EXPECT_EQ(bracketed("a - b - c"), "-(-(a,b),c)");
  EXPECT_EQ(bracketed("a * b / c % d"), "%(/(*(a,b),c),d)");
  EXPECT_EQ(bracketed("a << b + c < d == e & f ^ g | h && i || j"),
            "||(&&(|(^(&(==(<(<<(a,+(b,c)),d),e),f),g),h),i),j)");
  EXPECT_EQ(bracketed("a ? b : c ? d : e"), "where(a,b,where(c,d,e))");
  EXPECT_EQ(bracketed("a ? b ? c : d : e"), "where(a,where(b,c,d),e)");
  EXPECT_EQ(bracketed("-a * !b + ~c"), "+(*(-(a),!(b)),~(c))");
  EXPECT_EQ(bracketed("- -a"), "-(-(a))");
  EXPECT_EQ(bracketed("(float)a / b"), "/((float)a,b)");
  EXPECT_EQ(bracketed("(float)(a / b)"), "(float)/(a,b)");
  EXPECT_EQ(bracketed("(unsigned int)a + uint(b)"), "+((uint)a,(uint)b)");
  EXPECT_EQ(bracketed("(a)*(b)"), "*(a,b)");
  EXPECT_EQ(bracketed("pow(fabs(a), 2) + atan2(b,c)"), "+(power(abs(a),2.00),atan2(b,c))");
}

TEST(Formula, NumbersAreReadAsInC) {
  const auto number = [](const std::string& text) { return Formula(text).tree().nodes.back().value; };
  const auto expect = [&](const std::string& text, Dtype type, double value) {
    EXPECT_EQ(number(text).dtype(), type) << text;
    EXPECT_EQ(number(text).to_double(), value) << text;
  };
  expect("7", Dtype::i32, 7);
  expect("7u", Dtype::u32, 7);
  expect("0", Dtype::i32, 0);
  expect("0xfFu", Dtype::u32, 255);
  expect("0xffffffff", Dtype::u32, 4294967295.0);
  expect("2147483648", Dtype::i64, 2147483648.0);
  expect("1L", Dtype::i64, 1);
  expect("1ull", Dtype::u64, 1);
  expect("2.0f", Dtype::f32, 2);
  expect("2.", Dtype::f64, 2);
  expect(".5", Dtype::f64, 0.5);
  expect("1e3", Dtype::f64, 1000);
  expect("1e+3", Dtype::f64, 1000);
  expect("1E-3f", Dtype::f32, 0.001f);
  expect("0x1p-3", Dtype::f64, 0.125);
  expect("0x1.8p1f", Dtype::f32, 3);
  expect("true", Dtype::boolean, 1);
  EXPECT_EQ(bracketed("1e3+2"), "+(1000,2.00)");
  EXPECT_EQ(bracketed("0xe+2"), "+(14.0,2.00)");
}

TEST(Formula, TypesMeetAsArraysDoAndNumbersAreWeak) {
  EXPECT_EQ(type_of("a * 2.0", {Dtype::f32}), Dtype::f32);
  EXPECT_EQ(type_of("a * 2", {Dtype::u8}), Dtype::u8);
  EXPECT_EQ(type_of("a + b", {Dtype::i8, Dtype::u8}), Dtype::i16);
  EXPECT_EQ(type_of("a / b", {Dtype::i32, Dtype::i32}), Dtype::i32);
  EXPECT_EQ(type_of("a / 2", {Dtype::i16}), Dtype::i16);
  EXPECT_EQ(type_of("(float)a / b", {Dtype::i32, Dtype::f32}), Dtype::f32);
  EXPECT_EQ(type_of("a < b", {Dtype::f32, Dtype::f64}), Dtype::boolean);
  EXPECT_EQ(type_of("(a < 0) + (a > 0)", {Dtype::f32}), Dtype::i32);
  EXPECT_EQ(type_of("-(a < 0)", {Dtype::f32}), Dtype::i32);
  EXPECT_EQ(type_of("a ? b : 0", {Dtype::boolean, Dtype::f32}), Dtype::f32);
  EXPECT_EQ(type_of("sqrt(a) * pi", {Dtype::f32}), Dtype::f32);
  EXPECT_EQ(type_of("a * a", {Dtype::c64}), Dtype::c64);
}

TEST(Formula, NamesArePositionalOrDeclared) {
  const Expression x = parameter(Dtype::f32), y = parameter(Dtype::f64);
  EXPECT_EQ(Formula("(u, v) -> u * v")({x, y}).dtype(), Dtype::f64);
  EXPECT_EQ(Formula("u * v", {"u", "v"})({x, y}).dtype(), Dtype::f64);
  EXPECT_EQ(Formula("sin(pi * x) * t").with({{"x", x}, {"t", 0.5}}).dtype(), Dtype::f32);
  EXPECT_TRUE(Formula("sin(pi * x) * t").uses("t"));
  EXPECT_FALSE(Formula("sin(pi * x) * t").uses("y"));
  EXPECT_EQ(Formula("() -> 3")(std::span<const Expression>{}).dtype(), Dtype::i32);
  // A value of that name hides the constant.
  EXPECT_EQ(Formula("pi").with({{"pi", x}}).node(), x.node());

  EXPECT_EQ(message_of([&] { Formula("(u, v) -> u * v")({x}); }),
            "formula \"(u, v) -> u * v\" takes 2 operands (u, v), 1 given");
  EXPECT_EQ(message_of([&] {
              Formula("a * q")({x, y});
            }),
            "formula: there is no 'q'; there are a, b\n  a * q\n      ^");
  EXPECT_EQ(refusal("(x, y) -> x * z"),
            "formula: there is no 'z'; there are x, y\n  (x, y) -> x * z\n                ^");
  EXPECT_EQ(message_of([] { Formula("x * z", {"x"}); }), "formula: there is no 'z'; there are x\n  x * z\n      ^");
  EXPECT_NE(refusal("(x, x) -> x").find("two parameters are named 'x'"), std::string::npos);
  EXPECT_NE(refusal("(float x) -> x").find("'float' is a type"), std::string::npos);
}

TEST(Formula, MistakesAreShownWithACaret) {
  EXPECT_EQ(refusal("a * "), "formula: the text ends where a value should stand\n  a * \n      ^");
  EXPECT_EQ(refusal("(a + b"), "formula: expected ')' to close '(', the text ends\n  (a + b\n        ^");
  EXPECT_EQ(refusal("a + * b"), "formula: expected a value, found '*'\n  a + * b\n      ^");
  EXPECT_EQ(refusal("a b"), "formula: expected an operator or the end, found 'b'\n  a b\n    ^");
  EXPECT_EQ(refusal("a = b"), "formula: a formula assigns nothing; '==' compares\n  a = b\n    ^");
  EXPECT_EQ(refusal("frob(a)"), "formula: there is no function 'frob'\n  frob(a)\n  ^");
  EXPECT_EQ(refusal("atan2(a)"), "formula: atan2 takes 2 arguments, 1 given\n  atan2(a)\n  ^");
  EXPECT_EQ(refusal("a ? b"), "formula: expected ':' between the two values of '?', the text ends\n  a ? b\n       ^");
  EXPECT_EQ(refusal("a;"),
            "formula: a formula is one expression without ';'; give statements as a Function\n  a;\n   ^");
  EXPECT_EQ(refusal("first +\n  second third"),
            "formula: expected an operator or the end, found 'third'\n    second third\n           ^");
  EXPECT_NE(refusal("a ** 2").find("pow(a, b)"), std::string::npos);
  EXPECT_NE(refusal("a++").find("changes nothing"), std::string::npos);
  EXPECT_NE(refusal("a[i]").find("gather(x, i)"), std::string::npos);
  EXPECT_NE(refusal("sqrt + 1").find("is a function"), std::string::npos);
  EXPECT_NE(refusal("0778").find("octal"), std::string::npos);
  EXPECT_NE(refusal("12abc").find("'12abc' is not a number"), std::string::npos);
  EXPECT_NE(refusal("1e400").find("does not fit a double"), std::string::npos);
  EXPECT_NE(refusal("99999999999999999999").find("does not fit 64 bits"), std::string::npos);
  EXPECT_NE(refusal("a + \xc3\xa9").find("byte 0xc3"), std::string::npos);
  EXPECT_NE(refusal("").find("the text ends"), std::string::npos);
}

TEST(Formula, TypesThatDoNotFitAreShownWithACaret) {
  const Expression x = parameter(Dtype::f32), z = parameter(Dtype::c64);
  const std::string power = message_of([&] { Formula("1 + a ^ 2")({x}); });
  EXPECT_NE(power.find("^ has no meaning for float32 (a power is written pow(a, b))"), std::string::npos) << power;
  EXPECT_NE(power.find("\n  1 + a ^ 2\n        ^"), std::string::npos) << power;
  const std::string order = message_of([&] { Formula("a < b")({z, z}); });
  EXPECT_NE(order.find("has no meaning for complex64\n  a < b\n    ^"), std::string::npos) << order;
}

TEST(Formula, HugeTextsAreRefused) {
  EXPECT_NE(refusal(std::string(100'000, ' ')).find("at most 65536"), std::string::npos);
  EXPECT_NE(refusal(std::string(5'000, '(') + "a").find("nested deeper than 200"), std::string::npos);
  EXPECT_NE(refusal(std::string(5'000, '-')).find("changes nothing"), std::string::npos);
  std::string signs, sum = "a";
  for (int i = 0; i < 5'000; ++i) signs += "- ", sum += "+a";
  EXPECT_NE(refusal(signs).find("nested deeper than 200"), std::string::npos);
  EXPECT_NE(refusal(sum).find("more than 2000 operators"), std::string::npos);
  // Read, but too long a chain for a graph that has no array to put between.
  std::string chain = "a";
  for (int i = 0; i < 1'999; ++i) chain += "+a";
  EXPECT_NE(message_of([&] { Formula{std::string(chain)}({parameter(Dtype::f32)}); }).find("operations in a row"),
            std::string::npos);
}

TEST(Formula, RandomTextsNeverCrash) {
  std::mt19937 random(7);
  static const char* const pieces[] = {
      "a",  "b",  "c",     "x",      "(",      ")",       "+",    "-",    "*",  "/",    "%",  "<",  ">", "=",
      "!",  "&",  "|",     "^",      "~",      "?",       ":",    ",",    " ",  "\n",   ".",  "->", "1", "2.5f",
      "0x", "1e", "sqrt(", "where(", "atan2(", "(float)", "int(", "true", "pi", "\xff", "\t", "\""};
  int read = 0, built = 0;
  const Expression x = parameter(Dtype::f32), i = parameter(Dtype::i32), b = parameter(Dtype::boolean);
  for (int turn = 0; turn < 100'000; ++turn) {
    std::string text;
    for (int n = static_cast<int>(random() % 12); n >= 0; --n) text += pieces[random() % std::size(pieces)];
    try {
      const Formula formula(text);
      ++read;
      formula({x, i, b});
      ++built;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("formula: "), std::string::npos);
    } catch (const UsageError&) {  // a number of operands other than declared
    }
  }
  EXPECT_GT(read, 1'000);
  EXPECT_GT(built, 500);
}

TEST(Formula, BecomesACFunction) {
  const Dtype types[] = {Dtype::f32, Dtype::f32};
  const auto function = Formula("a < 0 ? -b : sqrt(a) * 2").function("f", types);
  EXPECT_EQ(function->result, Dtype::f32);
  EXPECT_EQ(function->parameters, std::vector<Dtype>(2, Dtype::f32));
  EXPECT_NE(function->text.find("static inline float f(float a0, float a1)"), std::string::npos) << function->text;
  EXPECT_EQ(Formula("a + b").function("g", types, Dtype::f64)->result, Dtype::f64);
}

}  // namespace
}  // namespace rtcg
