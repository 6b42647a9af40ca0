#include "rtcg/array/user_text.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "rtcg/compile/tokens.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

struct Token {
  std::string_view text;
  std::size_t at;
};

/// Tokens of a text without comments, with their places.
std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  for (const std::string& token : tokenise(text)) {
    at = text.find(token, at);
    tokens.push_back({text.substr(at, token.size()), at});
    at += token.size();
  }
  return tokens;
}

bool is_element_access(std::span<const Token> tokens, std::size_t k) {
  if (k + 3 >= tokens.size() || tokens[k + 1].text != "[" || tokens[k + 2].text != "i" || tokens[k + 3].text != "]")
    return false;
  // The address of an element is one in memory; "&" after a value is the operator between two.
  if (k == 0 || tokens[k - 1].text != "&") return true;
  if (k == 1) return false;
  const std::string_view before = tokens[k - 2].text;
  return is_word(before) || std::isdigit(static_cast<unsigned char>(before[0])) || before == ")" || before == "]";
}

/// Whether token k is the name of a variable, not of a member.
bool is_variable(std::span<const Token> tokens, std::size_t k, std::string_view name) {
  if (tokens[k].text != name) return false;
  const bool member =
      k > 0 && (tokens[k - 1].text == "." || (k > 1 && tokens[k - 1].text == ">" && tokens[k - 2].text == "-"));
  return !member;
}

/// `i` and `n` belong to the kernel: one of the text's own would make x[i] mean something else than it says.
void check_names(const std::string& label, const std::string& text, const std::string& code) {
  static const std::set<std::string_view> before_values = {"return", "case", "else", "do", "sizeof"};
  const std::vector<Token> tokens = tokens_of(code);
  for (std::size_t k = 1; k < tokens.size(); ++k)
    if ((tokens[k].text == "i" || tokens[k].text == "n") && is_word(tokens[k - 1].text) &&
        !before_values.contains(tokens[k - 1].text))
      throw_user_error(label, text, tokens[k].at,
                       fmt::format("a variable '{0}' hides the kernel's {0}; choose another name", tokens[k].text));
}

void check_brackets(const std::string& label, const std::string& text, const std::string& code) {
  std::vector<Token> open;
  for (const Token& token : tokens_of(code)) {
    const char sign = token.text[0];
    if (sign == '(' || sign == '[' || sign == '{') open.push_back(token);
    if (sign != ')' && sign != ']' && sign != '}') continue;
    const char expected = sign == ')' ? '(' : sign == ']' ? '[' : '{';
    if (open.empty() || open.back().text[0] != expected)
      throw_user_error(label, text, token.at, fmt::format("'{}' closes nothing", sign));
    open.pop_back();
  }
  if (!open.empty()) throw_user_error(label, text, open.back().at, fmt::format("'{}' is not closed", open.back().text));
}

}  // namespace

void throw_user_error(const std::string& label, std::string_view text, std::size_t at, const std::string& message) {
  at = std::min(at, text.size());
  const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  const std::string_view line = text.substr(start, text.find('\n', start) - start);
  std::string margin(line.substr(0, at - start));
  for (char& c : margin)
    if (c != '\t') c = ' ';
  throw UsageError(fmt::format("{}:{}:{}: error: {}\n  {}\n  {}^", label,
                               1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n'),
                               at - start + 1, message, line, margin));
}

Dtype user_dtype(std::string_view type) {
  static const std::map<std::string_view, Dtype> known = {{"bool", Dtype::boolean},
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
                                                          {"size_t", Dtype::u64},
                                                          {"half", Dtype::f16},
                                                          {"float", Dtype::f32},
                                                          {"double", Dtype::f64},
                                                          {"cfloat_t", Dtype::c64},
                                                          {"cdouble_t", Dtype::c128}};
  const auto found = known.find(type);
  return found == known.end() ? Dtype::unknown : found->second;
}

std::vector<UserParameter> user_parameters(const std::string& label, const std::string& text) {
  static const std::set<std::string_view> ignored = {"global", "__global", "restrict", "__restrict__", "__restrict"};
  const std::string code = blank_comments(text);
  std::vector<UserParameter> parameters;
  std::vector<Token> tokens = tokens_of(code);
  tokens.push_back({",", code.size()});
  UserParameter parameter;
  std::vector<Token> words;
  std::size_t start = 0;
  for (const Token& token : tokens) {
    if (token.text == "const") {
      // Of "T* const x" the pointer is constant, not what it points to.
      if (!parameter.is_pointer) parameter.is_const = true;
    } else if (token.text == "*") {
      if (parameter.is_pointer)
        throw_user_error(label, text, token.at, "a pointer to a pointer; parameters are scalars and pointers to them");
      if (words.empty()) throw_user_error(label, text, token.at, "a type is missing before '*'");
      parameter.is_pointer = true;
      for (const Token& word : words) parameter.type += (parameter.type.empty() ? "" : " ") + std::string(word.text);
      words.clear();
    } else if (token.text != ",") {
      if (ignored.contains(token.text)) continue;
      if (!is_word(token.text))
        throw_user_error(label, text, token.at, fmt::format("'{}' in a list of scalars and pointers", token.text));
      words.push_back(token);
    } else {
      if (words.empty())
        throw_user_error(
            label, text, token.at,
            parameters.empty() && tokens.size() == 1 ? "no parameters" : "a parameter is missing its name");
      const Token name = words.back();
      words.pop_back();
      if (!parameter.is_pointer)
        for (const Token& word : words) parameter.type += (parameter.type.empty() ? "" : " ") + std::string(word.text);
      else if (!words.empty())
        throw_user_error(label, text, name.at, fmt::format("'{}' after the name of a parameter", name.text));
      parameter.name = name.text;
      parameter.dtype = user_dtype(parameter.type);
      if (parameter.type.empty() || user_dtype(parameter.name) != Dtype::unknown)
        throw_user_error(label, text, name.at,
                         fmt::format("'{}' has {}", name.text, parameter.type.empty() ? "no type" : "no name"));
      if (parameter.dtype == Dtype::unknown &&
          (parameter.type.find(' ') != std::string::npos || parameter.type == "void"))
        throw_user_error(label, text, start, fmt::format("unknown type '{}'", parameter.type));
      if (parameter.name == "i" || parameter.name == "n")
        throw_user_error(label, text, name.at,
                         fmt::format("'{}' is the {} in generated kernels; choose another name", name.text,
                                     name.text == "i" ? "element's index" : "number of elements"));
      for (const UserParameter& other : parameters)
        if (other.name == parameter.name)
          throw_user_error(label, text, name.at, fmt::format("a second parameter '{}'", name.text));
      parameter.declaration = text.substr(start, name.at + name.text.size() - start);
      parameter.declaration.erase(0, parameter.declaration.find_first_not_of(" \t\r\n"));
      parameters.push_back(std::move(parameter));
      parameter = {}, words.clear();
      start = token.at + 1;
    }
  }
  return parameters;
}

UserPiece::UserPiece(std::string name, std::string given)
    : label(std::move(name)), text(std::move(given)), code(blank_comments(text)) {
  if (code.find_first_not_of(" \t\r\n") == std::string::npos)
    throw UsageError(fmt::format("{}: the text is empty", label));
  check_brackets(label, text, code);
  check_names(label, text, code);
}

std::size_t UserPiece::position_of(std::string_view name) const {
  const std::vector<Token> tokens = tokens_of(code);
  for (std::size_t k = 0; k < tokens.size(); ++k)
    if (is_variable(tokens, k, name)) return tokens[k].at;
  return std::string::npos;
}

bool UserPiece::uses_as_pointer(std::string_view name) const {
  const std::vector<Token> tokens = tokens_of(code);
  for (std::size_t k = 0; k < tokens.size(); ++k)
    if (is_variable(tokens, k, name) && !is_element_access(tokens, k)) return true;
  return false;
}

bool UserPiece::assigns_first(std::string_view name) const {
  const std::vector<Token> tokens = tokens_of(code);
  int depth = 0;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const char sign = tokens[k].text[0];
    if (sign == '(' || sign == '[' || sign == '{') ++depth;
    if (sign == ')' || sign == ']' || sign == '}') --depth;
    // What follows a jump or stands under #if may be left out.
    if (tokens[k].text == "goto" || sign == '#') return false;
    if (!is_variable(tokens, k, name)) continue;
    // A statement of its own, outside of any block; behind `else` or `)` it would be conditional.
    const bool starts = k == 0 || tokens[k - 1].text == ";" || tokens[k - 1].text == "}";
    if (depth != 0 || !starts || k + 5 >= tokens.size() || tokens[k + 4].text != "=" || tokens[k + 5].text == "=")
      return false;
    // z[i] = f(z[i]) reads it.
    for (std::size_t e = k + 5; e < tokens.size() && tokens[e].text != ";"; ++e)
      if (is_variable(tokens, e, name)) return false;
    return true;
  }
  return false;
}

void UserPiece::rename_elements(std::string_view name, std::string_view replacement) {
  std::string result = code;
  const std::vector<Token> tokens = tokens_of(code);
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (!is_variable(tokens, k, name) || !is_element_access(tokens, k)) continue;
    // What was written over several lines stays so.
    for (std::size_t at = tokens[k].at; at <= tokens[k + 3].at; ++at)
      if (result[at] != '\n') result[at] = ' ';
    const std::size_t room = std::min(code.find('\n', tokens[k].at), tokens[k + 3].at + 1) - tokens[k].at;
    if (room >= replacement.size())
      result.replace(tokens[k].at, replacement.size(), replacement);
    else
      throw_user_error(label, text, tokens[k].at, fmt::format("write '{}[i]' on one line", name));
  }
  code = std::move(result);
}

std::string UserPiece::emitted(std::string_view after) const {
  std::string quoted;
  for (const char c : label) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return fmt::format("\n#line 1 \"{}\"\n{}{}\n#line 1 \"generated\"\n", quoted, code, after);
}

std::string definition_key(std::span<const std::string> texts) {
  static std::mutex mutex;
  static auto* const numbers = new std::map<std::vector<std::string>, std::uint32_t>;
  const std::scoped_lock lock(mutex);
  const auto [place, fresh] =
      numbers->try_emplace({texts.begin(), texts.end()}, static_cast<std::uint32_t>(numbers->size()));
  std::string key(sizeof place->second, ' ');
  std::memcpy(key.data(), &place->second, sizeof place->second);
  return key;
}

std::string element_name(std::string_view pointer, std::span<const UserPiece> pieces) {
  for (char letter = 'i';; letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1)) {
    const std::string name = fmt::format("{}_{}_", pointer, letter);
    if (std::none_of(pieces.begin(), pieces.end(), [&](const UserPiece& piece) { return piece.mentions(name); }))
      return name;
    if (letter == 'h') throw UsageError(fmt::format("every name like '{}' is taken; rename '{}'", name, pointer));
  }
}

Module compile_user_text(const Device& device, const Source& source, std::span<const UserPiece> pieces,
                         const std::map<std::string, std::string>& elements) {
  try {
    return compile(device, source);
  } catch (const CompileError& error) {
    CompileRequest request;
    request.name = source.name();
    for (const UserPiece& piece : pieces) request.text += fmt::format("#line 1 \"{}\"\n{}\n", piece.label, piece.text);
    request.text += fmt::format("#line 1 \"{}\"\n{}", source.name(), source.text());
    std::vector<Diagnostic> diagnostics = error.diagnostics();
    if (diagnostics.empty()) throw;
    for (Diagnostic& diagnostic : diagnostics)
      for (const auto& [name, access] : elements)
        for (std::size_t at = 0; (at = diagnostic.message.find(name, at)) != std::string::npos; at += access.size())
          diagnostic.message.replace(at, name.size(), access);
    throw CompileError(fmt::format("{}\n  compiled for {}", show(diagnostics, request), device.id()), diagnostics,
                       error.log(), error.options());
  }
}

}  // namespace rtcg
