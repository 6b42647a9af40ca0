// MATLAB 5 files as far as phase history needs them: one scalar struct of numeric arrays and nested scalar structs.
//
// The whole element tree is checked against the file's size before matio reads it, and no array is allocated that the
// bytes present could not fill. Every failure is an InputError naming the file and the field.
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
  std::vector<double> reals(const std::string& path) const;                  ///< single or double, real; column by column
  std::vector<std::complex<float>> complexes(const std::string& path) const;  ///< single or double, complex; column by column

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// InputError unless `file` is a MATLAB 5 file whose elements nest within one another and within the file.
void check_mat_structure(const std::filesystem::path& file);

}  // namespace rtcg::radar
