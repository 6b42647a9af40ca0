#include "vision/image_operator.h"

#include <cmath>

#include <fmt/format.h>

#include "rtcg/array/manipulation.h"

namespace rtcg::vision {

namespace {

std::vector<std::int64_t> nearest_places(std::int64_t from, std::size_t to) {
  std::vector<std::int64_t> places(to, 0);
  for (std::size_t k = 1; k < to; ++k)
    places[k] = std::llrint(static_cast<double>(k) * static_cast<double>(from - 1) / static_cast<double>(to - 1));
  return places;
}

}  // namespace

Array image_stack(std::string_view name, const Array& images, std::size_t height, std::size_t width, Border border) {
  if (images.dimensions() != 4 || is_complex(images.dtype()) || images.size() == 0)
    throw UsageError(fmt::format("{}: images are real numbers [image, y, x, channel]; given {} {}", name,
                                 dtype_name(images.dtype()), to_string(images.shape())));
  const auto window_height = static_cast<std::int64_t>(height), window_width = static_cast<std::int64_t>(width);
  const std::int64_t rows = images.extent(1), columns = images.extent(2);
  if (border == Border::valid && (window_height > rows || window_width > columns))
    throw UsageError(
        fmt::format("{}: a window of {} x {} does not fit into images of {} x {}", name, height, width, rows, columns));
  const Array singles = (images.dtype() == Dtype::f32 ? images : images.astype(Dtype::f32)).contiguous();
  if (border == Border::valid) return singles;
  const std::int64_t top = (window_height - 1) / 2, left = (window_width - 1) / 2;
  return pad(singles, {{}, {top, window_height - 1 - top}, {left, window_width - 1 - left}, {}});
}

Array resample(const Array& images, std::size_t height, std::size_t width) {
  if (images.dimensions() != 4 || height == 0 || width == 0)
    throw UsageError(fmt::format("resample: images [image, y, x, channel] become {} x {}; given {}", height, width,
                                 to_string(images.shape())));
  const Stream& stream = images.stream();
  const Array rows = Array::from(stream, nearest_places(images.extent(1), height));
  const Array columns = Array::from(stream, nearest_places(images.extent(2), width));
  return take(Array(take(images, rows, 1)), columns, 2);
}

}  // namespace rtcg::vision
