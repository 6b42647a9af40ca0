#include "radar/io/npy.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>

#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw InputError(fmt::format("{}: {}", file.string(), what));
}

/// The text behind "'key':" of the header's dictionary, or nothing.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size() + 3);
  const std::size_t first = header.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view{} : header.substr(first);
}

std::vector<std::size_t> parse_shape(const std::filesystem::path& file, std::string_view text) {
  std::vector<std::size_t> shape;
  if (!text.starts_with('(')) fail(file, "the header of the .npy file has no shape");
  text.remove_prefix(1);
  text = text.substr(0, text.find(')'));
  while (!text.empty()) {
    std::size_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc()) fail(file, "the shape in the header of the .npy file is not readable");
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
  }
  return shape;
}

double number(const char* bytes, char type, std::size_t size, bool swap) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i)
    word |= std::uint64_t{static_cast<unsigned char>(bytes[swap ? size - 1 - i : i])} << (8 * i);
  if (type == 'i') return static_cast<std::int16_t>(word);
  return size == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(word)) : std::bit_cast<double>(word);
}

}  // namespace

NpyArray read_npy(const std::filesystem::path& file) {
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(file, error);
  std::ifstream in(file, std::ios::binary);
  char head[12]{};
  if (error || !in) fail(file, "cannot be opened for reading");
  if (!in.read(head, 10) || std::string_view(head, 6) != "\x93NUMPY")
    fail(file, "not a .npy file (it does not start as one)");
  const bool wide = head[6] >= 2;
  if (wide && !in.read(head + 10, 2)) fail(file, "the .npy file ends inside its header");
  std::uint64_t length = 0;
  for (int i = wide ? 11 : 9; i >= 8; --i) length = length << 8 | static_cast<unsigned char>(head[i]);
  const std::uint64_t begin = (wide ? 12 : 10) + length;
  if (begin > file_bytes || length > 1 << 16) fail(file, "the .npy file ends inside its header");
  std::string header(length, '\0');
  if (!in.read(header.data(), static_cast<std::streamsize>(length)))
    fail(file, "the header of the .npy file cannot be read");
  // "'<f4'": quote, byte order, kind, size, quote.
  const std::string_view descriptor = value_of(header, "descr"),
                         type = descriptor.size() < 5 ? "     " : descriptor.substr(0, 5);
  const bool real4 = type.substr(2, 2) == "f4", real8 = type.substr(2, 2) == "f8", short2 = type.substr(2, 2) == "i2";
  if (type[4] != '\'' || (type[1] != '<' && type[1] != '>') || !(real4 || real8 || short2))
    fail(file, "the .npy file is of another type; float32, float64 or int16 are read");
  if (!value_of(header, "fortran_order").starts_with("False"))
    fail(file, "the .npy file is stored column by column; save it in C order");
  const std::vector<std::size_t> shape = parse_shape(file, value_of(header, "shape"));
  if (shape.size() != 2) fail(file, fmt::format("the .npy file has {} dimensions; 2 are needed", shape.size()));
  const std::size_t size = real8 ? 8 : real4 ? 4 : 2;
  if (shape[0] != 0 && shape[1] > (file_bytes - begin) / size / shape[0])
    fail(file, fmt::format("the .npy file is too short for {} x {} numbers; it is truncated", shape[0], shape[1]));
  NpyArray array{shape[0], shape[1], {}};
  std::string bytes(shape[0] * shape[1] * size, '\0');
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    fail(file, "the numbers of the .npy file cannot be read");
  array.values.reserve(shape[0] * shape[1]);
  const bool swap = type[1] == '>';
  for (std::size_t at = 0; at < bytes.size(); at += size)
    array.values.push_back(number(bytes.data() + at, type[2], size, swap));
  return array;
}

}  // namespace rtcg::radar
