// Picture files, and images made into another size, by OpenCV.
#pragma once

#include "vision/image_source.h"

namespace rtcg::vision {

/// The pictures below a folder, by their endings, in the order of their paths; or one picture file.
class ImageFolder : public ImageSource {
 public:
  /// InputError when there is none. UsageError when built without OpenCV.
  ImageFolder(std::filesystem::path folder, const InputFormat& format);

  std::size_t size() const override { return files_.size(); }
  std::string name(std::size_t index) const override { return files_.at(index).generic_string(); }
  std::string folder(std::size_t index) const override { return files_.at(index).parent_path().generic_string(); }
  HostImage read(std::size_t index) const override;

 private:
  std::filesystem::path folder_;
  InputFormat format_;
  std::vector<std::filesystem::path> files_;  ///< within the folder
};

/// Grey from colour and colour from grey, then resized: by area means where it shrinks, linearly where it grows. The
/// image itself where nothing is to be done. InputError with `name` for numbers of channels other than 1, 3 and 4 (the
/// fourth is dropped).
HostImage formatted(HostImage image, const InputFormat& format, const std::string& name);

/// InputError that names the image where a value is not finite.
void check_finite(const HostImage& image, const std::string& name);

}  // namespace rtcg::vision
