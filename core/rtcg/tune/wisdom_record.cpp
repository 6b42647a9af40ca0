#include "rtcg/tune/wisdom_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "rtcg/compile/manifest.h"
#include "rtcg/error.h"
#include "rtcg/tune/configuration_json.h"
#include "rtcg/version.h"

namespace rtcg {

namespace {

using Json = nlohmann::ordered_json;

/// A text as it comes back from a file: device names are not always UTF-8.
std::string readable(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

std::string one_line(std::string text) {
  constexpr std::size_t longest = 160, kept = 100;
  const std::string whole = text;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (std::size_t end = 0; (end = text.find('\n', end)) != text.npos;) text.replace(end, 1, "; ");
  if (text.size() <= longest) return text;
  return text.substr(0, kept) + "... " + digest(whole).substr(0, 16);
}

/// Whole numbers as people write them.
Json plain(double value) {
  const bool whole = std::abs(value) < 0x1p53 && value == std::floor(value);
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

const Json& member(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw InputError(fmt::format("\"{}\" is missing", name));
  return *found;
}

[[noreturn]] void wrong(const char* name, const char* wanted) {
  throw InputError(fmt::format("\"{}\" is not {}", name, wanted));
}

std::string text_of(const Json& value, const char* name) {
  if (!value.is_string()) wrong(name, "a text");
  return value.get<std::string>();
}

double number_of(const Json& value, const char* name, double least) {
  if (!value.is_number()) wrong(name, "a number");
  const auto number = value.get<double>();
  if (!std::isfinite(number) || number < least)
    throw InputError(fmt::format("\"{}\" is {:g}, less than {:g} or not finite", name, number, least));
  return number;
}

std::int64_t whole_of(const Json& value, const char* name, std::int64_t least) {
  if (!value.is_number_integer()) wrong(name, "a whole number");
  const auto number = value.get<std::int64_t>();
  if (number < least) throw InputError(fmt::format("\"{}\" is {}, less than {}", name, number, least));
  return number;
}

const Json& object_of(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_object()) wrong(name, "an object");
  return value;
}

/// What only describes the record may be missing.
std::string described(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? std::string() : text_of(*found, name);
}

std::int64_t counted(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? 0 : whole_of(*found, name, 0);
}

double measured(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? 0 : number_of(*found, name, 0);
}

WisdomDevice device_of(const Json& object) {
  WisdomDevice device;
  device.name = text_of(member(object, "name"), "name");
  device.architecture = text_of(member(object, "architecture"), "architecture");
  device.backend = described(object, "backend");
  device.driver = text_of(member(object, "driver"), "driver");
  device.compiler = text_of(member(object, "compiler"), "compiler");
  return device;
}

WisdomRecord record_of(const Json& line) {
  WisdomRecord record;
  record.family = text_of(member(line, "family"), "family");
  record.version = static_cast<int>(std::min<std::int64_t>(whole_of(member(line, "version"), "version", 0), INT32_MAX));
  record.device = device_of(object_of(line, "device"));
  record.system = described(line, "system");
  for (const auto& [name, value] : object_of(line, "traits").items())
    record.traits[name] = text_of(value, name.c_str());
  for (const auto& [name, value] : object_of(line, "sizes").items())
    record.sizes[name] = number_of(value, name.c_str(), 0);
  record.configuration = configuration_of(object_of(line, "configuration"));
  record.seconds = number_of(member(line, "seconds"), "seconds", 0);
  if (record.seconds == 0) throw InputError("\"seconds\" is 0, which nothing takes");
  record.noise = measured(line, "noise");
  record.samples = counted(line, "samples");
  record.default_seconds = measured(line, "default_seconds");
  record.work = measured(line, "work");
  record.unit = described(line, "unit");
  const Json& verified = member(line, "verified");
  if (!verified.is_boolean()) wrong("verified", "true or false");
  record.verified = verified.get<bool>();
  record.date = described(line, "date");
  record.suite = described(line, "suite");
  if (const auto search = line.find("search"); search != line.end()) {
    if (!search->is_object()) wrong("search", "an object");
    record.strategy = described(*search, "strategy");
    if (const auto seed = search->find("seed"); seed != search->end()) {
      if (!seed->is_number_unsigned()) wrong("seed", "a whole number of at least 0");
      record.seed = seed->get<std::uint64_t>();
    }
    record.tried = counted(*search, "tried");
    record.failed = counted(*search, "failed");
    record.search_seconds = measured(*search, "seconds");
  }
  return record;
}

}  // namespace

WisdomDevice WisdomDevice::of(const Device& device) {
  const DeviceProperties& p = device.properties();
  return {.name = readable(p.name),
          .architecture = readable(p.architecture),
          .backend = p.backend == Backend::cuda ? "CUDA" : "OpenCL",
          .driver = readable(p.driver),
          .compiler = readable(one_line(device.driver().compiler_identity()))};
}

bool WisdomRecord::same_problem(const WisdomRecord& other) const {
  return family == other.family && version == other.version && sizes == other.sizes && traits == other.traits &&
         device == other.device;
}

std::string WisdomRecord::problem_text() const {
  std::string text;
  for (const auto& [name, value] : traits) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  for (const auto& [name, value] : sizes) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

std::string wisdom_date() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string wisdom_system() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

std::string to_line(const WisdomRecord& record) {
  Json sizes = Json::object();
  for (const auto& [name, value] : record.sizes) sizes[name] = plain(value);
  const Json line = {{"schema", WisdomRecord::schema},
                     {"family", record.family},
                     {"version", record.version},
                     {"device",
                      {{"name", record.device.name},
                       {"architecture", record.device.architecture},
                       {"backend", record.device.backend},
                       {"driver", record.device.driver},
                       {"compiler", record.device.compiler}}},
                     {"system", record.system},
                     {"traits", Json(record.traits)},
                     {"sizes", sizes},
                     {"configuration", json_of(record.configuration)},
                     {"seconds", record.seconds},
                     {"noise", record.noise},
                     {"samples", record.samples},
                     {"default_seconds", record.default_seconds},
                     {"work", plain(record.work)},
                     {"unit", record.unit},
                     {"verified", record.verified},
                     {"date", record.date},
                     {"suite", record.suite},
                     {"search",
                      {{"strategy", record.strategy},
                       {"seed", record.seed},
                       {"tried", record.tried},
                       {"failed", record.failed},
                       {"seconds", record.search_seconds}}}};
  // A newline inside a text is escaped.
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string wisdom_header(std::string_view family) {
  return Json{{"wisdom", family}, {"schema", WisdomRecord::schema}, {"suite", version}}.dump();
}

ParsedLine parse_wisdom_line(std::string_view text) {
  ParsedLine result;
  if (text.find_first_not_of(" \t\r") == text.npos) return result;
  const Json line = Json::parse(text, nullptr, false);
  if (line.is_discarded()) throw InputError("not JSON, or cut off");
  if (!line.is_object()) throw InputError("not a JSON object");
  if (const auto schema = line.find("schema"); schema != line.end()) {
    if (!schema->is_number_integer()) wrong("schema", "a whole number");
    result.schema = static_cast<int>(std::clamp<std::int64_t>(schema->get<std::int64_t>(), INT32_MIN, INT32_MAX));
  }
  if (line.contains("wisdom")) {
    result.kind = LineKind::header;
  } else if (result.schema != WisdomRecord::schema) {
    result.kind = LineKind::foreign;
  } else {
    result.kind = LineKind::record;
    result.record = record_of(line);
  }
  return result;
}

}  // namespace rtcg
