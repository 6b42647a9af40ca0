// Arrays in HDF5 files, whole datasets or boxes of them (rtcg/io/hdf5.h has the files, and what of them is not
// trusted). Complex numbers are compounds {r, i}, booleans and halves are what h5py writes. Data passes through
// page-locked memory in pieces of whole rows, so that no copy of the array is made on the host.
#pragma once

#include "rtcg/array/array.h"
#include "rtcg/io/hdf5.h"

namespace rtcg {

/// `extent` elements from `start`, one number per dimension of the dataset.
struct Box {
  Shape start, extent;
};

/// As the type stored, or converted by the library to `type`. InputError as for hdf5::File, and for boxes outside of
/// the dataset.
Array read_hdf5(const Stream& stream, const hdf5::File& file, const std::string& dataset,
                const std::optional<Box>& box = {}, Dtype type = Dtype::unknown);

/// Creates the dataset; in chunks of `chunk_rows` rows when not 0.
void write_hdf5(hdf5::File& file, const std::string& dataset, const Array& array, std::size_t chunk_rows = 0);
/// Into a box, of the array's shape, of a dataset that exists.
void write_hdf5(hdf5::File& file, const std::string& dataset, const Shape& start, const Array& array);

/// A file with this one dataset, written aside and renamed.
void write_hdf5(const std::filesystem::path& file, const std::string& dataset, const Array& array);
Array read_hdf5(const Stream& stream, const std::filesystem::path& file, const std::string& dataset);

hdf5::Element hdf5_element(Dtype type);
Dtype dtype_of(hdf5::Element element);

}  // namespace rtcg
