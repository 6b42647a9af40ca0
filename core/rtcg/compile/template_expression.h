// Expressions of the template language: read from the text of a tag into something that can be evaluated many times.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rtcg/compile/template.h"

namespace rtcg::detail {

/// The template being rendered; turns a byte offset into "name:line:column".
struct TemplateText {
  std::string_view name, text;
  [[noreturn]] void fail(std::size_t at, const std::string& message) const;
};

struct TemplateToken {
  enum class Kind { integer, real, string, name, symbol, end };
  Kind kind = Kind::end;
  std::string text;  ///< a string's without quotes and escapes
  std::size_t at = 0;
};

/// Valid as long as the TemplateText it was read from.
using TemplateExpression = std::function<TemplateValue(const TemplateValues&)>;

/// Reads tokens from an offset on, one ahead. "}}" and "%}" are symbols, so a tag ends where the reader says.
class TemplateReader {
 public:
  TemplateReader(const TemplateText& text, std::size_t at);

  const TemplateToken& next() const { return next_; }
  bool next_is(std::string_view symbol_or_word) const;
  bool take(std::string_view symbol_or_word);
  void expect(std::string_view symbol_or_word);
  std::string take_name();
  TemplateExpression take_expression();
  /// Offset just after the token taken last.
  std::size_t offset() const { return taken_to_; }

 private:
  void advance();
  void count_operator();
  TemplateExpression conditional();
  TemplateExpression binary(std::size_t level);
  TemplateExpression unary();
  TemplateExpression postfix();
  TemplateExpression primary();
  std::vector<TemplateExpression> list_until(std::string_view closing);

  const TemplateText* text_;
  TemplateToken next_;
  std::size_t at_, taken_to_;
  int depth_ = 0, operators_ = 0;
};

/// What a template may build: fails where a text or a list has grown beyond all use, before memory or stack run out.
constexpr std::size_t largest_template_text = std::size_t{64} << 20;
void check_template_text(std::size_t bytes, const TemplateText& text, std::size_t at);
void check_template_list(const TemplateValue::List& list, const TemplateText& text, std::size_t at);

std::string template_text_of(const TemplateValue& value, const TemplateText& text, std::size_t at);
bool template_truth_of(const TemplateValue& value, const TemplateText& text, std::size_t at);

/// The built-in function of that name, or an empty function.
using TemplateFunction = TemplateValue (*)(const TemplateValue::List& arguments, const TemplateText& text,
                                           std::size_t at);
TemplateFunction template_function(std::string_view name);

/// `operation` as it is spelled: + - * / % ~ == != < <= > >=
TemplateValue template_operate(std::string_view operation, const TemplateValue& a, const TemplateValue& b,
                               const TemplateText& text, std::size_t at);

}  // namespace rtcg::detail
