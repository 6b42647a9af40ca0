// Two-dimensional NumPy arrays (.npy 1.0 to 3.0) of float32, float64 or int16 of either byte order.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace rtcg::radar {

struct NpyArray {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  ///< [row][column]
};

/// InputError for another format, type, order or number of dimensions, and for a truncated file.
NpyArray read_npy(const std::filesystem::path& file);

}  // namespace rtcg::radar
