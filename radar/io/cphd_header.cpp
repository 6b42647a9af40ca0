#include "radar/io/cphd_header.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <map>
#include <string_view>

#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

constexpr std::size_t longest_header = 1 << 16;
constexpr std::uint64_t longest_xml = std::uint64_t{1} << 28;

using Keys = std::map<std::string, std::string, std::less<>>;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw InputError(fmt::format("{}: CPHD header: {}", file.string(), what));
}

Keys parse_lines(const std::filesystem::path& file, std::string_view text) {
  Keys keys;
  for (std::size_t number = 2; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t assign = line.find(" := ");
    if (assign == std::string_view::npos) fail(file, fmt::format("line {} is not of the form 'KEY := value'", number));
    keys.emplace(line.substr(0, assign), line.substr(assign + 4));
  }
  return keys;
}

std::uint64_t number(const std::filesystem::path& file, const Keys& keys, const std::string& key) {
  const auto found = keys.find(key);
  if (found == keys.end()) fail(file, fmt::format("no {}", key));
  const std::string& text = found->second;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(file, fmt::format("{} is '{}'; a number of bytes below 2^64 is needed", key, text.substr(0, 40)));
  return value;
}

CphdHeader::Block block(const std::filesystem::path& file, const Keys& keys, const std::string& name,
                        std::uint64_t file_bytes) {
  const CphdHeader::Block result{number(file, keys, name + "_BLOCK_BYTE_OFFSET"),
                                 number(file, keys, name + "_BLOCK_SIZE")};
  if (result.offset > file_bytes || result.bytes > file_bytes - result.offset)
    fail(file,
         fmt::format(
             "the {} block, {} bytes from byte {}, lies outside the file of {} bytes; the file is truncated or damaged",
             name, result.bytes, result.offset, file_bytes));
  return result;
}

}  // namespace

CphdHeader read_cphd_header(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(file, error);
  if (!in || error) throw InputError(fmt::format("{}: cannot be opened for reading", file.string()));
  std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(file_bytes, longest_header)), '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
    throw InputError(fmt::format("{}: cannot be read", file.string()));
  if (!text.starts_with("CPHD/")) fail(file, "the file does not start with 'CPHD/'");
  const std::size_t end = text.find("\f\n"), first_line = text.find('\n');
  if (end == std::string::npos || first_line > end)
    fail(file, fmt::format("its end (form feed, newline) is not in the first {} bytes", text.size()));
  CphdHeader header;
  header.version = text.substr(5, first_line - 5);
  if (!header.version.starts_with("1.0") && !header.version.starts_with("1.1"))
    fail(file, fmt::format("version '{}'; 1.0.1 and 1.1.0 are read", header.version.substr(0, 20)));
  const Keys keys = parse_lines(file, std::string_view(text).substr(first_line + 1, end - first_line - 1));
  header.xml = block(file, keys, "XML", file_bytes);
  header.pvp = block(file, keys, "PVP", file_bytes);
  header.signal = block(file, keys, "SIGNAL", file_bytes);
  if (header.xml.bytes > longest_xml)
    fail(file, fmt::format("an XML block of {} bytes; at most {} are read", header.xml.bytes, longest_xml));
  return header;
}

}  // namespace rtcg::radar
