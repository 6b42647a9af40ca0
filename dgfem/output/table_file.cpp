#include "dgfem/output/table_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"

namespace rtcg::dgfem {

namespace {

std::string head_of(std::span<const std::string> columns) {
  std::string head = "time";
  for (const std::string& column : columns) {
    if (column.find_first_of(",\"\r\n") != std::string::npos)
      throw UsageError(fmt::format("\"{}\" cannot name a column of a table", column));
    head += "," + column;
  }
  return head + "\n";
}

/// Empty when the line holds anything but numbers.
std::vector<double> numbers_of(std::string_view line) {
  std::vector<double> numbers;
  for (const char *at = line.data(), *const end = at + line.size();; ++at) {
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return {};
    numbers.push_back(value);
    if (next == end) return numbers;
    if (*next != ',') return {};
    at = next;
  }
}

}  // namespace

TableFile::TableFile(std::filesystem::path file, std::size_t columns)
    : file_(std::move(file)), columns_(columns), last_(-std::numeric_limits<double>::infinity()) {}

TableFile::TableFile(std::filesystem::path file, std::span<const std::string> columns)
    : TableFile(std::move(file), columns.size()) {
  write_file(file_, head_of(columns));
  open();
}

TableFile TableFile::continued(std::filesystem::path file, std::span<const std::string> columns, double time) {
  if (!std::filesystem::exists(file)) return {std::move(file), columns};
  TableFile table(std::move(file), columns.size());
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{}: {}; remove it to start a new table", table.file_.string(), what));
  };
  std::ifstream in(table.file_, std::ios::binary);
  const std::string head = head_of(columns);
  std::string line, kept = head;
  if (!std::getline(in, line)) fail("cannot be read or is empty");
  if (line + "\n" != head)
    fail(fmt::format("its columns are \"{}\", not \"{}\"", line, head.substr(0, head.size() - 1)));
  for (std::size_t number = 2; std::getline(in, line) && !in.eof(); ++number) {  // at the end: a line cut short
    std::vector<double> values = numbers_of(line);
    if (values.size() != columns.size() + 1)
      fail(fmt::format("line {} does not hold {} numbers", number, columns.size() + 1));
    if (!(values[0] <= time)) break;
    kept += line + "\n";
    table.last_ = values[0];
    table.earlier_.push_back(std::move(values));
  }
  write_file(table.file_, kept);
  table.open();
  return table;
}

TableFile::TableFile(TableFile&& other) noexcept
    : file_(std::move(other.file_)),
      columns_(other.columns_),
      earlier_(std::move(other.earlier_)),
      last_(other.last_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

TableFile::~TableFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void TableFile::open() {
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) throw InputError(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
}

void TableFile::add(double time, std::span<const double> values) {
  if (values.size() != columns_)
    throw UsageError(fmt::format("{}: {} values for {} columns", file_.string(), values.size(), columns_));
  if (!(time > last_)) return;
  std::string line = fmt::format("{}", time);
  for (const double value : values) line += fmt::format(",{}", value);
  line += '\n';
  const off_t start = lseek(descriptor_, 0, SEEK_END);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      const bool taken_back = start >= 0 && ftruncate(descriptor_, start) == 0;
      throw InputError(fmt::format("{}: cannot be written: {}{}", file_.string(), std::strerror(error),
                                   taken_back ? "" : " (its last line is not whole)"));
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  last_ = time;
}

}  // namespace rtcg::dgfem
