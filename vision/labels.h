// The class of each image, from a file, from the folders that the images lie in, or from a text such as 100x0,100x1.
#pragma once

#include <string>
#include <vector>

#include "rtcg/device/stream.h"
#include "vision/image_source.h"

namespace rtcg::vision {

struct Labels {
  std::vector<std::size_t> classes;  ///< of each image, a place in `names`
  std::vector<std::string> names;    ///< numbers in their order, then words in theirs
};

/// `text` is one of
///   folders         the folder of each image within the source
///   100x0,100x1     counts and labels, in the order of the images
///   FILE.npy        one integer for each image
///   FILE            lines of one label each in the order of the images, or of "image,label" in any order, where an
///                   image goes by its name in the source or its file's name alone; empty lines and what follows # do
///                   not count, nor does a first line "image,label" or "file,label"
/// InputError naming text or file and line for what cannot be read, and where there are not as many labels as images.
/// UsageError where all images have one label.
Labels read_labels(const Stream& stream, const std::string& text, const ImageSource& images);

}  // namespace rtcg::vision
