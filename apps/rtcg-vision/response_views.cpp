#include "apps/rtcg-vision/response_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/common/montage.h"
#include "apps/common/vti.h"

namespace rtcg::app {

void ResponseSample::take(const std::vector<float>& responses, std::size_t count, std::size_t wanted) {
  const std::size_t taken = std::min(count, wanted - std::min(wanted, images)), each = height * width * filters;
  values.insert(values.end(), responses.begin(), responses.begin() + static_cast<std::ptrdiff_t>(taken * each));
  images += taken;
}

std::vector<float> ResponseSample::planes(std::size_t image) const {
  const std::size_t pixels = height * width;
  std::vector<float> found(pixels * filters);
  for (std::size_t p = 0; p < pixels; ++p)
    for (std::size_t n = 0; n < filters; ++n) found[n * pixels + p] = values[(image * pixels + p) * filters + n];
  return found;
}

void write_response_picture(const std::filesystem::path& file, const Array& bank, const ResponseSample& sample,
                            const std::string& name) {
  const auto size = [&](int dimension) { return static_cast<std::size_t>(bank.extent(dimension)); };
  const std::size_t channels = size(3), pixels = size(1) * size(2);
  const std::vector<float> weights = bank.to_vector<float>();
  Montage::Block filters{fmt::format("{} filters of {} x {}{}", size(0), size(1), size(2),
                                     channels > 1 ? fmt::format(", {} channels each", channels) : ""),
                         size(0) * channels,
                         size(1),
                         size(2),
                         std::vector<float>(weights.size()),
                         true};
  for (std::size_t n = 0; n < size(0); ++n)
    for (std::size_t p = 0; p < pixels; ++p)
      for (std::size_t c = 0; c < channels; ++c)
        filters.values[(n * channels + c) * pixels + p] = weights[(n * pixels + p) * channels + c];
  Montage::Block responses{fmt::format("responses of {} x {}", sample.height, sample.width),
                           sample.filters,
                           sample.height,
                           sample.width,
                           sample.planes(0),
                           false};
  responses.is_signed = std::any_of(responses.values.begin(), responses.values.end(), [](float v) { return v < 0; });
  write_montage(file, {.title = name, .blocks = {std::move(filters), std::move(responses)}});
}

void write_response_stack(const std::filesystem::path& file, const ResponseSample& sample,
                          const vision::ImageSource& images) {
  VtiImage stack{.points = {sample.width, sample.height, sample.filters}, .fields = {}};
  for (std::size_t k = 0; k < sample.images; ++k) {
    std::vector<float> values = sample.planes(k);
    for (std::size_t n = 0; n < sample.filters; ++n)
      for (std::size_t y = 0; y < sample.height / 2; ++y) {
        const auto row = [&](std::size_t at) {
          return values.begin() + static_cast<std::ptrdiff_t>((n * sample.height + at) * sample.width);
        };
        std::swap_ranges(row(y), row(y) + static_cast<std::ptrdiff_t>(sample.width), row(sample.height - 1 - y));
      }
    stack.fields.push_back({images.name(k), std::move(values)});
  }
  write_vti(file, stack);
}

}  // namespace rtcg::app
