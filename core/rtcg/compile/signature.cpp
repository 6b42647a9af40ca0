#include "rtcg/compile/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "rtcg/compile/tokens.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

using Tokens = std::vector<std::string>;

/// Names that stand for other tokens; std::nullopt for one that cannot be replaced with certainty.
class Replacements {
 public:
  void add(const std::string& name, std::optional<Tokens> tokens) {
    const auto [place, fresh] = meanings_.try_emplace(name, tokens);
    if (!fresh && place->second != tokens) place->second = std::nullopt;
  }

  /// False when the tokens hold a name whose meaning is not certain, or stand for more than any parameter list holds.
  bool expand(const Tokens& tokens, Tokens& result, std::set<std::string> open = {}) const {
    for (const std::string& token : tokens) {
      const auto found = open.contains(token) ? meanings_.end() : meanings_.find(token);
      if (result.size() > most_tokens) return false;
      if (found == meanings_.end()) {
        result.push_back(token);
        continue;
      }
      if (!found->second) return false;
      std::set<std::string> inner = open;
      inner.insert(token);
      if (!expand(*found->second, result, std::move(inner))) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t most_tokens = 4096;
  std::map<std::string, std::optional<Tokens>> meanings_;
};

struct ReadText {
  Tokens tokens;  ///< "#" stands where a directive other than #define was
  Replacements replacements;
};

void read_define(std::string_view line, Replacements& replacements) {
  Tokens tokens = tokenise(line);  // # define NAME ...
  if (tokens.size() < 3) return;
  const std::string name = tokens[2];
  const std::size_t after = line.find(name, line.find("define") + 6) + name.size();
  if (after < line.size() && line[after] == '(') return replacements.add(name, std::nullopt);
  replacements.add(name, Tokens(tokens.begin() + 3, tokens.end()));
}

void read_typedef(const Tokens& tokens, std::size_t start, Replacements& replacements) {
  std::size_t end = start + 1;
  bool simple = true;
  for (; end < tokens.size() && tokens[end] != ";"; ++end)
    if (!is_word(tokens[end])) simple = false;
  if (simple && end < tokens.size() && end - start >= 3)
    replacements.add(tokens[end - 1], Tokens(tokens.begin() + static_cast<std::ptrdiff_t>(start) + 1,
                                             tokens.begin() + static_cast<std::ptrdiff_t>(end) - 1));
}

ReadText read_text(std::string_view text, std::span<const std::pair<std::string, std::string>> defines) {
  ReadText result;
  for (const auto& [name, value] : defines) {
    const std::size_t parenthesis = name.find('(');
    if (parenthesis == std::string::npos)
      result.replacements.add(name, tokenise(value));
    else
      result.replacements.add(name.substr(0, parenthesis), std::nullopt);
  }
  std::string code = blank_comments(text);
  for (std::size_t at = 0; (at = code.find("\\\n", at)) != std::string::npos;) code.replace(at, 2, "  ");
  for (std::size_t start = 0; start < code.size();) {
    const std::size_t end = std::min(code.find('\n', start), code.size());
    const std::string_view line = std::string_view(code).substr(start, end - start);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] == '#') {
      const Tokens directive = tokenise(line);
      if (directive.size() > 1 && directive[1] == "define")
        read_define(line.substr(first), result.replacements);
      else
        result.tokens.push_back("#");
    } else {
      Tokens tokens = tokenise(line);
      std::move(tokens.begin(), tokens.end(), std::back_inserter(result.tokens));
    }
    start = end + 1;
  }
  for (std::size_t i = 0; i < result.tokens.size(); ++i)
    if (result.tokens[i] == "typedef") read_typedef(result.tokens, i, result.replacements);
  return result;
}

std::optional<ArgumentType> scalar_or_vector(std::string_view word) {
  static const std::map<std::string_view, ScalarType> scalars = {
      {"bool", ScalarType::boolean}, {"char", ScalarType::i8},        {"uchar", ScalarType::u8},
      {"short", ScalarType::i16},    {"ushort", ScalarType::u16},     {"int", ScalarType::i32},
      {"uint", ScalarType::u32},     {"long", ScalarType::i64},       {"ulong", ScalarType::u64},
      {"half", ScalarType::f16},     {"float", ScalarType::f32},      {"double", ScalarType::f64},
      {"cfloat_t", ScalarType::c64}, {"cdouble_t", ScalarType::c128}, {"size_t", ScalarType::u64},
      {"ptrdiff_t", ScalarType::i64}};
  if (const auto found = scalars.find(word); found != scalars.end())
    return ArgumentType{found->second, 1, ArgumentSpace::value, static_cast<std::uint8_t>(size_of(found->second))};
  const std::size_t digits = word.find_first_of("0123456789");
  if (digits == std::string_view::npos || digits == 0) return std::nullopt;
  const auto found = scalars.find(word.substr(0, digits));
  if (found == scalars.end() || found->second == ScalarType::boolean) return std::nullopt;
  for (const int lanes : {2, 3, 4, 8, 16}) {
    if (word.substr(digits) != std::to_string(lanes)) continue;
    // Three lanes take the room of four in OpenCL and of three in CUDA, so their size is not checked.
    const std::size_t bytes = lanes == 3 ? 0 : size_of(found->second) * static_cast<std::size_t>(lanes);
    return ArgumentType{found->second, static_cast<std::uint8_t>(lanes), ArgumentSpace::value,
                        static_cast<std::uint8_t>(bytes)};
  }
  return std::nullopt;
}

std::string joined(const Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) {
    if (!text.empty() && (is_word(token) || token == "(")) text += ' ';
    text += token;
  }
  return text;
}

Parameter read_parameter(const Tokens& written, const Tokens& tokens) {
  static const std::set<std::string_view> ignored = {
      "volatile",  "restrict",    "__restrict__", "__restrict",   "global",  "__global", "private", "__private",
      "read_only", "__read_only", "write_only",   "__write_only", "__local", "local",    "register"};
  static const std::set<std::string_view> integer_words = {"unsigned", "signed", "char", "short", "int", "long"};
  Parameter parameter;
  parameter.declaration = joined(written);
  std::multiset<std::string_view> integer;
  std::string type;
  bool pointer = false, is_struct = false;
  for (const std::string& token : tokens) {
    if (token == "const" || token == "constant" || token == "__constant" || token == "__const")
      parameter.is_const = true;
    else if (ignored.contains(token))
      continue;
    else if (token == "struct" || token == "union" || token == "enum")
      is_struct = true;
    else if (token == "*" || token == "[")
      pointer = true;
    else if (integer_words.contains(token) && type.empty())
      integer.insert(token);
    else if (is_word(token) && type.empty() && integer.empty())
      type = token;
    else if (is_word(token))
      parameter.name = token;
    else if (token == "<" || token == "(" || token == "&" || token == ":")
      parameter.is_known = false;
  }
  if (!integer.empty()) {
    const bool is_unsigned = integer.contains("unsigned");
    type = integer.contains("char")    ? "char"
           : integer.contains("short") ? "short"
           : integer.contains("long")  ? "long"
                                       : "int";
    if (is_unsigned) type = "u" + type;
  }
  if (type == "image2d_t" || type == "image3d_t" || type == "cudaTextureObject_t") {
    parameter.type = {ScalarType::unknown, 1, ArgumentSpace::texture, 0};
    return parameter;
  }
  const std::optional<ArgumentType> known = is_struct ? std::nullopt : scalar_or_vector(type);
  if (known)
    parameter.type = *known;
  else
    parameter.type = {ScalarType::unknown, static_cast<std::uint8_t>(type == "void" ? 1 : 0), ArgumentSpace::value, 0};
  if (pointer) parameter.type.space = ArgumentSpace::buffer, parameter.type.bytes = 0;
  // A name may stand for a pointer or an image; a struct said to be one is a value of unknown size.
  else if (!known && !is_struct)
    parameter.is_known = false;
  return parameter;
}

/// Splits at commas outside any bracket.
std::vector<Tokens> split(const Tokens& tokens) {
  std::vector<Tokens> parts(1);
  int depth = 0;
  for (const std::string& token : tokens) {
    if (token == "(" || token == "[" || token == "<" || token == "{") ++depth;
    if (token == ")" || token == "]" || token == ">" || token == "}") --depth;
    if (token == "," && depth == 0)
      parts.emplace_back();
    else
      parts.back().push_back(token);
  }
  return parts;
}

/// Index of the bracket that closes the one at `open`, or the number of tokens.
std::size_t closing(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i] == "(") ++depth;
    if (tokens[i] == ")" && --depth == 0) return i;
  }
  return tokens.size();
}

std::optional<std::vector<Parameter>> read_parameters(const Tokens& written, const Replacements& replacements) {
  Tokens tokens;
  if (std::find(written.begin(), written.end(), "#") != written.end()) return std::nullopt;
  if (!replacements.expand(written, tokens)) return std::nullopt;
  if (tokens.empty() || tokens == Tokens{"void"}) return std::vector<Parameter>{};
  const std::vector<Tokens> parts = split(tokens), written_parts = split(written);
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    // One unknown word may stand for any number of parameters.
    if (parts[i].size() < 2 && !(parts[i].size() == 1 && scalar_or_vector(parts[i][0]))) return std::nullopt;
    for (std::size_t k = 0; k + 1 < parts[i].size(); ++k)
      if (is_word(parts[i][k]) && parts[i][k + 1] == "(" && parts[i][k] != "__attribute__") return std::nullopt;
    parameters.push_back(read_parameter(parts.size() == written_parts.size() ? written_parts[i] : parts[i], parts[i]));
  }
  return parameters;
}

bool same_parameters(const Signature& a, const Signature& b) {
  return std::equal(
      a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(),
      [](const Parameter& x, const Parameter& y) { return x.type == y.type && x.is_known == y.is_known; });
}

ScalarType base(ScalarType scalar) {
  switch (scalar) {
    case ScalarType::c64:
      return ScalarType::f32;
    case ScalarType::c128:
      return ScalarType::f64;
    default:
      return scalar;
  }
}

bool is_integer(ScalarType scalar) {
  return scalar >= ScalarType::boolean && scalar <= ScalarType::u64;
}

bool same_scalar(ScalarType expected, ScalarType given) {
  expected = base(expected), given = base(given);
  if (expected == given || expected == ScalarType::unknown || given == ScalarType::unknown) return true;
  const bool integers = (is_integer(expected) || expected == ScalarType::f16) && is_integer(given);
  return integers && size_of(expected) == size_of(given);
}

std::string described(const ArgumentType& type) {
  std::string element = type.scalar == ScalarType::unknown ? "" : name_of(type.scalar);
  if (!element.empty() && type.lanes > 1) element += std::to_string(type.lanes);
  switch (type.space) {
    case ArgumentSpace::buffer:
      return element.empty() ? "a Buffer" : fmt::format("a Buffer of {}", element);
    case ArgumentSpace::texture:
      return "a Texture";
    case ArgumentSpace::value:
      break;
  }
  if (!element.empty()) return fmt::format("a {} value", element);
  return type.bytes == 0 ? "a struct" : fmt::format("a value of {} bytes", type.bytes);
}

bool fits(const Parameter& parameter, const ArgumentType& given) {
  const ArgumentType& expected = parameter.type;
  const std::size_t passed = given.space == ArgumentSpace::value ? given.bytes : sizeof(Handle);
  if (!parameter.is_known) return expected.bytes == 0 || expected.bytes == passed;
  if (expected.space != given.space) return false;
  if (expected.space == ArgumentSpace::value && expected.bytes != 0 && expected.bytes != given.bytes) return false;
  // A struct of the right size may stand for a vector; a scalar may not.
  if (expected.space == ArgumentSpace::value && expected.lanes == 0) return given.lanes == 0;
  return same_scalar(expected.scalar, given.scalar);
}

}  // namespace

std::vector<Signature> read_signatures(std::string_view text,
                                       std::span<const std::pair<std::string, std::string>> defines) {
  const ReadText read = read_text(text, defines);
  const Tokens& tokens = read.tokens;
  std::vector<Signature> signatures;
  std::set<std::string> uncertain;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Tokens word;
    if (!is_word(tokens[i]) || !read.replacements.expand({tokens[i]}, word)) continue;
    if (std::none_of(word.begin(), word.end(),
                     [](const std::string& w) { return w == "kernel" || w == "__kernel" || w == "__global__"; }))
      continue;
    std::size_t open = i + 1;
    bool found = false;
    for (; open + 1 < tokens.size() && tokens[open] != ";" && tokens[open] != "{"; ++open) {
      if (tokens[open] != "(") continue;
      const std::string& before = tokens[open - 1];
      if (before == "__attribute__" || before == "__launch_bounds__" || before == "RTCG_GROUP_SIZE")
        open = closing(tokens, open);
      else if ((found = true))
        break;
    }
    if (!found || !is_word(tokens[open - 1])) continue;
    Tokens name;
    const std::size_t close = closing(tokens, open);
    if (close == tokens.size() || !read.replacements.expand({tokens[open - 1]}, name) || name.size() != 1) continue;
    auto parameters = read_parameters(Tokens(tokens.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                                             tokens.begin() + static_cast<std::ptrdiff_t>(close)),
                                      read.replacements);
    if (!parameters) {
      uncertain.insert(name[0]);
      continue;
    }
    Signature signature{name[0], std::move(*parameters)};
    const auto earlier =
        std::find_if(signatures.begin(), signatures.end(), [&](const Signature& s) { return s.kernel == name[0]; });
    if (earlier == signatures.end())
      signatures.push_back(std::move(signature));
    else if (!same_parameters(*earlier, signature))
      uncertain.insert(name[0]);
  }
  std::erase_if(signatures, [&](const Signature& signature) { return uncertain.contains(signature.kernel); });
  return signatures;
}

std::optional<Signature> reconcile(std::string_view kernel, const Signature* read,
                                   std::span<const ParameterInfo> reported) {
  if (reported.empty()) return read != nullptr ? std::optional(*read) : std::nullopt;
  const bool same_count = read != nullptr && read->parameters.size() == reported.size();
  Signature result{std::string(kernel), {}};
  for (std::size_t i = 0; i < reported.size(); ++i) {
    Parameter parameter;
    parameter.is_known = false;
    if (!reported[i].type_name.empty()) {
      Tokens tokens = tokenise(reported[i].type_name);
      if (is_word(reported[i].name)) tokens.push_back(reported[i].name);
      parameter = read_parameter(tokens, tokens);
    }
    parameter.name = reported[i].name;
    if (parameter.declaration.empty()) parameter.declaration = fmt::format("parameter {}", i + 1);
    if (same_count) {
      const Parameter& own = read->parameters[i];
      if (!parameter.is_known || parameter.type.scalar == ScalarType::unknown) {
        const std::size_t size = own.type.space == ArgumentSpace::value ? own.type.bytes : sizeof(Handle);
        if (reported[i].bytes == 0 || size == 0 || size == reported[i].bytes)
          parameter.type = own.type, parameter.is_known = own.is_known;
      }
      if (parameter.is_known && parameter.type.space == ArgumentSpace::value && parameter.type.bytes == 0 &&
          reported[i].bytes <= 255)
        parameter.type.bytes = static_cast<std::uint8_t>(reported[i].bytes);  // of a struct
      parameter.name = own.name, parameter.declaration = own.declaration, parameter.is_const = own.is_const;
    }
    if (!parameter.is_known && reported[i].bytes <= 255)
      parameter.type.bytes = static_cast<std::uint8_t>(reported[i].bytes);
    result.parameters.push_back(std::move(parameter));
  }
  return result;
}

void check_arguments(const Signature& signature, std::span<const Argument> arguments) {
  if (arguments.size() != signature.parameters.size()) {
    std::vector<std::string> declarations;
    for (const Parameter& parameter : signature.parameters) declarations.push_back(parameter.declaration);
    throw UsageError(fmt::format("kernel {} takes {} arguments ({}), {} given", signature.kernel, declarations.size(),
                                 fmt::join(declarations, ", "), arguments.size()));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = signature.parameters[i];
    if (fits(parameter, arguments[i].type)) continue;
    throw UsageError(fmt::format("kernel {}: argument {} ({}): expected {}, given {}", signature.kernel, i + 1,
                                 parameter.declaration, described(parameter.type), described(arguments[i].type)));
  }
}

std::string serialise(std::span<const Signature> signatures) {
  std::string text;
  for (const Signature& signature : signatures) {
    std::vector<std::string> declarations;
    for (const Parameter& parameter : signature.parameters) declarations.push_back(parameter.declaration);
    text += fmt::format("kernel void {}({});\n", signature.kernel, fmt::join(declarations, ", "));
  }
  return text;
}

}  // namespace rtcg
