#include "rtcg/sparse/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>

#include "rtcg/error.h"

namespace rtcg {

namespace {

enum class Symmetry { general, symmetric, skew, hermitian };

struct Header {
  bool complex = false, pattern = false, integer = false;
  Symmetry symmetry = Symmetry::general;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  SparseMatrix parse() {
    header_ = read_header();
    next_content_line();
    const std::size_t size_line = line_;
    const auto rows = extent("rows"), columns = extent("columns"), entries = number<std::size_t>("number of entries");
    end_of_line();
    check_sizes(rows, columns, entries);
    return header_.complex ? read_entries<std::complex<double>>(rows, columns, entries, size_line)
                           : read_entries<double>(rows, columns, entries, size_line);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line_, what));
  }

  /// Moves to the next line; false at the end of the text.
  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    current_ = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    if (!current_.empty() && current_.back() == '\r') current_.remove_suffix(1);
    ++line_;
    return true;
  }
  bool skip_to_content() {
    while (next_line()) {
      skip_blanks();
      if (!current_.empty() && current_.front() != '%') return true;
    }
    return false;
  }
  void next_content_line() {
    if (!skip_to_content()) fail("the file ends where the sizes should stand");
  }
  void skip_blanks() {
    while (!current_.empty() && (current_.front() == ' ' || current_.front() == '\t')) current_.remove_prefix(1);
  }
  std::string word() {
    skip_blanks();
    std::size_t length = 0;
    while (length < current_.size() && current_[length] != ' ' && current_[length] != '\t') ++length;
    std::string result(current_.substr(0, std::min<std::size_t>(length, 40)));
    current_.remove_prefix(length);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::isprint(c) ? std::tolower(c) : '?'); });
    return result;
  }
  template <class T>
  T number(const char* what) {
    skip_blanks();
    std::string_view digits = current_;
    if (digits.size() > 1 && digits.front() == '+' && digits[1] != '-') digits.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = end == digits.data() + digits.size() || *end == ' ' || *end == '\t';
    if (error == std::errc::result_out_of_range) fail(fmt::format("the {} \"{}\" is out of range", what, word()));
    if (error != std::errc() || !whole) {
      const std::string found = word();
      fail(found.empty() ? fmt::format("the {} is missing", what)
                         : fmt::format("the {} should be a number, not \"{}\"", what, found));
    }
    current_ = std::string_view(end, static_cast<std::size_t>(digits.data() + digits.size() - end));
    return value;
  }
  std::size_t extent(const char* what) {
    const auto value = number<std::size_t>(what);
    if (value > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
      fail(fmt::format("{} {} are more than the {} that fit", value, what, std::numeric_limits<std::int32_t>::max()));
    return value;
  }
  void end_of_line() {
    skip_blanks();
    if (!current_.empty()) fail(fmt::format("\"{}\" follows what the line should hold", word()));
  }

  Header read_header() {
    if (!next_line()) {
      ++line_;
      fail("the file is empty");
    }
    if (word() != "%%matrixmarket") fail("a Matrix Market file begins with %%MatrixMarket");
    const std::string object = word(), format = word(), field = word(), symmetry = word();
    if (object != "matrix") fail(fmt::format("the object is \"{}\"; only \"matrix\" can be read", object));
    if (format != "coordinate") fail(fmt::format("the format is \"{}\"; only \"coordinate\" is sparse", format));
    Header header;
    header.complex = field == "complex", header.pattern = field == "pattern", header.integer = field == "integer";
    if (field != "real" && field != "double" && !header.complex && !header.pattern && !header.integer)
      fail(fmt::format("the field is \"{}\", not real, integer, pattern or complex", field));
    if (symmetry == "symmetric")
      header.symmetry = Symmetry::symmetric;
    else if (symmetry == "skew-symmetric")
      header.symmetry = Symmetry::skew;
    else if (symmetry == "hermitian")
      header.symmetry = Symmetry::hermitian;
    else if (symmetry != "general")
      fail(fmt::format("the symmetry is \"{}\", not general, symmetric, skew-symmetric or hermitian", symmetry));
    if (header.symmetry == Symmetry::hermitian && !header.complex) fail("a Hermitian matrix has complex entries");
    if (header.symmetry == Symmetry::skew && header.pattern) fail("a pattern cannot be skew-symmetric");
    end_of_line();
    return header;
  }

  // Before anything is allocated by what the file claims.
  void check_sizes(std::size_t rows, std::size_t columns, std::size_t entries) const {
    if (header_.symmetry != Symmetry::general && rows != columns)
      fail(fmt::format("a symmetric matrix is square, not {} x {}", rows, columns));
    constexpr std::size_t least_entry_bytes = 4;  // "1 1\n"
    if (entries > (rest_.size() + 1) / least_entry_bytes)
      fail(fmt::format("{} entries do not fit into the {} bytes that follow", entries, rest_.size()));
    constexpr std::size_t free_rows = std::size_t{1} << 26, rows_per_entry = 1000;
    if (rows > free_rows && rows / rows_per_entry > entries)
      fail(fmt::format("{} rows for {} entries: nearly all would be empty", rows, entries));
  }

  std::int32_t index(const char* what, std::size_t extent) {
    const auto value = number<std::int64_t>(what);
    if (value < 1 || static_cast<std::size_t>(value) > extent)
      fail(fmt::format("{} {} is not in 1 to {}", what, value, extent));
    return static_cast<std::int32_t>(value - 1);
  }
  double real() {
    if (header_.integer) return static_cast<double>(number<std::int64_t>("value"));
    const auto value = number<double>("value");
    if (!std::isfinite(value)) fail("the value is not finite");
    return value;
  }
  template <class T>
  T entry_value() {
    if (header_.pattern) return T(1);
    if constexpr (std::is_same_v<T, double>) {
      return real();
    } else {
      const double re = real(), im = real();
      return {re, im};
    }
  }

  template <class T>
  T mirrored(T value) const {
    if (header_.symmetry == Symmetry::skew) return -value;
    if constexpr (!std::is_same_v<T, double>)
      if (header_.symmetry == Symmetry::hermitian) return std::conj(value);
    return value;
  }

  template <class T>
  SparseMatrix read_entries(std::size_t rows, std::size_t columns, std::size_t entries, std::size_t size_line) {
    std::vector<std::int32_t> row_indices, column_indices;
    std::vector<T> values;
    const std::size_t room = header_.symmetry == Symmetry::general ? entries : 2 * entries;
    row_indices.reserve(room), column_indices.reserve(room), values.reserve(room);
    for (std::size_t k = 0; k < entries; ++k) {
      if (!skip_to_content())
        fail(fmt::format("the file ends after {} of the {} entries that line {} promises", k, entries, size_line));
      const std::int32_t i = index("row", rows), j = index("column", columns);
      const T value = entry_value<T>();
      end_of_line();
      row_indices.push_back(i), column_indices.push_back(j), values.push_back(value);
      if (header_.symmetry == Symmetry::general) continue;
      if (j > i) fail(fmt::format("entry ({}, {}) is above the diagonal of a symmetric matrix", i + 1, j + 1));
      if (i == j && header_.symmetry == Symmetry::skew && value != T(0))
        fail(fmt::format("entry ({}, {}) is on the diagonal of a skew-symmetric matrix", i + 1, j + 1));
      if (i != j) row_indices.push_back(j), column_indices.push_back(i), values.push_back(mirrored(value));
    }
    if (skip_to_content())
      fail(fmt::format("there is more than the {} entries that line {} promises", entries, size_line));
    SparseMatrix matrix = SparseMatrix::from_coo(rows, columns, row_indices, column_indices, std::move(values));
    for (const T& value : std::get<std::vector<T>>(matrix.values()))
      if (!std::isfinite(std::real(value)) || !std::isfinite(std::imag(value)))
        throw InputError(fmt::format("{}: the entries of one place add up to more than a double holds", name_));
    return matrix;
  }

  std::string_view rest_, current_;
  std::string name_;
  std::size_t line_ = 0;
  Header header_;
};

}  // namespace

SparseMatrix parse_matrix_market(std::string_view text, const std::string& name) {
  return Parser(text, name).parse();
}

SparseMatrix read_matrix_market(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = in ? static_cast<std::streamoff>(in.tellg()) : -1;
  std::error_code ignored;
  if (size < 0 || !std::filesystem::is_regular_file(path, ignored))
    throw InputError(fmt::format("{}: cannot be read", path.string()));
  std::string text(static_cast<std::size_t>(size), '\0');
  in.seekg(0);
  if (!in.read(text.data(), size)) throw InputError(fmt::format("{}: cannot be read to its end", path.string()));
  return parse_matrix_market(text, path.string());
}

}  // namespace rtcg
