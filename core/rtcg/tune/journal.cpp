#include "rtcg/tune/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "rtcg/error.h"
#include "rtcg/tune/configuration_json.h"

namespace rtcg {

namespace {

using Json = nlohmann::ordered_json;

VariantResult result_of(const Json& line) {
  VariantResult result;
  result.configuration = configuration_of(line.at("configuration"));
  result.timing.seconds = line.at("seconds").get<double>();
  result.timing.noise = line.at("noise").get<double>();
  result.timing.samples = line.at("samples").get<std::size_t>();
  result.failure = line.at("failure").get<std::string>();
  return result;
}

}  // namespace

TuneJournal::TuneJournal(const std::filesystem::path& path, const std::string& identity) : path_(path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw InputError(path.string() + ": the journal cannot be written");
  file_ = std::shared_ptr<const int>(new int(descriptor), [](const int* file) {
    close(*file);
    delete file;
  });
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw UsageError(fmt::format("{}: another process searches with this journal", path.string()));
  const std::string first = Json{{"search", identity}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::ifstream existing(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(existing), {}};
  std::istringstream lines(content);
  std::string line;
  if (std::getline(lines, line) && line != first)
    throw InputError(
        fmt::format("{}: not the journal of this search: its problem, device, strategy or seed differ", path.string()));
  while (std::getline(lines, line)) {
    const Json parsed = Json::parse(line, nullptr, false);
    if (!parsed.is_object()) continue;  // what a killed search left of its line
    try {
      VariantResult result = result_of(parsed);
      results_.insert_or_assign(result.configuration, std::move(result));
    } catch (const Json::exception&) {  // edited by hand: run again
    } catch (const InputError&) {
    }
  }
  if (content.empty()) append(first);
  if (!content.empty() && content.back() != '\n') append({});
}

const VariantResult* TuneJournal::find(const Configuration& configuration) const {
  const auto found = results_.find(configuration);
  return found == results_.end() ? nullptr : &found->second;
}

void TuneJournal::begin(const Configuration& configuration) {
  add({configuration, {}, "an earlier search ended while it ran"});
}

void TuneJournal::add(const VariantResult& result) {
  if (!file_) return;
  const Json line = {{"configuration", json_of(result.configuration)},
                     {"seconds", result.timing.seconds},
                     {"noise", result.timing.noise},
                     {"samples", result.timing.samples},
                     {"failure", result.failure}};
  append(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void TuneJournal::append(const std::string& line) {
  const std::string text = line + '\n';
  if (write(*file_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw InputError(path_.string() + ": the journal cannot be written");
}

}  // namespace rtcg
