#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "radar/io/mat_structure.h"
#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

enum Type : std::uint32_t { int8 = 1, int32 = 5, uint32 = 6, matrix = 14, compressed = 15 };
enum Class : std::uint32_t { cell = 1, structure = 2, text = 4, first_numeric = 6, last_numeric = 15 };
constexpr std::uint64_t header_bytes = 128;
constexpr int deepest = 8;

std::uint64_t bytes_of_type(std::uint32_t type) {
  switch (type) {
    case 1:
    case 2:
    case 16:
      return 1;
    case 3:
    case 4:
    case 17:
      return 2;
    case 5:
    case 6:
    case 7:
    case 18:
      return 4;
    case 9:
    case 12:
    case 13:
      return 8;
    default:
      return 0;
  }
}

struct Element {
  std::uint32_t type = 0;
  std::uint64_t data = 0, bytes = 0, next = 0;
};

class Walker {
 public:
  Walker(const std::filesystem::path& file, std::string shown) : name_(std::move(shown)), in_(file, std::ios::binary) {
    std::error_code error;
    size_ = std::filesystem::file_size(file, error);
    if (error || !in_) throw InputError(fmt::format("{}: cannot be read; a readable MATLAB 5 file is needed", name_));
  }

  /// The compressed variables, whose contents remain to be checked.
  std::vector<MatPacked> check() {
    std::vector<MatPacked> packed;
    if (size_ < header_bytes)
      fail(size_, fmt::format("the file ends after {} bytes, inside the 128-byte header", size_));
    std::array<char, 2> mark{};
    bytes(126, mark.data(), 2);
    if (mark[0] == 'I' && mark[1] == 'M')
      swap_ = std::endian::native == std::endian::big;
    else if (mark[0] == 'M' && mark[1] == 'I')
      swap_ = std::endian::native == std::endian::little;
    else
      fail(126, "no byte order mark 'IM' or 'MI'; only MATLAB 5 files (save -v6 or -v7) are read");
    for (std::uint64_t at = header_bytes; at < size_;) {
      const Element element = read(at, size_, true);
      if (element.type == matrix)
        check_matrix(element, 0);
      else if (element.type == compressed)
        packed.push_back({element.data, element.bytes});
      else
        fail(at, fmt::format("element type {} where a variable (14 or 15) must start", element.type));
      at = element.next;
    }
    return packed;
  }

 private:
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const {
    throw InputError(fmt::format("{}: byte {}: {}", name_, at, what));
  }

  void bytes(std::uint64_t at, void* to, std::size_t count) {
    in_.seekg(static_cast<std::streamoff>(at));
    if (!in_.read(static_cast<char*>(to), static_cast<std::streamsize>(count))) fail(at, "cannot be read");
  }

  std::uint32_t word(std::uint64_t at) {
    std::uint32_t value = 0;
    bytes(at, &value, 4);
    return swap_ ? __builtin_bswap32(value) : value;
  }

  Element read(std::uint64_t at, std::uint64_t end, bool top = false) {
    if (end - at < 8)
      fail(at, fmt::format("{} bytes where an element's 8-byte tag must stand; the file is truncated or damaged",
                           end - at));
    const std::uint32_t first = word(at), second = word(at + 4);
    if (first >> 16) {
      if (first >> 16 > 4) fail(at, fmt::format("a packed element of {} bytes; at most 4 fit", first >> 16));
      return {first & 0xffff, at + 4, first >> 16, at + 8};
    }
    const std::uint64_t room = end - at - 8;
    if (second > room)
      fail(at, fmt::format("an element of {} bytes with {} left; the file is truncated or damaged", second, room));
    const std::uint64_t padded = top && first == compressed ? second : (std::uint64_t{second} + 7) / 8 * 8;
    return {first, at + 8, second, at + 8 + std::min(padded, room)};
  }

  Element expect(std::uint64_t at, std::uint64_t end, std::uint32_t type, const char* what) {
    const Element element = read(at, end);
    if (element.type != type)
      fail(at, fmt::format("element type {} where the {} (type {}) must stand", element.type, what, type));
    return element;
  }

  void check_matrix(const Element& whole, int depth) {
    if (whole.bytes == 0) return;  // an empty array
    if (depth == deepest) fail(whole.data, fmt::format("arrays nested more than {} deep", deepest));
    const std::uint64_t end = whole.data + whole.bytes;
    const Element flags = expect(whole.data, end, uint32, "array flags");
    if (flags.bytes != 8) fail(flags.data, "array flags must have 8 bytes");
    const std::uint32_t word0 = word(flags.data), kind = word0 & 0xff;
    const Element dimensions = expect(flags.next, end, int32, "dimensions");
    if (dimensions.bytes % 4 != 0 || dimensions.bytes < 8 || dimensions.bytes > 32)
      fail(dimensions.data,
           fmt::format("{} bytes of dimensions; 2 to 8 dimensions of 4 bytes are read", dimensions.bytes));
    std::uint64_t elements = 1;
    for (std::uint64_t at = dimensions.data; at < dimensions.data + dimensions.bytes; at += 4) {
      const std::uint32_t extent = word(at);
      if (extent > INT32_MAX || (extent != 0 && elements > (std::uint64_t{1} << 40) / extent))
        fail(at, fmt::format("a dimension of {} makes the array too large", extent));
      elements *= extent;
    }
    const Element name = expect(dimensions.next, end, int8, "name");
    if (name.bytes > 63) fail(name.data, fmt::format("a name of {} bytes; at most 63 are allowed", name.bytes));
    if (kind == structure)
      check_struct(name.next, end, elements, depth);
    else if (kind == cell)
      check_children(name.next, end, elements, depth);
    else if (kind >= first_numeric && kind <= last_numeric)
      check_numbers(name.next, end, elements, (word0 & 0x0800) != 0);
    else if (kind != text)
      fail(flags.data, fmt::format("array class {} is not read; numbers, structs, cells and text are", kind));
  }

  void check_struct(std::uint64_t at, std::uint64_t end, std::uint64_t elements, int depth) {
    const Element length = expect(at, end, int32, "field name length");
    if (length.bytes != 4) fail(at, "the field name length must have 4 bytes");
    const std::uint32_t width = word(length.data);
    if (width == 0 || width > 64) fail(at, fmt::format("field names of {} bytes; 1 to 64 are allowed", width));
    const Element names = expect(length.next, end, int8, "field names");
    if (names.bytes % width != 0)
      fail(names.data, fmt::format("{} bytes of field names of {} bytes each", names.bytes, width));
    for (std::uint64_t field = names.data; field < names.data + names.bytes; field += width) {
      char last = 0;
      bytes(field + width - 1, &last, 1);
      if (last != 0) fail(field, "a field name without its end");
    }
    check_children(names.next, end, names.bytes / width * elements, depth);
  }

  void check_children(std::uint64_t at, std::uint64_t end, std::uint64_t count, int depth) {
    if (count > (end - at) / 8) fail(at, fmt::format("{} arrays announced with {} bytes left", count, end - at));
    for (std::uint64_t i = 0; i < count; ++i) {
      const Element child = expect(at, end, matrix, "array");
      check_matrix(child, depth + 1);
      at = child.next;
    }
  }

  void check_numbers(std::uint64_t at, std::uint64_t end, std::uint64_t elements, bool is_complex) {
    for (int part = 0; part < (is_complex ? 2 : 1); ++part) {
      const Element numbers = read(at, end);
      const std::uint64_t size = bytes_of_type(numbers.type);
      if (size == 0) fail(at, fmt::format("element type {} where numbers must stand", numbers.type));
      if (numbers.bytes != elements * size)
        fail(at, fmt::format("{} bytes for {} numbers of {} bytes", numbers.bytes, elements, size));
      at = numbers.next;
    }
  }

  std::string name_;
  std::ifstream in_;
  std::uint64_t size_ = 0;
  bool swap_ = false;
};

}  // namespace

std::vector<MatPacked> check_mat_structure(const std::filesystem::path& file, const std::string& shown) {
  return Walker(file, shown).check();
}

}  // namespace rtcg::radar
