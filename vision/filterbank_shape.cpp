#include "vision/filterbank_shape.h"

#include <array>
#include <charconv>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "rtcg/error.h"

namespace rtcg::vision {

namespace {

constexpr std::array<std::string_view, 5> border_names{"valid", "zero", "reflect", "replicate", "wrap"};

std::size_t output_extent(std::size_t extent, std::size_t filter, std::size_t stride, Border border) {
  const std::size_t padded = border == Border::valid ? extent : extent + filter - 1;
  return padded < filter ? 0 : 1 + (padded - filter) / stride;
}

/// "axbxc": as many positive whole numbers as `extents` has.
void parse_extents(std::string_view text, std::string_view meaning, std::span<std::size_t* const> extents) {
  const char *at = text.data(), *const end = at + text.size();
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const auto [next, error] = std::from_chars(at, end, *extents[k]);
    const bool last = k + 1 == extents.size();
    if (error != std::errc{} || *extents[k] == 0 || (last ? next != end : next == end || *next != 'x'))
      throw UsageError(fmt::format("\"{}\" is not {}", text, meaning));
    at = last ? next : next + 1;
  }
}

}  // namespace

std::string_view name_of(Border border) {
  return border_names.at(static_cast<std::size_t>(border));
}

Border parse_border(std::string_view name) {
  for (std::size_t k = 0; k < border_names.size(); ++k)
    if (border_names[k] == name) return static_cast<Border>(k);
  throw UsageError(fmt::format("no border is called \"{}\"; there are {}", name, fmt::join(border_names, ", ")));
}

std::size_t FilterbankShape::output_height() const {
  return output_extent(height, filter_height, stride_y, border);
}

std::size_t FilterbankShape::output_width() const {
  return output_extent(width, filter_width, stride_x, border);
}

double FilterbankShape::flops() const {
  return 2.0 * static_cast<double>(outputs()) * static_cast<double>(filter_height * filter_width * channels);
}

std::string FilterbankShape::text() const {
  return fmt::format("{} x {} x {} x {} by {} x {} x {} x {}", images, height, width, channels, filters, filter_height,
                     filter_width, channels);
}

void FilterbankShape::check() const {
  for (const std::size_t extent :
       {images, height, width, channels, filters, filter_height, filter_width, stride_y, stride_x})
    if (extent == 0)
      throw UsageError(fmt::format("filterbank of {}: every extent and stride must be positive", text()));
  if (border == Border::valid && (filter_height > height || filter_width > width))
    throw UsageError(
        fmt::format("filters of {} x {} do not fit into images of {} x {} with border \"valid\"; use a "
                    "smaller filter or another border",
                    filter_height, filter_width, height, width));
  // The longer side of the extension is f / 2; reflect leaves out the edge itself.
  const auto reachable = [&](std::size_t filter, std::size_t extent) {
    return filter / 2 <= (border == Border::reflect ? extent - 1 : extent);
  };
  if ((border == Border::reflect || border == Border::wrap) &&
      !(reachable(filter_height, height) && reachable(filter_width, width)))
    throw UsageError(
        fmt::format("filters of {} x {} reach farther than images of {} x {} can be extended with border "
                    "\"{}\"; use \"zero\" or \"replicate\"",
                    filter_height, filter_width, height, width, name_of(border)));
  const std::size_t most = std::numeric_limits<std::int64_t>::max() / sizeof(float);
  std::size_t product = 0;
  const auto fits = [&](std::initializer_list<std::size_t> extents) {
    product = 1;
    for (const std::size_t extent : extents)
      if (__builtin_mul_overflow(product, extent, &product) || product > most) return false;
    return true;
  };
  if (!fits({images, height, width, channels}) || !fits({filters, filter_height, filter_width, channels}) ||
      height > most - filter_height || width > most - filter_width ||
      !fits({images, output_height(), output_width(), filters}))
    throw UsageError(fmt::format("filterbank of {}: more elements than memory can be addressed", text()));
}

FilterbankShape parse_shape(std::string_view input, std::string_view bank) {
  FilterbankShape shape;
  std::size_t channels = 0;
  parse_extents(input, "HEIGHTxWIDTHxCHANNELS, such as 256x256x8",
                std::array{&shape.height, &shape.width, &shape.channels});
  parse_extents(bank, "FILTERSxHEIGHTxWIDTHxCHANNELS, such as 64x9x9x8",
                std::array{&shape.filters, &shape.filter_height, &shape.filter_width, &channels});
  if (channels != shape.channels)
    throw UsageError(fmt::format("images \"{}\" have {} channels but filters \"{}\" have {}; they must agree", input,
                                 shape.channels, bank, channels));
  return shape;
}

}  // namespace rtcg::vision
