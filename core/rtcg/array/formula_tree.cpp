#include "rtcg/array/formula_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "rtcg/error.h"

namespace rtcg {

namespace {

constexpr std::size_t longest_text = std::size_t{64} << 10;
constexpr int most_operators = 2000, deepest_nesting = 200;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continues_name(char c) {
  return starts_name(c) || is_digit(c);
}

struct Binary {
  std::string_view sign;
  int strength;
  Op op;
};
/// C's levels; a stronger sign binds tighter.
constexpr Binary binary_operators[] = {
    {"||", 1, Op::logical_or},  {"&&", 2, Op::logical_and}, {"|", 3, Op::bit_or},         {"^", 4, Op::bit_xor},
    {"&", 5, Op::bit_and},      {"==", 6, Op::equal},       {"!=", 6, Op::not_equal},     {"<", 7, Op::less},
    {"<=", 7, Op::less_equal},  {">", 7, Op::greater},      {">=", 7, Op::greater_equal}, {"<<", 8, Op::shift_left},
    {">>", 8, Op::shift_right}, {"+", 9, Op::add},          {"-", 9, Op::subtract},       {"*", 10, Op::multiply},
    {"/", 10, Op::divide},      {"%", 10, Op::remainder}};
constexpr int strongest = 10;

/// Signs of two characters, some only to be refused with a better word than "expected a value".
constexpr std::string_view pairs[] = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "->", "++",
                                      "--", "**", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};

/// Without their _F.
const std::map<std::string_view, double>& constants() {
  static const std::map<std::string_view, double> table = {{"pi", 3.14159265358979323846},
                                                           {"M_PI", 3.14159265358979323846},
                                                           {"M_PI_2", 1.57079632679489661923},
                                                           {"M_PI_4", 0.785398163397448309616},
                                                           {"M_1_PI", 0.318309886183790671538},
                                                           {"M_2_PI", 0.636619772367581343076},
                                                           {"M_E", 2.7182818284590452354},
                                                           {"M_LOG2E", 1.4426950408889634074},
                                                           {"M_LN2", 0.693147180559945309417},
                                                           {"M_LN10", 2.30258509299404568402},
                                                           {"M_SQRT2", 1.41421356237309504880},
                                                           {"M_SQRT1_2", 0.707106781186547524401},
                                                           {"INFINITY", std::numeric_limits<double>::infinity()},
                                                           {"NAN", std::numeric_limits<double>::quiet_NaN()}};
  return table;
}

/// C's name where the table has another.
Op function_named(std::string_view name) {
  static const std::map<std::string_view, Op> others = {
      {"pow", Op::power}, {"fabs", Op::absolute}, {"abs", Op::absolute}, {"min", Op::minimum}, {"max", Op::maximum}};
  const auto found = others.find(name);
  return found == others.end() ? operation_named(name) : found->second;
}

struct Token {
  enum class Kind { end, sign, word, number } kind = Kind::end;
  std::string_view text;
  std::size_t at = 0;
};

class FormulaReader {
 public:
  explicit FormulaReader(FormulaTree& tree) : tree_(&tree) {}
  void read();

 private:
  using Kind = FormulaNode::Kind;

  [[noreturn]] void fail(std::size_t at, std::string_view message) const { tree_->fail(at, message); }
  void advance();
  bool next_is(std::string_view text) const { return token_.kind != Token::Kind::end && token_.text == text; }
  bool take(std::string_view text) {
    if (!next_is(text)) return false;
    advance();
    return true;
  }
  void expect(std::string_view text, std::string_view why);
  std::string found() const;

  bool read_parameters();
  std::uint32_t conditional();
  std::uint32_t binary(int weakest);
  std::uint32_t unary();
  std::uint32_t primary();
  std::uint32_t call(const Token& name);
  std::uint32_t name(const Token& word);
  std::uint32_t number(const Token& literal);
  Dtype cast_in_brackets();
  std::uint32_t add(FormulaNode node);
  std::uint32_t operation(Op op, std::size_t at, std::initializer_list<std::uint32_t> operands);

  struct Deeper {
    FormulaReader& reader;
    explicit Deeper(FormulaReader& r) : reader(r) {
      if (++r.depth_ > deepest_nesting)
        r.fail(r.token_.at, fmt::format("nested deeper than {} levels", deepest_nesting));
    }
    ~Deeper() { --reader.depth_; }
  };

  FormulaTree* tree_;
  Token token_;
  std::size_t next_ = 0;
  int depth_ = 0, operators_ = 0;
};

void FormulaReader::advance() {
  const std::string_view text = tree_->text;
  while (next_ < text.size() && std::string_view(" \t\r\n\f\v").find(text[next_]) != std::string_view::npos) ++next_;
  token_ = {Token::Kind::end, {}, next_};
  if (next_ == text.size()) return;
  std::size_t end = next_ + 1;
  if (starts_name(text[next_])) {
    while (end < text.size() && continues_name(text[end])) ++end;
    token_.kind = Token::Kind::word;
  } else if (is_digit(text[next_]) || (text[next_] == '.' && end < text.size() && is_digit(text[end]))) {
    // As C's preprocessor reads numbers: a sign belongs to one after an exponent's letter.
    const bool is_hex = text.substr(next_, 2) == "0x" || text.substr(next_, 2) == "0X";
    const std::string_view exponents = is_hex ? "pP" : "eE";
    while (end < text.size() &&
           (continues_name(text[end]) || text[end] == '.' ||
            ((text[end] == '+' || text[end] == '-') && exponents.find(text[end - 1]) != std::string_view::npos)))
      ++end;
    token_.kind = Token::Kind::number;
  } else {
    token_.kind = Token::Kind::sign;
    if (std::find(std::begin(pairs), std::end(pairs), text.substr(next_, 2)) != std::end(pairs)) ++end;
  }
  token_.text = text.substr(next_, end - next_);
  next_ = end;
}

std::string FormulaReader::found() const {
  if (token_.kind == Token::Kind::end) return "the text ends";
  const auto c = static_cast<unsigned char>(token_.text[0]);
  if (token_.kind == Token::Kind::sign && (c < 0x20 || c >= 0x7f))
    return fmt::format("found the byte 0x{:02x}, which is not part of C", c);
  return fmt::format("found '{}'", token_.text);
}

void FormulaReader::expect(std::string_view text, std::string_view why) {
  if (!take(text)) fail(token_.at, fmt::format("expected '{}' {}, {}", text, why, found()));
}

std::uint32_t FormulaReader::add(FormulaNode node) {
  tree_->nodes.push_back(node);
  return static_cast<std::uint32_t>(tree_->nodes.size() - 1);
}

std::uint32_t FormulaReader::operation(Op op, std::size_t at, std::initializer_list<std::uint32_t> operands) {
  if (++operators_ > most_operators) fail(at, fmt::format("more than {} operators in one formula", most_operators));
  FormulaNode node{Kind::operation, op};
  node.at = static_cast<std::uint32_t>(at);
  for (const std::uint32_t operand : operands) node.operands[node.operand_count++] = operand;
  return add(node);
}

bool FormulaReader::read_parameters() {
  const std::size_t arrow = tree_->text.find("->");
  if (arrow == std::string::npos) return false;
  expect("(", "before the names in front of '->'");
  if (!take(")")) {
    do {
      if (token_.kind != Token::Kind::word) fail(token_.at, fmt::format("expected a name, {}", found()));
      const std::string word(token_.text);
      if (dtype_of_c(word) != Dtype::unknown)
        fail(token_.at, fmt::format("'{}' is a type; parameters have names alone: (x, y) -> x + y", word));
      if (std::find(tree_->parameters.begin(), tree_->parameters.end(), word) != tree_->parameters.end())
        fail(token_.at, fmt::format("two parameters are named '{}'", word));
      if (tree_->parameters.size() == 64) fail(token_.at, "more than 64 parameters");
      tree_->parameters.push_back(word);
      advance();
    } while (take(","));
    expect(")", "after the names");
  }
  expect("->", "after the names");
  return true;
}

void FormulaReader::read() {
  if (tree_->text.size() > longest_text)
    throw InputError(fmt::format("formula: {} bytes, at most {} are read", tree_->text.size(), longest_text));
  advance();
  read_parameters();
  conditional();
  if (token_.kind == Token::Kind::end) return;
  static const std::map<std::string_view, std::string_view> advice = {
      {";", "a formula is one expression without ';'; give statements as a Function"},
      {"=", "a formula assigns nothing; '==' compares"},
      {",", "a ',' stands only between the arguments of a function"},
      {")", "a ')' without its '('"},
      {"[", "a formula sees single elements; gather(x, i) reads at other places"},
      {".", "a formula has no members; real(z) and imag(z) are functions"},
      {"**", "C has no power operator; write pow(a, b)"},
      {"++", "a formula changes nothing; write + 1"},
      {"--", "a formula changes nothing; write - 1, or - (-x)"}};
  const auto hint = advice.find(token_.text);
  if (hint != advice.end()) fail(token_.at, hint->second);
  if (token_.text.size() == 2 && token_.text[1] == '=') fail(token_.at, "a formula assigns nothing");
  fail(token_.at, fmt::format("expected an operator or the end, {}", found()));
}

std::uint32_t FormulaReader::conditional() {
  const Deeper deeper(*this);
  const std::uint32_t condition = binary(1);
  const std::size_t at = token_.at;
  if (!take("?")) return condition;
  const std::uint32_t then = conditional();
  expect(":", "between the two values of '?'");
  const std::uint32_t otherwise = conditional();
  return operation(Op::where, at, {condition, then, otherwise});
}

std::uint32_t FormulaReader::binary(int weakest) {
  std::uint32_t left = unary();
  for (;;) {
    const auto found = std::find_if(std::begin(binary_operators), std::end(binary_operators), [&](const Binary& b) {
      return token_.kind == Token::Kind::sign && b.sign == token_.text;
    });
    if (found == std::end(binary_operators) || found->strength < weakest) return left;
    const std::size_t at = token_.at;
    advance();
    const std::uint32_t right = found->strength == strongest ? unary() : binary(found->strength + 1);
    left = operation(found->op, at, {left, right});
  }
}

/// The type of a cast whose '(' was taken, or unknown when a bracketed expression follows.
Dtype FormulaReader::cast_in_brackets() {
  if (token_.kind != Token::Kind::word) return Dtype::unknown;
  const Token start = token_;
  const std::size_t after = next_;
  std::string words;
  for (; token_.kind == Token::Kind::word && words.size() < 32; advance()) {
    if (!words.empty()) words += ' ';
    words += token_.text;
  }
  const Dtype type = dtype_of_c(words);
  if (type != Dtype::unknown && take(")")) return type;
  token_ = start, next_ = after;
  return Dtype::unknown;
}

std::uint32_t FormulaReader::unary() {
  const Deeper deeper(*this);
  const Token first = token_;
  if (take("-")) return operation(Op::negate, first.at, {unary()});
  if (take("+")) return operation(Op::positive, first.at, {unary()});
  if (take("!")) return operation(Op::logical_not, first.at, {unary()});
  if (take("~")) return operation(Op::bit_not, first.at, {unary()});
  if (!take("(")) return primary();
  if (const Dtype type = cast_in_brackets(); type != Dtype::unknown) {
    FormulaNode node{Kind::cast};
    node.operands[0] = unary();
    node.operand_count = 1;
    node.type = type;
    node.at = static_cast<std::uint32_t>(first.at);
    if (++operators_ > most_operators)
      fail(first.at, fmt::format("more than {} operators in one formula", most_operators));
    return add(node);
  }
  const std::uint32_t inner = conditional();
  expect(")", "to close '('");
  return inner;
}

std::uint32_t FormulaReader::primary() {
  const Token token = token_;
  if (token.kind == Token::Kind::number) {
    advance();
    return number(token);
  }
  if (token.kind == Token::Kind::word) {
    advance();
    return next_is("(") ? call(token) : name(token);
  }
  if (token.text == "++" || token.text == "--")
    fail(token.at, fmt::format("a formula changes nothing; write {0} ({0}x) for a sign after a sign", token.text[0]));
  fail(token.at, token.kind == Token::Kind::end ? std::string("the text ends where a value should stand")
                                                : fmt::format("expected a value, {}", found()));
}

std::uint32_t FormulaReader::call(const Token& function) {
  const Dtype type = dtype_of_c(function.text);
  const Op op = type != Dtype::unknown ? Op::cast : function_named(function.text);
  if (op == Op::call) fail(function.at, fmt::format("there is no function '{}'", function.text));
  advance();
  std::vector<std::uint32_t> arguments;
  if (!next_is(")")) {
    do {
      arguments.push_back(conditional());
    } while (arguments.size() < 8 && take(","));
  }
  expect(")", fmt::format("after the arguments of {}", function.text));
  const std::size_t expected = op == Op::cast ? 1 : static_cast<std::size_t>(info(op).operands);
  if (arguments.size() != expected)
    fail(function.at, fmt::format("{} takes {} argument{}, {} given", function.text, expected, expected == 1 ? "" : "s",
                                  arguments.size()));
  const std::uint32_t first = arguments[0];
  const std::uint32_t result = expected == 1   ? operation(op, function.at, {first})
                               : expected == 2 ? operation(op, function.at, {first, arguments[1]})
                                               : operation(op, function.at, {first, arguments[1], arguments[2]});
  if (op == Op::cast) tree_->nodes.back().kind = Kind::cast, tree_->nodes.back().type = type;
  return result;
}

std::uint32_t FormulaReader::name(const Token& word) {
  const bool is_parameter =
      std::find(tree_->parameters.begin(), tree_->parameters.end(), word.text) != tree_->parameters.end();
  FormulaNode node{Kind::name};
  node.at = static_cast<std::uint32_t>(word.at);
  if (!is_parameter) {
    if (word.text == "true" || word.text == "false") {
      node.kind = Kind::literal;
      node.value = Scalar(word.text == "true");
      return add(node);
    }
    if (dtype_of_c(word.text) != Dtype::unknown)
      fail(word.at, fmt::format("'{0}' is a type; a cast is written ({0})x or {0}(x)", word.text));
    if (function_named(word.text) != Op::call)
      fail(word.at, fmt::format("'{0}' is a function; its arguments follow in brackets: {0}(...)", word.text));
    if (!tree_->parameters.empty() && !formula_constant(word.text))
      fail(word.at, fmt::format("there is no '{}'; there are {}", word.text, fmt::join(tree_->parameters, ", ")));
  }
  const auto known = std::find(tree_->names.begin(), tree_->names.end(), word.text);
  node.name = static_cast<std::uint32_t>(known - tree_->names.begin());
  if (known == tree_->names.end()) tree_->names.emplace_back(word.text);
  return add(node);
}

std::uint32_t FormulaReader::number(const Token& literal) {
  std::string_view text = literal.text;
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const bool is_real =
      text.find('.') != std::string_view::npos || text.find_first_of(is_hex ? "pP" : "eE") != std::string_view::npos;
  const std::string_view suffixes = is_real ? "fF" : "uUlL";
  std::string suffix;
  while (!text.empty() && suffixes.find(text.back()) != std::string_view::npos && suffix.size() < 4) {
    suffix.insert(suffix.begin(), static_cast<char>(text.back() | 0x20));
    text.remove_suffix(1);
  }
  const std::string_view digits = is_hex ? text.substr(2) : text;
  const auto wrong = [&] { fail(literal.at, fmt::format("'{}' is not a number of C", literal.text)); };
  const auto complete = [&](std::from_chars_result result) {
    if (result.ec == std::errc::result_out_of_range)
      fail(literal.at, fmt::format("{} does not fit {}", literal.text, is_real ? "a double" : "64 bits"));
    if (result.ec != std::errc{} || result.ptr != digits.data() + digits.size()) wrong();
  };
  FormulaNode node{Kind::literal};
  node.at = static_cast<std::uint32_t>(literal.at);
  if (is_real) {
    if (suffix.size() > 1 || digits.empty() || digits[0] == '-') wrong();
    double value = 0;
    complete(std::from_chars(digits.data(), digits.data() + digits.size(), value,
                             is_hex ? std::chars_format::hex : std::chars_format::general));
    node.value = suffix.empty() ? Scalar(value) : Scalar(static_cast<float>(value));
    return add(node);
  }
  static constexpr std::string_view known_suffixes[] = {"", "u", "l", "ul", "lu", "ll", "ull", "llu"};
  if (std::find(std::begin(known_suffixes), std::end(known_suffixes), suffix) == std::end(known_suffixes)) wrong();
  if (!is_hex && digits.size() > 1 && digits[0] == '0')
    fail(literal.at, fmt::format("{}: octal numbers are not read; write it in decimal or with 0x", literal.text));
  std::uint64_t value = 0;
  complete(std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10));
  const bool is_unsigned = suffix.find('u') != std::string::npos, is_long = suffix.find('l') != std::string::npos;
  if (!is_long && value <= INT32_MAX && !is_unsigned)
    node.value = Scalar(static_cast<std::int32_t>(value));
  else if (!is_long && value <= UINT32_MAX && (is_unsigned || is_hex))
    node.value = Scalar(static_cast<std::uint32_t>(value));
  else if (value <= INT64_MAX && !is_unsigned)
    node.value = Scalar(static_cast<std::int64_t>(value));
  else
    node.value = Scalar(value);
  return add(node);
}

}  // namespace

void FormulaTree::fail(std::size_t at, std::string_view message) const {
  at = std::min(at, text.size());
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  std::size_t start = before == std::string::npos ? 0 : before + 1;
  std::size_t end = std::min(text.find('\n', at), text.size());
  constexpr std::size_t context = 60;
  const bool cut_start = at - start > context, cut_end = end - at > context;
  if (cut_start) start = at - context;
  if (cut_end) end = at + context;
  std::string line(cut_start ? "..." : ""), caret(line.size(), ' ');
  for (std::size_t i = start; i < end; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    line += c == '\t' ? ' ' : c < 0x20 || c == 0x7f ? '?' : text[i];
    // Bytes that continue a UTF-8 character take no column.
    if (i < at && (c & 0xc0) != 0x80) caret += ' ';
  }
  if (cut_end) line += "...";
  throw InputError(fmt::format("formula: {}\n  {}\n  {}^", message, line, caret));
}

FormulaTree read_formula(std::string text) {
  FormulaTree tree;
  tree.text = std::move(text);
  FormulaReader(tree).read();
  return tree;
}

std::optional<double> formula_constant(std::string_view name) {
  std::string_view plain = name;
  const bool is_float = plain.starts_with("M_") && plain.ends_with("_F");
  if (is_float) plain.remove_suffix(2);
  const auto found = constants().find(plain);
  return found == constants().end() ? std::nullopt : std::optional(found->second);
}

Dtype dtype_of_c(std::string_view name) {
  static const std::map<std::string_view, Dtype> types = {{"bool", Dtype::boolean},
                                                          {"char", Dtype::i8},
                                                          {"signed char", Dtype::i8},
                                                          {"uchar", Dtype::u8},
                                                          {"unsigned char", Dtype::u8},
                                                          {"short", Dtype::i16},
                                                          {"ushort", Dtype::u16},
                                                          {"unsigned short", Dtype::u16},
                                                          {"int", Dtype::i32},
                                                          {"uint", Dtype::u32},
                                                          {"unsigned", Dtype::u32},
                                                          {"unsigned int", Dtype::u32},
                                                          {"long", Dtype::i64},
                                                          {"long long", Dtype::i64},
                                                          {"ulong", Dtype::u64},
                                                          {"unsigned long", Dtype::u64},
                                                          {"unsigned long long", Dtype::u64},
                                                          {"int8_t", Dtype::i8},
                                                          {"uint8_t", Dtype::u8},
                                                          {"int16_t", Dtype::i16},
                                                          {"uint16_t", Dtype::u16},
                                                          {"int32_t", Dtype::i32},
                                                          {"uint32_t", Dtype::u32},
                                                          {"int64_t", Dtype::i64},
                                                          {"uint64_t", Dtype::u64},
                                                          {"size_t", Dtype::u64},
                                                          {"float", Dtype::f32},
                                                          {"double", Dtype::f64},
                                                          {"cfloat_t", Dtype::c64},
                                                          {"cdouble_t", Dtype::c128}};
  const auto found = types.find(name);
  return found == types.end() ? Dtype::unknown : found->second;
}

}  // namespace rtcg
