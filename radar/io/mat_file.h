// MATLAB 5 files as far as phase history needs them: one scalar struct of numeric arrays and nested scalar structs.
//
// The whole element tree is checked before matio sees it (mat_structure.h), so no array is allocated that the bytes
// present do not fill. Every failure is an InputError naming the file and the field.
#pragma once

#include <complex>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace rtcg::radar {

class MatFile {
 public:
  explicit MatFile(const std::filesystem::path& file);
  ~MatFile();
  MatFile(MatFile&&) noexcept;

  struct Shape {
    std::size_t rows = 0, columns = 0;
  };
  /// `path` is "struct.field" or "struct.field.field".
  bool has(const std::string& path) const;
  Shape shape(const std::string& path) const;
  std::vector<double> reals(const std::string& path) const;  ///< single or double, real; column by column
  std::vector<std::complex<float>> complexes(
      const std::string& path) const;  ///< single or double, complex; column by column

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Does this build read MATLAB files?
bool mat_files_supported();

}  // namespace rtcg::radar
