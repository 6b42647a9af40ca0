// VTK's XML files with appended, compressed data, written without VTK so that every build has them. Arrays are made one
// at a time when their turn comes, so that a file needs no more memory than its largest array; blocks are compressed by
// zlib on all cores. The file is written aside and renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rtcg::dgfem {

/// What VTK calls the type of T.
template <class T>
constexpr const char* vtk_type() {
  if constexpr (std::is_same_v<T, float>)
    return "Float32";
  else if constexpr (std::is_same_v<T, double>)
    return "Float64";
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return "Int32";
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return "Int64";
  else {
    static_assert(std::is_same_v<T, std::uint8_t>, "no VTK type of this name");
    return "UInt8";
  }
}

class VtkArray {
 public:
  using Sink = std::function<void(std::span<const std::byte>)>;

  /// `make` returns a contiguous container of T, [tuple][component].
  template <class T, class Make>
  static VtkArray of(std::string name, int components, Make make) {
    return VtkArray(std::move(name), vtk_type<T>(), components, [make = std::move(make)](const Sink& sink) {
      const auto values = make();
      sink(std::as_bytes(std::span<const T>(values)));
    });
  }

  /// An array of strings that belongs to the whole grid.
  static VtkArray of_texts(std::string name, std::vector<std::string> texts);

  /// The array's element, up to its offset.
  std::string element() const;
  void give(const Sink& sink) const { give_(sink); }

 private:
  VtkArray(std::string name, const char* type, int components, std::function<void(const Sink&)> give)
      : name_(std::move(name)), type_(type), components_(components), give_(std::move(give)) {}
  std::string name_;
  const char* type_;
  int components_;
  std::size_t texts_ = 0;  // of an array of strings, which has no components
  std::function<void(const Sink&)> give_;
};

struct VtkSection {
  std::string element;  ///< "Points", "Cells", "PointData", "CellData"
  std::vector<VtkArray> arrays;
};

struct VtkFile {
  std::string grid;             ///< "UnstructuredGrid", "ImageData"
  std::string version;          ///< "2.2" for Lagrange cells as VTK 9.1 numbers them
  std::string grid_attributes;  ///< "WholeExtent=..." or nothing
  std::string piece_attributes;
  std::optional<double> time;
  std::vector<VtkArray> texts;  ///< of_texts()
  std::vector<VtkSection> sections;
};

/// InputError when the file cannot be written whole; an older one is then still there.
void write_vtk(const std::filesystem::path& file, const VtkFile& content);

}  // namespace rtcg::dgfem
