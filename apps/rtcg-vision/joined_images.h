// Several folders, pictures and stacks one after the other, as the command line names them.
#pragma once

#include "vision/image_source.h"

namespace rtcg::app {

class JoinedImages : public vision::ImageSource {
 public:
  /// As vision::open_images for each.
  JoinedImages(const std::vector<std::string>& places, const vision::InputFormat& format);

  std::size_t size() const override { return ends_.back(); }
  std::string name(std::size_t index) const override { return source(index).name(index); }
  std::string folder(std::size_t index) const override { return source(index).folder(index); }
  vision::HostImage read(std::size_t index) const override { return source(index).read(index); }

 private:
  /// The source that has the image; the index becomes its own.
  const vision::ImageSource& source(std::size_t& index) const;

  std::vector<std::unique_ptr<vision::ImageSource>> sources_;
  std::vector<std::size_t> ends_;
};

}  // namespace rtcg::app
