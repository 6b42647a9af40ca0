#include "vision/search_journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rtcg/error.h"

namespace rtcg::vision {

namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json json_of(const TrialResult& result) {
  Json line{{"trial", result.trial}, {"seed", result.seed}, {"model", result.model}};
  if (!result.failure.empty()) {
    line["failure"] = result.failure;
    return line;
  }
  line["accuracy"] = result.validation.accuracy, line["spread"] = result.validation.spread;
  line["chance"] = result.validation.chance;
  line["fold_accuracies"] = result.validation.fold_accuracies;
  line["fold_strengths"] = result.validation.fold_strengths;
  line["features"] = result.features;
  line["feature_seconds"] = result.feature_seconds, line["classifier_seconds"] = result.classifier_seconds;
  return line;
}

TrialResult result_of(const Json& line) {
  TrialResult result;
  line.at("trial").get_to(result.trial), line.at("seed").get_to(result.seed), line.at("model").get_to(result.model);
  if (line.contains("failure")) {
    line.at("failure").get_to(result.failure);
    return result;
  }
  line.at("accuracy").get_to(result.validation.accuracy), line.at("spread").get_to(result.validation.spread);
  line.at("chance").get_to(result.validation.chance);
  line.at("fold_accuracies").get_to(result.validation.fold_accuracies);
  line.at("fold_strengths").get_to(result.validation.fold_strengths);
  line.at("features").get_to(result.features);
  line.at("feature_seconds").get_to(result.feature_seconds);
  line.at("classifier_seconds").get_to(result.classifier_seconds);
  return result;
}

}  // namespace

SearchJournal::SearchJournal(std::filesystem::path path, const std::string& identity) : path_(std::move(path)) {
  descriptor_ = open(path_.c_str(), O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw InputError(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(errno)));
  try {
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
      throw InputError(fmt::format("{}: another search is writing here", path_.string()));
    const std::string first = line_of({{"search", identity}});
    std::ifstream existing(path_, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(existing), {}};
    // A search that was killed with its first line half written has found nothing yet.
    const bool is_new = content.find('\n') == content.npos && first.starts_with(content);
    if (is_new) {
      if (ftruncate(descriptor_, 0) != 0)
        throw InputError(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(errno)));
      append(first);
      return;
    }
    if (!content.starts_with(first))
      throw InputError(
          fmt::format("{}: of another search: its space, images, labels, seed or classifier differ", path_.string()));
    std::istringstream lines(content.substr(first.size()));
    for (std::string line; std::getline(lines, line);) {
      const Json parsed = Json::parse(line, nullptr, false);
      if (!parsed.is_object()) continue;  // what a killed search left of its line
      try {
        TrialResult result = result_of(parsed);
        results_.insert_or_assign(result.trial, std::move(result));
      } catch (const Json::exception&) {  // edited by hand: run again
      }
    }
    if (content.back() != '\n') append("\n");
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

SearchJournal::~SearchJournal() {
  close(descriptor_);
}

const TrialResult* SearchJournal::find(std::size_t trial) const {
  const auto found = results_.find(trial);
  return found == results_.end() ? nullptr : &found->second;
}

void SearchJournal::append(const std::string& line) {
  // One write, so that a line is whole or the last.
  const ssize_t written = write(descriptor_, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()))
    throw InputError(fmt::format("{}: cannot be written: {}", path_.string(),
                                 written < 0 ? std::strerror(errno) : "the disk is full"));
}

void SearchJournal::add(const TrialResult& result) {
  append(line_of(json_of(result)));
}

}  // namespace rtcg::vision
