// Responses as people look at them: a picture of filters and responses, and a stack for ParaView.
#pragma once

#include <filesystem>
#include <vector>

#include "rtcg/array/array.h"
#include "vision/image_source.h"

namespace rtcg::app {

/// The responses of the first images [image, y, x, filter].
struct ResponseSample {
  static constexpr std::size_t most_images = 16;
  std::size_t images = 0, height = 0, width = 0, filters = 0;
  std::vector<float> values;

  /// Of the next images' responses what is missing of the first `wanted` images.
  void take(const std::vector<float>& responses, std::size_t count, std::size_t wanted);
  /// [filter][y][x] of one image.
  std::vector<float> planes(std::size_t image) const;
};

/// The filters, each channel a tile, and the first image's responses.
void write_response_picture(const std::filesystem::path& file, const Array& bank, const ResponseSample& sample,
                            const std::string& name);
/// Points x, y (upwards, so that pictures stand upright) and filter; a field for each image.
void write_response_stack(const std::filesystem::path& file, const ResponseSample& sample,
                          const vision::ImageSource& images);

}  // namespace rtcg::app
