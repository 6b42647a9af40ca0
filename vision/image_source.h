// Where images come from: a folder of picture files or a stack in one .npy file, read one at a time by any number of
// threads. Every image arrives as float32 [y, x, channel]: integers of 8 and 16 bits as fractions of their largest
// value, real numbers as they are. What does not decode, has no pixels or holds a NaN or an infinity is an InputError
// that names the image.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vision/model_description.h"

namespace rtcg::vision {

struct HostImage {
  std::size_t height = 0, width = 0, channels = 0;
  std::vector<float> pixels;
};

class ImageSource {
 public:
  virtual ~ImageSource() = default;
  virtual std::size_t size() const = 0;
  /// "people/anna.png" within the folder, "faces.npy[12]".
  virtual std::string name(std::size_t index) const = 0;
  /// The folder within the source that the image lies in, "" for none: its label where folders are classes.
  virtual std::string folder(std::size_t index) const = 0;
  /// Made into the format that was asked for when the source was opened. Thread-safe.
  virtual HostImage read(std::size_t index) const = 0;
};

/// A folder, a picture file or a .npy file. InputError when there is no such thing or no image in it. Built without
/// OpenCV, pictures cannot be read and no image can be resized: UsageError.
std::unique_ptr<ImageSource> open_images(const std::filesystem::path& place, const InputFormat& format);

}  // namespace rtcg::vision
