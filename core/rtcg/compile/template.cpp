#include "rtcg/compile/template.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtcg/compile/template_expression.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

using detail::TemplateExpression;
using detail::TemplateReader;
using detail::TemplateText;

struct Segment {
  enum class Kind { plain, print, tag };
  Kind kind;
  std::size_t begin, end;  ///< of a print or tag: from its opening brace to behind its closing one
};

/// Offset behind the closing mark, which does not count inside a string.
std::size_t end_of_tag(const TemplateText& text, std::size_t begin, std::string_view mark) {
  const bool has_strings = mark != "#}";
  for (std::size_t at = begin + 2; at < text.text.size(); ++at) {
    if (text.text.substr(at, 2) == mark) return at + 2;
    if (!has_strings || text.text[at] != '"') continue;
    for (++at; at < text.text.size() && text.text[at] != '"' && text.text[at] != '\n'; ++at)
      if (text.text[at] == '\\') ++at;
  }
  text.fail(begin, fmt::format("'{}' without '{}'", text.text.substr(begin, 2), mark));
}

std::vector<Segment> split(const TemplateText& text) {
  const std::string_view all = text.text;
  std::vector<Segment> segments;
  std::size_t at = 0;
  const auto add_plain = [&](std::size_t end) {
    if (end > at) segments.push_back({Segment::Kind::plain, at, end});
  };
  for (;;) {
    std::size_t begin = at;
    while ((begin = all.find('{', begin)) != all.npos) {
      const char next = begin + 1 < all.size() ? all[begin + 1] : ' ';
      if (next == '{' || next == '%' || next == '#') break;
      ++begin;
    }
    if (begin == all.npos) {
      add_plain(all.size());
      return segments;
    }
    const char kind = all[begin + 1];
    std::size_t end = end_of_tag(text, begin, kind == '{' ? "}}" : kind == '%' ? "%}" : "#}");
    std::size_t plain_end = begin, rest = end;
    if (kind != '{') {
      // Alone on its line, a tag takes the whole line with it.
      const std::size_t before = begin == 0 ? all.npos : all.find_last_not_of(" \t", begin - 1);
      const std::size_t after = std::min(all.find_first_not_of(" \t", end), all.size());
      if ((before == all.npos || all[before] == '\n') && (after == all.size() || all[after] == '\n')) {
        plain_end = std::max(at, before == all.npos ? 0 : before + 1);
        rest = std::min(after + 1, all.size());
      }
    }
    add_plain(plain_end);
    if (kind != '#') segments.push_back({kind == '{' ? Segment::Kind::print : Segment::Kind::tag, begin, end});
    at = rest;
  }
}

/// Part of a template: appends what it stands for. {% set %} and {% for %} change the values.
using Piece = std::function<void(TemplateValues&, std::string&)>;
using Block = std::vector<Piece>;

void run(const Block& block, TemplateValues& values, std::string& out) {
  for (const Piece& piece : block) piece(values, out);
}

class Parser {
 public:
  explicit Parser(const TemplateText& text) : text_(text), segments_(split(text)) {}
  Block parse() { return parse_until({}, 0); }

 private:
  /// Up to a tag that begins with one of the words, which is left to the caller; `opened` is for the message when the
  /// text ends first. No words: up to the end of the text.
  Block parse_until(std::initializer_list<std::string_view> words, std::size_t opened);
  Piece parse_print();
  Piece parse_set(TemplateReader reader);
  Piece parse_for(TemplateReader reader);
  Piece parse_if(TemplateReader reader);
  TemplateReader reader() const { return {text_, segments_[index_].begin + 2}; }
  void end_tag(TemplateReader& reader) {
    reader.expect("%}");
    ++index_;
  }

  const TemplateText& text_;
  std::vector<Segment> segments_;
  std::size_t index_ = 0;
  int depth_ = 0;
};

Block Parser::parse_until(std::initializer_list<std::string_view> words, std::size_t opened) {
  if (++depth_ > 200) text_.fail(opened, "blocks nested too deeply");
  Block block;
  for (; index_ < segments_.size();) {
    const Segment& segment = segments_[index_];
    if (segment.kind == Segment::Kind::plain) {
      block.push_back(
          [text = &text_, at = segment.begin, part = text_.text.substr(segment.begin, segment.end - segment.begin)](
              TemplateValues&, std::string& out) {
            out += part;
            detail::check_template_text(out.size(), *text, at);
          });
      ++index_;
      continue;
    }
    if (segment.kind == Segment::Kind::print) {
      block.push_back(parse_print());
      continue;
    }
    TemplateReader tag = reader();
    const std::string word = tag.next().text;
    if (std::find(words.begin(), words.end(), word) != words.end()) {
      --depth_;
      return block;
    }
    if (tag.take("set"))
      block.push_back(parse_set(std::move(tag)));
    else if (tag.take("for"))
      block.push_back(parse_for(std::move(tag)));
    else if (tag.take("if"))
      block.push_back(parse_if(std::move(tag)));
    else if (word == "endfor" || word == "endif" || word == "else" || word == "elif")
      text_.fail(segment.begin, fmt::format("{{% {} %}} without its beginning", word));
    else
      text_.fail(segment.begin, fmt::format("unknown tag '{}'; there are set, for and if", word));
  }
  if (words.size() > 0) text_.fail(opened, fmt::format("a block without its {{% {} %}}", *(words.end() - 1)));
  --depth_;
  return block;
}

Piece Parser::parse_print() {
  const std::size_t at = segments_[index_].begin;
  TemplateReader tag = reader();
  TemplateExpression value = tag.take_expression();
  tag.expect("}}");
  ++index_;
  return [text = &text_, at, value](TemplateValues& values, std::string& out) {
    out += detail::template_text_of(value(values), *text, at);
    detail::check_template_text(out.size(), *text, at);
  };
}

Piece Parser::parse_set(TemplateReader tag) {
  const std::string name = tag.take_name();
  tag.expect("=");
  TemplateExpression value = tag.take_expression();
  end_tag(tag);
  return [name, value](TemplateValues& values, std::string&) { values.insert_or_assign(name, value(values)); };
}

Piece Parser::parse_for(TemplateReader tag) {
  const std::size_t opened = segments_[index_].begin;
  const std::string name = tag.take_name();
  tag.expect("in");
  const std::size_t at = tag.next().at;
  TemplateExpression list = tag.take_expression();
  end_tag(tag);
  Block body = parse_until({"endfor"}, opened);
  TemplateReader closing = reader();
  closing.take("endfor");
  end_tag(closing);
  return [text = &text_, at, name, list, body](TemplateValues& values, std::string& out) {
    const TemplateValue items = list(values);
    const auto* all = std::get_if<TemplateValue::List>(&items.data());
    if (!all) text->fail(at, "{% for %} needs a list");
    // The loop's name hides one outside; everything set in the body stays.
    auto hidden = values.extract(name);
    for (const TemplateValue& item : *all) {
      values.insert_or_assign(name, item);
      run(body, values, out);
    }
    values.erase(name);
    if (hidden) values.insert(std::move(hidden));
  };
}

Piece Parser::parse_if(TemplateReader tag) {
  struct Branch {
    std::size_t at;
    TemplateExpression condition;  ///< empty: else
    Block body;
  };
  std::vector<Branch> branches;
  const std::size_t opened = segments_[index_].begin;
  for (bool is_else = false;;) {
    const std::size_t at = tag.next().at;
    TemplateExpression condition = is_else ? TemplateExpression() : tag.take_expression();
    end_tag(tag);
    Block body = is_else ? parse_until({"endif"}, opened) : parse_until({"elif", "else", "endif"}, opened);
    branches.push_back({at, std::move(condition), std::move(body)});
    tag = reader();
    if (tag.take("endif")) break;
    is_else = tag.take("else");
    if (!is_else) tag.take("elif");
  }
  end_tag(tag);
  return [text = &text_, branches](TemplateValues& values, std::string& out) {
    for (const Branch& branch : branches)
      if (!branch.condition || detail::template_truth_of(branch.condition(values), *text, branch.at))
        return run(branch.body, values, out);
  };
}

}  // namespace

std::string substitute(std::string_view text, const std::map<std::string, std::string, std::less<>>& values) {
  const TemplateText source{"substitute", text};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t dollar = std::min(text.find('$', at), text.size());
    out += text.substr(at, dollar - at);
    if (dollar == text.size()) break;
    const char next = dollar + 1 < text.size() ? text[dollar + 1] : ' ';
    if (next != '{' && next != '$') source.fail(dollar, "'$' stands before {name} or another '$'");
    at = dollar + 2;
    if (next == '$') {
      out += '$';
      continue;
    }
    const std::size_t end = text.find('}', at);
    if (end == text.npos) source.fail(dollar, "'${' without '}'");
    const std::string_view name = text.substr(at, end - at);
    const auto found = values.find(name);
    if (found == values.end()) source.fail(dollar, fmt::format("'{}' has no value", name));
    out += found->second;
    at = end + 1;
  }
  return out;
}

std::string render(std::string_view text, const TemplateValues& values, std::string_view name) {
  const TemplateText source{name, text};
  const Block block = Parser(source).parse();
  TemplateValues current = values;
  std::string out;
  run(block, current, out);
  return out;
}

}  // namespace rtcg
