#include "rtcg/array/interchange/hdf5.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtcg/io/aside_file.h"

namespace rtcg {
namespace {

constexpr std::size_t piece_bytes = std::size_t{8} << 20;

constexpr std::pair<Dtype, hdf5::Element> elements[] = {
    {Dtype::boolean, hdf5::Element::boolean}, {Dtype::i8, hdf5::Element::int8},
    {Dtype::u8, hdf5::Element::uint8},        {Dtype::i16, hdf5::Element::int16},
    {Dtype::u16, hdf5::Element::uint16},      {Dtype::i32, hdf5::Element::int32},
    {Dtype::u32, hdf5::Element::uint32},      {Dtype::i64, hdf5::Element::int64},
    {Dtype::u64, hdf5::Element::uint64},      {Dtype::f16, hdf5::Element::float16},
    {Dtype::f32, hdf5::Element::float32},     {Dtype::f64, hdf5::Element::float64},
    {Dtype::c64, hdf5::Element::complex64},   {Dtype::c128, hdf5::Element::complex128}};

hdf5::Shape sizes(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

/// Calls piece(start, extent, elements before, elements) for boxes of whole rows, each of about piece_bytes.
template <class F>
void for_each_piece(const Shape& start, const Shape& extent, std::size_t element_bytes, const F& piece) {
  const std::int64_t count = element_count(extent);
  if (count == 0) return;
  if (extent.empty()) return piece(hdf5::Shape{}, hdf5::Shape{}, std::size_t{0}, std::size_t{1});
  const std::int64_t row = count / extent[0];
  const auto rows = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(piece_bytes / (static_cast<std::size_t>(row) * element_bytes)));
  for (std::int64_t first = 0; first < extent[0]; first += rows) {
    hdf5::Shape from = sizes(start), size = sizes(extent);
    from[0] += static_cast<std::size_t>(first);
    size[0] = static_cast<std::size_t>(std::min(rows, extent[0] - first));
    piece(from, size, static_cast<std::size_t>(first * row), size[0] * static_cast<std::size_t>(row));
  }
}

/// Room for the largest piece.
std::size_t room_for(const Shape& extent, std::size_t element_bytes) {
  std::size_t most = 0;
  for_each_piece(extent, extent, element_bytes,
                 [&](const auto&, const auto&, std::size_t, std::size_t count) { most = std::max(most, count); });
  return most * element_bytes;
}

void write_box(hdf5::File& file, const std::string& dataset, const Shape& start, const Array& array) {
  const Array packed = array.contiguous();
  const std::size_t bytes = size_of(array.dtype());
  const HostBuffer memory(array.device(), room_for(array.shape(), bytes));
  const auto origin = static_cast<std::size_t>(packed.offset());
  for_each_piece(start, array.shape(), bytes,
                 [&](const hdf5::Shape& from, const hdf5::Shape& size, std::size_t before, std::size_t count) {
                   packed.buffer().read(memory.data(), count * bytes, (origin + before) * bytes);
                   file.write_box(dataset, hdf5_element(array.dtype()), from, size,
                                  {static_cast<const std::byte*>(memory.data()), count * bytes});
                 });
}

}  // namespace

hdf5::Element hdf5_element(Dtype type) {
  for (const auto& [dtype, element] : elements)
    if (dtype == type) return element;
  throw UsageError("HDF5: the element type is unknown");
}

Dtype dtype_of(hdf5::Element element) {
  for (const auto& [dtype, known] : elements)
    if (known == element) return dtype;
  throw UsageError("HDF5: the element is unknown");
}

Array read_hdf5(const Stream& stream, const hdf5::File& file, const std::string& dataset, const std::optional<Box>& box,
                Dtype type) {
  if (type == Dtype::unknown) type = dtype_of(file.element(dataset));
  Shape start, extent;
  for (const std::size_t size : file.shape(dataset)) {
    start.push_back(0);
    extent.push_back(static_cast<std::int64_t>(size));
  }
  if (box) {
    start = box->start, extent = box->extent;
    element_count(start);  // no negative numbers
  }
  // No memory is taken for what the file cannot give.
  const std::size_t bytes = size_of(type);
  file.readable_elements(dataset, hdf5_element(type));
  file.check_box(dataset, hdf5_element(type), sizes(start), sizes(extent));
  const Array array = Array::empty(stream, extent, type);
  const HostBuffer memory(stream.device(), room_for(extent, bytes));
  for_each_piece(
      start, extent, bytes,
      [&](const hdf5::Shape& from, const hdf5::Shape& size, std::size_t before, std::size_t count) {
        file.read_box(dataset, hdf5_element(type), from, size, {static_cast<std::byte*>(memory.data()), count * bytes});
        array.buffer().write(memory.data(), count * bytes, before * bytes);
      });
  return array;
}

void write_hdf5(hdf5::File& file, const std::string& dataset, const Array& array, std::size_t chunk_rows) {
  file.create_dataset(dataset, hdf5_element(array.dtype()), sizes(array.shape()), chunk_rows);
  write_box(file, dataset, Dims::filled(array.dimensions(), 0), array);
}

void write_hdf5(hdf5::File& file, const std::string& dataset, const Shape& start, const Array& array) {
  element_count(start);  // no negative numbers
  file.check_box(dataset, hdf5_element(array.dtype()), sizes(start), sizes(array.shape()));
  write_box(file, dataset, start, array);
}

void write_hdf5(const std::filesystem::path& path, const std::string& dataset, const Array& array) {
  AsideFile aside(path);
  hdf5::File file = hdf5::File::create(aside.path(), path);
  write_hdf5(file, dataset, array);
  file.close();
  aside.commit();
}

Array read_hdf5(const Stream& stream, const std::filesystem::path& path, const std::string& dataset) {
  return read_hdf5(stream, hdf5::File::open(path), dataset);
}

}  // namespace rtcg
