// What is remembered of one tuning: which device, which problem, which configuration won and how it was found. A record
// is one line of JSON, so that files can be joined with cat, looked at with grep and read by any program. A record
// stands for itself: every line says its schema, family and version; a header line is for people.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "rtcg/device/device.h"
#include "rtcg/tune/configuration.h"

namespace rtcg {

/// What of a device decides whether a configuration that was fast once is fast again.
struct WisdomDevice {
  std::string name;          ///< "NVIDIA H200"
  std::string architecture;  ///< "sm_90"
  std::string backend;       ///< "CUDA", "OpenCL"
  std::string driver;
  std::string compiler;  ///< Driver::compiler_identity() on one line, a long one cut and completed by its digest

  static WisdomDevice of(const Device& device);
  friend bool operator==(const WisdomDevice&, const WisdomDevice&) = default;
};

struct WisdomRecord {
  static constexpr int schema = 1;  ///< of the lines; raised when an older reader would misunderstand them

  std::string family;  ///< "filterbank"
  int version = 1;     ///< of the family's code, Tunable::version
  WisdomDevice device;
  std::string system;  ///< operating system, release and machine
  std::map<std::string, std::string> traits;
  std::map<std::string, double> sizes;

  Configuration configuration;
  double seconds = 0;          ///< median of one execution
  double noise = 0;            ///< its median absolute deviation, relative to the median
  std::int64_t samples = 0;    ///< timings behind the median
  double default_seconds = 0;  ///< median of the default in the same run, 0 when it did not work
  double work = 0;             ///< amount of one execution in `unit`
  std::string unit;            ///< "FLOP", "B"
  bool verified = false;       ///< the result was compared with the reference

  std::string date;   ///< UTC, "2026-12-01T10:30:00Z": later ones sort after earlier ones
  std::string suite;  ///< rtcg::version of the writer
  std::string strategy;
  std::uint64_t seed = 0;
  std::int64_t tried = 0, failed = 0;  ///< variants that were looked at, and of these the ones that did not work
  double search_seconds = 0;

  /// Whether the other answers the same question on the same device, driver and compiler. The later one then counts.
  bool same_problem(const WisdomRecord& other) const;
  std::string problem_text() const;  ///< "dtype=float32 height=256 width=256"
};

/// Now, as records write it, and this machine's operating system.
std::string wisdom_date();
std::string wisdom_system();

/// Without a newline, whatever the texts contain.
std::string to_line(const WisdomRecord& record);
/// The line a new file opens with.
std::string wisdom_header(std::string_view family);

enum class LineKind : std::uint8_t {
  record,
  header,
  blank,
  foreign,  ///< of a schema this reader does not know
};
struct ParsedLine {
  LineKind kind = LineKind::blank;
  WisdomRecord record;  ///< of a record
  int schema = WisdomRecord::schema;
};
/// Members it does not know are ignored, those that describe the search may be missing. InputError saying what is
/// wrong, without the place.
ParsedLine parse_wisdom_line(std::string_view line);

}  // namespace rtcg
