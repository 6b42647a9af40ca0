// Images of a source in their order, read ahead by several threads, so that decoding overlaps with what is done with
// them.
#pragma once

#include <memory>

#include "vision/image_source.h"

namespace rtcg::vision {

class ImageReader {
 public:
  /// About `ahead` images are held, two runs of small ones a thread at least. 0 threads: one a core. Reads the first
  /// image at once; throws what that throws.
  ImageReader(const ImageSource& source, std::size_t ahead, unsigned threads = 0);
  /// Waits for the images being read.
  ~ImageReader();

  /// The next image, waiting for it; rethrows what reading it threw. To be called source.size() times at most.
  HostImage take();
  double waited() const;  ///< seconds in take()

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rtcg::vision
