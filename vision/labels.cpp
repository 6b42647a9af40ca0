#include "vision/labels.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>

#include <fmt/format.h>

#include "rtcg/array/interchange/npy.h"
#include "rtcg/error.h"

namespace rtcg::vision {

namespace {

std::optional<std::int64_t> as_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == text.npos ? std::string() : std::string(text.substr(first, last - first + 1));
}

/// "100x0": how many and of what.
std::optional<std::pair<std::size_t, std::string>> read_run(std::string_view text) {
  const auto cross = text.find('x');
  if (cross == text.npos || cross + 1 == text.size()) return {};
  const auto count = as_number(text.substr(0, cross));
  if (!count || *count < 1 || *count > 1'000'000'000) return {};
  return std::pair{static_cast<std::size_t>(*count), std::string(text.substr(cross + 1))};
}

std::optional<std::vector<std::string>> read_runs(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto run = read_run(part);
    if (!run) return {};
    words.insert(words.end(), run->first, run->second);
  }
  return words.empty() ? std::nullopt : std::optional(words);
}

std::vector<std::string> from_folders(const ImageSource& images) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < images.size(); ++k) {
    words.push_back(images.folder(k));
    if (words.back().empty())
      throw InputError(fmt::format("{}: lies in no folder that could be its label", images.name(k)));
  }
  return words;
}

std::vector<std::string> from_array(const Stream& stream, const std::string& file) {
  const Array array = read_npy(stream, file);
  if (array.dimensions() != 1 || !is_integer(array.dtype()))
    throw InputError(fmt::format("{}: labels are one dimension of integers; this is {} of {}", file,
                                 to_string(array.shape()), dtype_name(array.dtype())));
  std::vector<std::string> words;
  for (const std::int64_t value : array.astype(Dtype::i64).to_vector<std::int64_t>())
    words.push_back(std::to_string(value));
  return words;
}

struct Line {
  std::size_t number;
  std::string image, label;
  bool is_pair;
};

std::vector<Line> read_lines(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw InputError(fmt::format("{}: labels cannot be read; right is a file, folders, or 100x0,100x1", file));
  std::vector<Line> lines;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    const std::string line = trimmed(text.substr(0, text.find('#')));
    if (line.empty()) continue;
    const auto comma = line.rfind(',');
    Line found{number, {}, line, comma != line.npos};
    if (found.is_pair) found.image = trimmed(line.substr(0, comma)), found.label = trimmed(line.substr(comma + 1));
    if (lines.empty() && found.label == "label") continue;
    if (found.label.empty() || (found.is_pair && found.image.empty()))
      throw InputError(fmt::format("{}:{}: '{}' is no label and no image,label", file, number, line));
    if (!lines.empty() && found.is_pair != lines[0].is_pair)
      throw InputError(fmt::format("{}:{}: '{}' {}, the lines before it do{}", file, number, line,
                                   found.is_pair ? "names an image" : "names no image", found.is_pair ? " not" : ""));
    lines.push_back(found);
  }
  return lines;
}

std::vector<std::string> from_lines(const std::string& file, const ImageSource& images) {
  const std::vector<Line> lines = read_lines(file);
  std::vector<std::string> words;
  if (lines.empty() || !lines[0].is_pair) {
    for (const Line& line : lines) words.push_back(line.label);
    return words;
  }
  std::unordered_map<std::string, std::size_t> places;
  constexpr std::size_t ambiguous = SIZE_MAX;
  for (std::size_t k = 0; k < images.size(); ++k)
    if (const auto [at, is_new] = places.emplace(std::filesystem::path(images.name(k)).filename().string(), k); !is_new)
      at->second = ambiguous;
  for (std::size_t k = 0; k < images.size(); ++k) places.insert_or_assign(images.name(k), k);
  words.resize(images.size());
  for (const Line& line : lines) {
    const auto found = places.find(line.image);
    if (found == places.end())
      throw InputError(fmt::format("{}:{}: there is no image '{}'", file, line.number, line.image));
    if (found->second == ambiguous)
      throw InputError(
          fmt::format("{}:{}: there are several images '{}'; name their folder too", file, line.number, line.image));
    std::string& word = words[found->second];
    if (!word.empty())
      throw InputError(fmt::format("{}:{}: image '{}' has a label already", file, line.number, line.image));
    word = line.label;
  }
  for (std::size_t k = 0; k < words.size(); ++k)
    if (words[k].empty()) throw InputError(fmt::format("{}: no label for image '{}'", file, images.name(k)));
  return words;
}

/// Numbers first and by their values, so that classes stand as people count.
struct LabelOrder {
  bool operator()(const std::string& a, const std::string& b) const {
    const auto first = as_number(a), second = as_number(b);
    if (first && second && *first != *second) return *first < *second;
    if (first.has_value() != second.has_value()) return first.has_value();
    return a < b;
  }
};

}  // namespace

Labels read_labels(const Stream& stream, const std::string& text, const ImageSource& images) {
  std::vector<std::string> words;
  if (text == "folders")
    words = from_folders(images);
  else if (std::filesystem::path(text).extension() == ".npy")
    words = from_array(stream, text);
  else if (auto runs = std::filesystem::exists(text) ? std::nullopt : read_runs(text))
    words = std::move(*runs);
  else
    words = from_lines(text, images);
  if (words.size() != images.size())
    throw InputError(fmt::format("{}: {} labels for {} images", text, words.size(), images.size()));
  std::map<std::string, std::size_t, LabelOrder> places;
  for (const std::string& word : words) places.emplace(word, 0);
  Labels labels;
  for (auto& [word, place] : places) place = labels.names.size(), labels.names.push_back(word);
  if (labels.names.size() < 2)
    throw UsageError(fmt::format("{}: all images are labelled '{}'; there is nothing to tell apart", text, words[0]));
  for (const std::string& word : words) labels.classes.push_back(places.at(word));
  return labels;
}

}  // namespace rtcg::vision
