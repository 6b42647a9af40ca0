// The few things of C's lexical structure that reading includes and signatures needs: lines joined, comments blanked,
// words and signs told apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rtcg {

/// Comments become spaces, line by line: the result has the same lines. String and character literals are kept.
std::string blank_comments(std::string_view text);

/// Identifiers and numbers are one token each, a literal is one token, any other character that is not white space is
/// one.
std::vector<std::string> tokenise(std::string_view text);

bool is_word(std::string_view token);  ///< starts like an identifier

}  // namespace rtcg
