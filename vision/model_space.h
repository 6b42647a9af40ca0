// Spaces of models for a random search: a model's TOML in which any value may be a list to choose from, and `depth`, a
// number or a list, says how many of the layers are used. Each value is drawn on its own with equal chances.
#pragma once

#include <memory>

#include "vision/model_description.h"

namespace rtcg::vision {

class ModelSpace {
 public:
  /// InputError as read_model: every value of every list must make a sound model.
  static ModelSpace read(const std::filesystem::path& file);
  static ModelSpace parse(std::string_view text, const std::string& name = "space",
                          const std::filesystem::path& directory = {});

  const InputFormat& input() const;
  /// How many models there are; a double because there are many.
  double size() const;
  /// Equal for spaces with the same samples: their TOML with keys in order and without comments.
  std::string text() const;
  /// The same for the same seed, on every machine. Named after the space and the seed.
  ModelDescription sample(std::uint64_t seed) const;
  /// The first sample of the seed's sequence that leaves features of images of this size. UsageError when none of many
  /// does.
  ModelDescription sample(std::uint64_t seed, std::size_t height, std::size_t width) const;

 private:
  struct State;
  explicit ModelSpace(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace rtcg::vision
