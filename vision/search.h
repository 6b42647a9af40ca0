// Random search for models of the visual cortex: each trial draws a model from a space, computes its features of all
// images and says how well a linear classifier tells the images apart by them. While the device computes the features
// of one model, host threads classify by those of the models before it. Trial k of a seed is the same model on every
// machine.
//
// The output directory holds
//   trials.jsonl     one line a trial; a search that was killed goes on from it
//   best-1.toml ...  the best models, each with its accuracy in a comment; read_model reads them
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vision/cross_validation.h"
#include "vision/labels.h"
#include "vision/model.h"
#include "vision/model_space.h"

namespace rtcg::vision {

struct TrialResult {
  std::size_t trial = 0;
  std::uint64_t seed = 0;  ///< for ModelSpace::sample with the images' size
  std::string model;       ///< TOML
  CrossValidation validation;
  std::size_t features = 0;                            ///< of an image
  double feature_seconds = 0, classifier_seconds = 0;  ///< of the host waiting for the device; of one host thread
  std::string failure;                                 ///< why there is no accuracy; empty when it worked

  bool works() const { return failure.empty(); }
};

struct SearchOptions {
  std::size_t trials = 100;
  std::uint64_t seed = 1;
  CrossValidationOptions validation = {};
  std::size_t keep = 5;   ///< best models that are written
  std::size_t batch = 0;  ///< images a launch; 0: Model::batch
  unsigned threads = 0;   ///< that classify; 0: one a core
  std::function<void(std::size_t done, const TrialResult& latest)> progress = {};
};

struct SearchReport {
  std::vector<TrialResult> trials;   ///< by their numbers
  std::vector<std::size_t> ranking;  ///< of those that work, the best first; of equal accuracy the earlier
  std::size_t resumed = 0, failed = 0;
  double seconds = 0, feature_seconds = 0;  ///< of the trials that were run
  double images_per_second = 0;             ///< through models and classifiers; 0 when all trials were known
};

/// `images` is [image, y, x, channel]. Makes the directory. UsageError when no model of the space fits the images or as
/// check_folds, InputError when the directory is another search's or cannot be written. A trial that fails is recorded
/// with its reason.
SearchReport search_models(const Stream& stream, const ModelSpace& space, const Array& images, const Labels& labels,
                           const std::filesystem::path& directory, const SearchOptions& options = {});

}  // namespace rtcg::vision
