// Complex images as HDF5: /image {r, i} [z,]y,x, the axes /x, /y, /z in metres, /heights [y][x] where the plane has
// them, and the parameters of the processing as attributes of /image (docs/radar-files.md has the table).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <variant>

#include "radar/image.h"

namespace rtcg::radar {

using Parameters = std::map<std::string, std::variant<double, std::string>>;

enum class ImageElement { single, full };  ///< pairs of floats or of doubles

/// Writes aside and renames. InputError when the file cannot be written.
void write_image(const std::filesystem::path& file, const Image& image, const Parameters& parameters = {},
                 ImageElement element = ImageElement::single);

struct StoredImage {
  Image image;
  Parameters parameters;
};
/// InputError for missing datasets, axes that do not fit or are not evenly spaced, and values that are not finite.
StoredImage read_image(const std::filesystem::path& file);

}  // namespace rtcg::radar
