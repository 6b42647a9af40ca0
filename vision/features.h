// Features of many images: read and decoded by host threads, uploaded, run through a model in batches of equal size and
// brought back, each step while the others work on the batches before and after.
#pragma once

#include <functional>

#include "vision/image_source.h"
#include "vision/model.h"

namespace rtcg::vision {

struct FeatureOptions {
  std::size_t batch = 0;  ///< images a launch; 0: Model::batch
  unsigned threads = 0;   ///< that read images; 0: one a core
  std::function<void(std::size_t done)> progress;
};

/// Where the time went.
struct FeatureReport {
  std::size_t images = 0;
  std::size_t height = 0, width = 0, channels = 0;  ///< of the features of an image
  double seconds = 0;                               ///< from the first image to the last feature
  double waited_seconds = 0;                        ///< of these, the host's for images
  double written_seconds = 0;                       ///< of these, the host's for taking features away
  double device_seconds = 0;                        ///< the device's, with the models' operators
};

/// To HDF5, written aside and renamed: /features [image, y, x, feature] with the model's TOML as attribute, /files the
/// images' names. InputError that names the image for bad ones, for those too small for the model and for those whose
/// features are of another shape than the first's.
FeatureReport write_features(const Model& model, const ImageSource& images, const std::filesystem::path& file,
                             const FeatureOptions& options = {});

/// On the device: [image, feature], the features of each image in a row.
Array extract_features(const Model& model, const ImageSource& images, const FeatureOptions& options = {},
                       FeatureReport* report = nullptr);
/// Of images [image, y, x, channel] that are on the device already.
Array extract_features(const Model& model, const Array& images, std::size_t batch = 0);

/// All images as one float32 array [image, y, x, channel]. InputError that names the first of another size.
Array load_images(const Stream& stream, const ImageSource& images, unsigned threads = 0);

}  // namespace rtcg::vision
