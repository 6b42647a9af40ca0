#include "vision/filterbank_trial.h"

#include <algorithm>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "vision/prepared_filterbank.h"

namespace rtcg::vision {

namespace {

/// The image extended as the border says: [y, x, channel].
struct Extended {
  std::size_t height, width;
  std::vector<std::int16_t> values;
};

std::ptrdiff_t source_of(std::ptrdiff_t at, std::ptrdiff_t extent, Border border) {
  if (at >= 0 && at < extent) return at;
  switch (border) {
    case Border::reflect:
      return at < 0 ? -at : 2 * (extent - 1) - at;
    case Border::replicate:
      return std::clamp<std::ptrdiff_t>(at, 0, extent - 1);
    case Border::wrap:
      return (at + extent) % extent;
    default:
      return -1;
  }
}

Extended extend(const FilterbankShape& shape, std::span<const std::int16_t> image) {
  const bool extends = shape.border != Border::valid;
  Extended result{
      shape.height + (extends ? shape.filter_height - 1 : 0), shape.width + (extends ? shape.filter_width - 1 : 0), {}};
  result.values.resize(result.height * result.width * shape.channels);
  const auto top = static_cast<std::ptrdiff_t>(extends ? (shape.filter_height - 1) / 2 : 0);
  const auto left = static_cast<std::ptrdiff_t>(extends ? (shape.filter_width - 1) / 2 : 0);
  for (std::size_t y = 0; y < result.height; ++y)
    for (std::size_t x = 0; x < result.width; ++x) {
      const auto from_y =
          source_of(static_cast<std::ptrdiff_t>(y) - top, static_cast<std::ptrdiff_t>(shape.height), shape.border);
      const auto from_x =
          source_of(static_cast<std::ptrdiff_t>(x) - left, static_cast<std::ptrdiff_t>(shape.width), shape.border);
      if (from_y < 0 || from_x < 0) continue;
      const std::size_t from =
          (static_cast<std::size_t>(from_y) * shape.width + static_cast<std::size_t>(from_x)) * shape.channels;
      std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(from), shape.channels,
                  result.values.begin() + static_cast<std::ptrdiff_t>((y * result.width + x) * shape.channels));
    }
  return result;
}

/// Two factors of 16 bits to a 32-bit sum is what compilers turn into one instruction for eight of them; a row of a
/// filter is short enough for it.
std::int64_t dot(const std::int16_t* a, const std::int16_t* b, std::size_t count) {
  std::int64_t total = 0;
  for (std::size_t first = 0; first < count; first += 128) {
    std::int32_t sum = 0;
    const std::size_t last = std::min(first + 128, count);
    for (std::size_t k = first; k < last; ++k) sum += std::int32_t{a[k]} * std::int32_t{b[k]};
    total += sum;
  }
  return total;
}

}  // namespace

FilterbankTestData filterbank_test_data(const FilterbankShape& shape, Precision allow) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> small(-4, 4), large(1024, 2047);
  FilterbankTestData data;
  data.bank.resize(shape.filters * shape.filter_height * shape.filter_width * shape.channels);
  for (std::int16_t& weight : data.bank) weight = static_cast<std::int16_t>(small(random));
  const std::size_t image = shape.height * shape.width * shape.channels;
  data.images.resize(shape.images * image);
  for (std::size_t k = 0; k < data.images.size(); ++k) {
    if (k >= 3 * image) {
      data.images[k] = data.images[k - 3 * image];
      continue;
    }
    const std::size_t c = k % shape.channels, x = k / shape.channels % shape.width;
    const std::size_t y = k / (shape.channels * shape.width) % shape.height;
    const bool wide =
        allow == Precision::exact && c == 0 && x % shape.filter_width == 0 && y % shape.filter_height == 0;
    data.images[k] = static_cast<std::int16_t>(wide ? 2 * large(random) + 1 : small(random));
  }
  return data;
}

std::vector<std::int64_t> filterbank_in_integers(const FilterbankShape& shape, std::span<const std::int16_t> images,
                                                 std::span<const std::int16_t> bank) {
  const std::size_t rows = shape.output_height(), columns = shape.output_width();
  const std::size_t run = shape.filter_width * shape.channels, image = shape.height * shape.width * shape.channels;
  std::vector<std::int64_t> responses(shape.outputs());
  for (std::size_t b = 0; b < shape.images; ++b) {
    const Extended extended = extend(shape, images.subspan(b * image, image));
    const auto compute = [&](std::size_t first, std::size_t last) {
      for (std::size_t y = first; y < last; ++y)
        for (std::size_t x = 0; x < columns; ++x)
          for (std::size_t n = 0; n < shape.filters; ++n) {
            std::int64_t sum = 0;
            for (std::size_t j = 0; j < shape.filter_height; ++j)
              sum += dot(
                  &extended.values[((y * shape.stride_y + j) * extended.width + x * shape.stride_x) * shape.channels],
                  &bank[(n * shape.filter_height + j) * run], run);
            responses[((b * rows + y) * columns + x) * shape.filters + n] = sum;
          }
    };
    const std::size_t workers = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, rows);
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < workers; ++k)
      threads.emplace_back(compute, rows * k / workers, rows * (k + 1) / workers);
  }
  return responses;
}

FilterbankTrial::FilterbankTrial(const Stream& stream, FilterbankProblem problem)
    : stream_(stream),
      problem_(std::move(problem)),
      data_(filterbank_test_data(problem_.shape, problem_.allow)),
      bank_(data_.bank.begin(), data_.bank.end()),
      images_(Buffer::from(stream, std::vector<float>(data_.images.begin(), data_.images.end()))),
      bias_(Buffer::from(stream, std::vector<float>(1))),
      responses_(stream, "responses", problem_.shape.outputs() * sizeof(float), ScalarType::f32) {}

std::function<void()> FilterbankTrial::prepare(const Configuration& configuration) {
  return [this, prepared = PreparedFilterbank(stream_, problem_, configuration, bank_)] {
    prepared(stream_, images_, 0, bias_, responses_.buffer());
  };
}

void FilterbankTrial::check() {
  const FilterbankShape& shape = problem_.shape;
  if (expected_.empty()) {
    FilterbankShape part = shape;
    part.images = std::min(shape.images, period);
    const std::vector<std::int64_t> sums = filterbank_in_integers(
        part, std::span(data_.images).first(part.images * shape.height * shape.width * shape.channels), data_.bank);
    expected_.assign(sums.begin(), sums.end());
  }
  const std::vector<float> responses = responses_.buffer().read<float>();
  for (std::size_t k = 0; k < responses.size(); ++k) {
    const float expected = expected_[k % expected_.size()];
    if (responses[k] == expected) continue;
    const std::size_t rest = k / shape.filters, columns = shape.output_width(), rows = shape.output_height();
    throw NumericalError(fmt::format("response [{}, {}, {}, {}] (image, y, x, filter) is {}, not {}",
                                     rest / columns / rows, rest / columns % rows, rest % columns, k % shape.filters,
                                     responses[k], expected));
  }
}

}  // namespace rtcg::vision
