#include "rtcg/array/interchange/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <fstream>

#include "rtcg/io/aside_file.h"

namespace rtcg {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = std::size_t{1} << 20, piece_bytes = std::size_t{8} << 20;

/// What a file has in place of a word, for messages of one line.
std::string shown(std::string_view word) {
  std::string text(word.substr(0, 40));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  return text;
}

/// The header's text, a Python dict of three known keys.
class HeaderText {
 public:
  HeaderText(std::string_view text, std::size_t offset, const std::string& name)
      : text_(text), offset_(offset), name_(name) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: byte {} of the .npy header: {}", name_, offset_ + at_, what));
  }
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("'{}' is missing", c));
  }
  std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a quoted string is missing");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a string is not closed");
    const std::string_view found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return found;
  }
  bool boolean() {
    peek();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("True or False is missing");
  }
  std::int64_t extent() {
    peek();
    std::int64_t value = 0;
    const char* const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("an extent of 0 ... 2^63 - 1 is missing");
    at_ += static_cast<std::size_t>(end - first);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // a long of Python 2
    return value;
  }
  Shape shape() {
    Shape result;
    expect('(');
    while (!take(')')) {
      if (result.size() == Dims::most) fail(fmt::format("more than {} dimensions", Dims::most));
      result.push_back(extent());
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return result;
  }

 private:
  std::string_view text_;
  std::size_t offset_, at_ = 0;
  const std::string& name_;
};

void parse_type(HeaderText& text, NpyHeader& header) {
  if (text.peek() == '[') text.fail("a structured type; only arrays of plain numbers are read");
  const std::string_view given = text.quoted();
  constexpr std::pair<std::string_view, Dtype> types[] = {
      {"b1", Dtype::boolean}, {"i1", Dtype::i8},  {"u1", Dtype::u8},  {"i2", Dtype::i16},  {"u2", Dtype::u16},
      {"i4", Dtype::i32},     {"u4", Dtype::u32}, {"i8", Dtype::i64}, {"u8", Dtype::u64},  {"f2", Dtype::f16},
      {"f4", Dtype::f32},     {"f8", Dtype::f64}, {"c8", Dtype::c64}, {"c16", Dtype::c128}};
  const auto* const found = std::find_if(std::begin(types), std::end(types), [&](const auto& type) {
    return given.size() > 1 && given.substr(1) == type.first;
  });
  if (found == std::end(types) || std::string_view("<>|=").find(given[0]) == std::string_view::npos ||
      (given[0] == '|') != (size_of(found->second) == 1 && given[0] != '<' && given[0] != '>' && given[0] != '='))
    text.fail(
        fmt::format("element type '{}'; bool, integers of 1 to 8 bytes, f2 to f8, c8 and c16 are read", shown(given)));
  header.type = found->second;
  header.is_big_endian = given[0] == '>';
}

void swap_bytes(std::byte* data, std::size_t bytes, Dtype type) {
  const std::size_t width = is_complex(type) ? size_of(type) / 2 : size_of(type);
  if (width > 1)
    for (std::size_t at = 0; at < bytes; at += width) std::reverse(data + at, data + at + width);
}

/// The first bytes of the file up to the end of the header that they announce.
std::string read_start(std::ifstream& in) {
  std::string start(12, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  if (start.size() < 12) return start;
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(start[i])}; };
  const std::size_t header =
      byte(6) == 1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  const std::size_t wanted = std::min(header, longest_header);
  start.resize(12 + wanted);
  in.read(start.data() + 12, static_cast<std::streamsize>(wanted));
  start.resize(12 + static_cast<std::size_t>(in.gcount()));
  in.clear();
  return start;
}

bool is_fortran_ordered(const Array& array) {
  return !array.is_contiguous() && array.transpose().is_contiguous();
}

}  // namespace

NpyHeader parse_npy_header(std::string_view start, const std::string& name) {
  if (start.substr(0, magic.size()) != magic)
    throw InputError(fmt::format("{}: not a .npy file (it does not start with \\x93NUMPY)", name));
  const auto byte = [&](std::size_t i) {
    if (i >= start.size()) throw InputError(fmt::format("{}: the .npy header ends at byte {}", name, start.size()));
    return std::size_t{static_cast<unsigned char>(start[i])};
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0)
    throw InputError(fmt::format("{}: .npy format version {}.{}; 1.0, 2.0 and 3.0 are read", name, version, byte(7)));
  const std::size_t head = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > longest_header)
    throw InputError(fmt::format("{}: a .npy header of {} bytes; at most {} are read", name, length, longest_header));
  if (start.size() < head + length)
    throw InputError(fmt::format("{}: the .npy header of {} bytes ends at byte {}", name, head + length, start.size()));

  NpyHeader header;
  header.data_offset = head + length;
  HeaderText text(start.substr(head, length), head, name);
  constexpr std::string_view keys[] = {"descr", "fortran_order", "shape"};
  bool seen[3] = {};
  text.expect('{');
  while (!text.take('}')) {
    const std::string_view key = text.quoted();
    const auto k = static_cast<std::size_t>(std::find(std::begin(keys), std::end(keys), key) - std::begin(keys));
    if (k == 3) text.fail(fmt::format("unknown key '{}'", shown(key)));
    if (seen[k]) text.fail(fmt::format("'{}' appears twice", key));
    seen[k] = true;
    text.expect(':');
    if (k == 0) parse_type(text, header);
    if (k == 1) header.is_fortran_order = text.boolean();
    if (k == 2) header.shape = text.shape();
    if (!text.take(',') && text.peek() != '}') text.fail("',' or '}' is missing");
  }
  if (text.peek() != '\0') text.fail("text after the closing '}'");
  for (std::size_t k = 0; k < 3; ++k)
    if (!seen[k]) text.fail(fmt::format("'{}' is missing", keys[k]));
  try {
    element_count(header.shape);
  } catch (const UsageError& error) {
    text.fail(error.what());
  }
  return header;
}

Array read_npy(const Stream& stream, const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t file_bytes = std::filesystem::file_size(file, error);
  std::ifstream in(file, std::ios::binary);
  if (error || !in)
    throw InputError(fmt::format("{}: cannot be read{}", file.string(), error ? ": " + error.message() : ""));
  const NpyHeader header = parse_npy_header(read_start(in), file.string());
  const auto count = static_cast<std::uint64_t>(element_count(header.shape));
  const std::uint64_t stored = file_bytes - std::min<std::uintmax_t>(file_bytes, header.data_offset);
  if (stored % size_of(header.type) != 0 || stored / size_of(header.type) != count)
    throw InputError(fmt::format("{}: shape {} of {} needs {} elements of {} bytes, {} bytes follow the header",
                                 file.string(), to_string(header.shape), dtype_name(header.type), count,
                                 size_of(header.type), stored));
  Shape shape = header.shape;
  if (header.is_fortran_order) std::reverse(&shape[0], &shape[0] + shape.size());
  const Array array = Array::empty(stream, shape, header.type);

  // Two pieces in turn, so that the device copies one while the file fills the other.
  struct Piece {
    HostBuffer memory;
    Event copied;
  };
  const std::size_t piece = std::min(piece_bytes, array.bytes());
  Piece pieces[] = {{HostBuffer(stream.device(), piece), {}}, {HostBuffer(stream.device(), piece), {}}};
  in.seekg(static_cast<std::streamoff>(header.data_offset));
  for (std::size_t at = 0, turn = 0; at < array.bytes(); at += piece, turn ^= 1) {
    Piece& p = pieces[turn];
    const std::size_t bytes = std::min(piece, array.bytes() - at);
    p.copied.synchronize();
    if (!in.read(static_cast<char*>(p.memory.data()), static_cast<std::streamsize>(bytes)))
      throw InputError(fmt::format("{}: cannot be read at byte {}", file.string(), header.data_offset + at));
    if (header.is_big_endian) swap_bytes(static_cast<std::byte*>(p.memory.data()), bytes, header.type);
    array.buffer().write_async(stream, p.memory, bytes, 0, at);
    p.copied = stream.record();
  }
  for (const Piece& p : pieces) p.copied.synchronize();
  return header.is_fortran_order ? array.transpose() : array;
}

void write_npy(const std::filesystem::path& file, const Array& array) {
  const bool fortran = is_fortran_ordered(array);
  const Array ordered = fortran ? array.transpose() : array.contiguous();
  const char kind = "buifc"[static_cast<int>(kind_of(array.dtype()))];
  std::string dict =
      fmt::format("{{'descr': '{}{}{}', 'fortran_order': {}, 'shape': {}, }}", size_of(array.dtype()) == 1 ? '|' : '<',
                  kind, size_of(array.dtype()), fortran ? "True" : "False", to_string(array.shape()));
  dict.append(63 - (magic.size() + 4 + dict.size()) % 64, ' ');
  dict += '\n';
  std::string head(magic);
  head += {1, 0, static_cast<char>(dict.size() & 255), static_cast<char>(dict.size() >> 8)};
  head += dict;

  AsideFile aside(file);
  std::ofstream out(aside.path(), std::ios::binary);
  out.write(head.data(), static_cast<std::streamsize>(head.size()));
  if (ordered.size() != 0) {
    const std::size_t piece = std::min(piece_bytes, ordered.bytes());
    const std::size_t start = static_cast<std::size_t>(ordered.offset()) * size_of(ordered.dtype());
    const HostBuffer memory(ordered.device(), piece);
    for (std::size_t at = 0; at < ordered.bytes(); at += piece) {
      const std::size_t bytes = std::min(piece, ordered.bytes() - at);
      ordered.buffer().read(memory.data(), bytes, start + at);
      out.write(static_cast<const char*>(memory.data()), static_cast<std::streamsize>(bytes));
    }
  }
  out.close();
  if (!out) throw InputError(fmt::format("{}: cannot be written", file.string()));
  aside.commit();
}

}  // namespace rtcg
