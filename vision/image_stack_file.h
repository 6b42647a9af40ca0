// A stack of images in one .npy file, [image, y, x] or [image, y, x, channel], read image by image.
#pragma once

#include "rtcg/array/interchange/npy.h"
#include "vision/image_source.h"

namespace rtcg::vision {

class ImageStackFile : public ImageSource {
 public:
  /// InputError for other shapes, types other than bool, uint8, uint16, float32 and float64, big endian numbers,
  /// Fortran order and a file of another length.
  ImageStackFile(std::filesystem::path file, const InputFormat& format);
  ~ImageStackFile() override;
  ImageStackFile(const ImageStackFile&) = delete;
  ImageStackFile& operator=(const ImageStackFile&) = delete;

  std::size_t size() const override { return static_cast<std::size_t>(header_.shape[0]); }
  std::string name(std::size_t index) const override;
  std::string folder(std::size_t) const override { return {}; }
  HostImage read(std::size_t index) const override;

 private:
  std::filesystem::path file_;
  InputFormat format_;
  NpyHeader header_;
  std::size_t height_ = 0, width_ = 0, channels_ = 1;
  int descriptor_ = -1;
};

}  // namespace rtcg::vision
