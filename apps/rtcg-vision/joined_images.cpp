#include "apps/rtcg-vision/joined_images.h"

#include <algorithm>

namespace rtcg::app {

JoinedImages::JoinedImages(const std::vector<std::string>& places, const vision::InputFormat& format) {
  std::size_t end = 0;
  for (const std::string& place : places) {
    sources_.push_back(vision::open_images(place, format));
    ends_.push_back(end += sources_.back()->size());
  }
}

const vision::ImageSource& JoinedImages::source(std::size_t& index) const {
  const auto which = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
  if (which > 0) index -= ends_.at(which - 1);
  return *sources_.at(which);
}

}  // namespace rtcg::app
