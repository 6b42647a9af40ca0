#include "rtcg/compile/tokens.h"

namespace rtcg {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_letter_or_digit(char c) {
  return is_letter(c) || (c >= '0' && c <= '9');
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/// One past the literal that starts at `at`; a literal ends with its line at the latest.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote && text[at] != '\n')
    at += text[at] == '\\' && at + 1 < text.size() ? 2 : 1;
  return at < text.size() && text[at] == quote ? at + 1 : std::min(at, text.size());
}

}  // namespace

std::string blank_comments(std::string_view text) {
  std::string result(text);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"' || text[i] == '\'') {
      i = end_of_literal(text, i);
    } else if (text.substr(i, 2) == "//") {
      for (; i < text.size() && text[i] != '\n'; ++i)
        // A comment that ends in a backslash goes on in the next line.
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n')
          result[i++] = ' ';
        else
          result[i] = ' ';
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t close = text.find("*/", i + 2);
      const std::size_t end = close == std::string_view::npos ? text.size() : close + 2;
      for (; i < end; ++i)
        if (text[i] != '\n') result[i] = ' ';
    } else {
      ++i;
    }
  }
  return result;
}

std::vector<std::string> tokenise(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    if (is_letter_or_digit(text[i])) {
      while (i < text.size() && is_letter_or_digit(text[i])) ++i;
    } else if (text[i] == '"' || text[i] == '\'') {
      i = end_of_literal(text, i);
    } else {
      ++i;
    }
    tokens.emplace_back(text.substr(start, i - start));
  }
  return tokens;
}

bool is_word(std::string_view token) {
  return !token.empty() && is_letter(token[0]);
}

}  // namespace rtcg
