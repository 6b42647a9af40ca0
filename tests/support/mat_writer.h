// MATLAB 5 files for tests, element by element, so that every byte can be made wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace rtcg::mat {

inline std::string words(const std::vector<std::uint32_t>& values) {
  std::string bytes(4 * values.size(), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline std::string element(std::uint32_t type, const std::string& data) {
  return words({type, static_cast<std::uint32_t>(data.size())}) + data + std::string((8 - data.size() % 8) % 8, '\0');
}

inline std::string floats(const std::vector<float>& values) {
  std::string bytes(4 * values.size(), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return element(7, bytes);
}

/// `kind` is the class word: 7 single, 2 struct; 0x0800 marks complex.
inline std::string array(std::uint32_t kind, const std::vector<std::uint32_t>& dimensions, const std::string& name,
                         const std::string& body) {
  return element(14, element(6, words({kind, 0})) + element(5, words(dimensions)) + element(1, name) + body);
}

inline std::string single(std::uint32_t rows, std::uint32_t columns, const std::vector<float>& values) {
  return array(7, {rows, columns}, "", floats(values));
}

inline std::string complex_single(std::uint32_t rows, std::uint32_t columns, const std::vector<float>& re,
                                  const std::vector<float>& im) {
  return array(7 | 0x0800, {rows, columns}, "", floats(re) + floats(im));
}

using Fields = std::vector<std::pair<std::string, std::string>>;  // name, array

inline std::string structure(const std::string& name, const Fields& fields) {
  std::string names, arrays;
  for (const auto& [field, bytes] : fields) {
    names += field + std::string(32 - field.size(), '\0');
    arrays += bytes;
  }
  return array(2, {1, 1}, name, words({5 | 4 << 16, 32}) + element(1, names) + arrays);
}

inline std::string file(const std::string& variables) {
  std::string header = "MATLAB 5.0 MAT-file, made by a test";
  header.resize(124, ' ');
  return header + std::string("\x00\x01IM", 4) + variables;
}

/// A variable in a zlib stream of stored blocks: compressed as far as a reader can tell.
inline std::string compressed(const std::string& variable) {
  std::string stream = "\x78\x01";
  std::uint32_t a = 1, b = 0;
  for (std::size_t at = 0; at < variable.size(); at += 65535) {
    const std::string block = variable.substr(at, 65535);
    const auto size = static_cast<std::uint16_t>(block.size()), inverse = static_cast<std::uint16_t>(~size);
    stream += at + 65535 >= variable.size() ? '\1' : '\0';
    stream += {static_cast<char>(size & 0xff), static_cast<char>(size >> 8), static_cast<char>(inverse & 0xff),
               static_cast<char>(inverse >> 8)};
    stream += block;
  }
  for (char c : variable) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  for (std::uint32_t half : {b, a}) stream += {static_cast<char>(half >> 8), static_cast<char>(half & 0xff)};
  return words({15, static_cast<std::uint32_t>(stream.size())}) + stream;
}

}  // namespace rtcg::mat
