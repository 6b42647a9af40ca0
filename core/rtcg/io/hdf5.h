// HDF5 files in terms of datasets of numbers and attributes; complex numbers are compounds {r, i}, as h5py writes them.
//
// Files are not trusted: types are matched exactly, no buffer is allocated that the stored bytes could not fill, and
// links or datasets that lead to other files are refused. Every failure is an InputError of one line: file, dataset,
// reason. Paths are absolute ("/image"); rows are the slowest dimension. hdf5.h itself stays out of this header.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace rtcg::hdf5 {

enum class Element {
  float32,
  float64,
  complex64,
  complex128,
  int32,
  int64,
  uint8,
  uint32,
  uint64,
  int8,
  int16,
  uint16,
  float16,  ///< IEEE half, as h5py writes numpy.float16; std::uint16_t holds its bits
  boolean,  ///< an enumeration {FALSE, TRUE} of 8 bits, as h5py writes numpy.bool_
};
std::size_t bytes_of(Element element);

template <class T>
constexpr Element element_of() {
  if constexpr (std::is_same_v<T, float>)
    return Element::float32;
  else if constexpr (std::is_same_v<T, double>)
    return Element::float64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return Element::complex64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return Element::complex128;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return Element::int32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return Element::int64;
  else if constexpr (std::is_same_v<T, std::int8_t>)
    return Element::int8;
  else if constexpr (std::is_same_v<T, std::int16_t>)
    return Element::int16;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return Element::uint16;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return Element::uint8;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return Element::uint32;
  else {
    static_assert(std::is_same_v<T, std::uint64_t>, "no HDF5 element of this type");
    return Element::uint64;
  }
}

using Shape = std::vector<std::size_t>;
using Attribute = std::variant<double, std::string>;
using Attributes = std::map<std::string, Attribute>;

class File {
 public:
  static File open(const std::filesystem::path& file);  ///< for reading
  /// Replaces what is there. Give AsideFile's path; `shown` is the name for error messages, the path when empty.
  static File create(const std::filesystem::path& file, const std::filesystem::path& shown = {});
  ~File();
  File(File&&) noexcept;
  File& operator=(File&&) noexcept;

  bool has(const std::string& dataset) const;
  Shape shape(const std::string& dataset) const;  ///< empty for a scalar
  /// As stored; a big endian number is named as its little endian kin.
  Element element(const std::string& dataset) const;

  /// Converted to T: any integer or float to a real T, {r, i} of either precision to a complex T.
  template <class T>
  std::vector<T> read(const std::string& dataset) const {
    std::vector<T> values(readable_elements(dataset, element_of<T>()));
    read_bytes(dataset, element_of<T>(), whole, whole, std::as_writable_bytes(std::span(values)));
    return values;
  }
  /// Rows [first, first + count).
  template <class T>
  void read_rows(const std::string& dataset, std::size_t first, std::size_t count, std::span<T> values) const {
    read_bytes(dataset, element_of<T>(), first, count, std::as_writable_bytes(values));
  }

  /// The box of `extent` elements from `start`, one number per dimension, in C order; converted to `as`, whose bytes
  /// `to` has room for.
  void read_box(const std::string& dataset, Element as, const Shape& start, const Shape& extent,
                std::span<std::byte> to) const;
  void write_box(const std::string& dataset, Element as, const Shape& start, const Shape& extent,
                 std::span<const std::byte> from);
  /// InputError when the box lies outside of the dataset, or real and complex numbers would meet.
  void check_box(const std::string& dataset, Element as, const Shape& start, const Shape& extent) const;
  /// The number of elements; InputError also when the bytes stored cannot give them.
  std::size_t readable_elements(const std::string& dataset, Element as) const;

  /// In chunks of `chunk_rows` rows when not 0, else in one piece. Missing groups on the way are made.
  void create_dataset(const std::string& dataset, Element element, const Shape& shape, std::size_t chunk_rows = 0);
  template <class T>
  void write_rows(const std::string& dataset, std::size_t first, std::size_t count, std::span<const T> values) {
    write_bytes(dataset, element_of<T>(), first, count, std::as_bytes(values));
  }
  template <class T>
  void write(const std::string& dataset, const Shape& shape, std::span<const T> values) {
    create_dataset(dataset, element_of<T>(), shape);
    write_bytes(dataset, element_of<T>(), whole, whole, std::as_bytes(values));
  }

  /// One dimension of UTF-8 strings, stored at the length of the longest, as h5py reads them.
  void write_texts(const std::string& dataset, std::span<const std::string> texts);
  /// Of one dimension and of a fixed length.
  std::vector<std::string> read_texts(const std::string& dataset) const;

  /// Of a dataset, or of the file for "/". Attributes that are neither one number nor one string are left out.
  Attributes attributes(const std::string& object) const;
  void set_attribute(const std::string& object, const std::string& name, const Attribute& value);

  /// Flushes; InputError when that fails (the destructor cannot say so).
  void close();

 private:
  struct State;
  static constexpr std::size_t whole = SIZE_MAX;
  explicit File(std::unique_ptr<State> state);
  void read_bytes(const std::string& dataset, Element as, std::size_t first, std::size_t count,
                  std::span<std::byte> to) const;
  void write_bytes(const std::string& dataset, Element as, std::size_t first, std::size_t count,
                   std::span<const std::byte> from);
  std::unique_ptr<State> state_;
};

/// Does the file start as HDF5 does?
bool is_hdf5(const std::filesystem::path& file);

}  // namespace rtcg::hdf5
