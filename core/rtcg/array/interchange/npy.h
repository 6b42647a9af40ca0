// NumPy's .npy files, format versions 1 to 3, in C and Fortran order and either byte order. Data goes between file and
// device in pieces through page-locked memory; no copy of the whole array is made on the host. Files are not trusted:
// every header that is not exactly as documented is an InputError of one line naming the file and the place.
// Format: numpy.org/neps/nep-0001-npy-format.html
#pragma once

#include <filesystem>
#include <string_view>

#include "rtcg/array/array.h"

namespace rtcg {

struct NpyHeader {
  Dtype type = Dtype::unknown;
  bool is_big_endian = false;
  bool is_fortran_order = false;
  Shape shape;
  std::size_t data_offset = 0;  ///< bytes from the start of the file
};

/// `start`: the first bytes of the file, the whole header among them; `name` is shown in errors. InputError.
NpyHeader parse_npy_header(std::string_view start, const std::string& name);

/// An array in Fortran order arrives as a view with reversed strides. InputError also when the file is shorter or
/// longer than its header says.
Array read_npy(const Stream& stream, const std::filesystem::path& file);

/// Version 1, little endian, Fortran order when that is how the array lies in memory. Written aside and renamed.
void write_npy(const std::filesystem::path& file, const Array& array);

}  // namespace rtcg
