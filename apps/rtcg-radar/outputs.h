// An image as people look at it: a picture in dB below its peak, and fields for ParaView.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/common/outputs.h"
#include "apps/common/picture.h"
#include "radar/geometry.h"
#include "radar/image.h"

namespace rtcg::app {

/// As check_outputs of apps/common/outputs.h; of a CPHD input with a channel after it, the file counts.
void check_radar_outputs(const std::vector<Output>& outputs, std::vector<std::filesystem::path> inputs);

struct Peak {
  double magnitude = 0;
  radar::Vec3 position = radar::Vec3::Zero();
};
Peak peak_of(const radar::Image& image);

struct PictureStyle {
  double range_db = 50;
  ColourMap colours = ColourMap::grey;
};
/// A volume is shown as its largest values along z.
void write_picture(const std::filesystem::path& file, const radar::Image& image, const PictureStyle& style,
                   const std::string& title);

/// Fields magnitude_dB (below the peak, -200 at least), magnitude, real and imaginary; with a terrain also height, by
/// which ParaView's "Warp By Scalar" raises the plane.
void write_vti(const std::filesystem::path& file, const radar::Image& image);

nlohmann::ordered_json to_json(const radar::Vec3& vector);
nlohmann::ordered_json to_json(const radar::Geometry& geometry);
nlohmann::ordered_json to_json(const radar::ImageGrid& grid);

}  // namespace rtcg::app
