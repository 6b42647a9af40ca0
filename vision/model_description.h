// Models of the visual cortex as data: layers of filters, clipping, pooling, normalisation and resampling, in this
// order within a layer and each of them optional. Read from TOML and written back to it:
//
//   name = "fg11"
//   [input]                                    # what images are made into; all optional
//   height = 200                               # with width: exactly this size; or longest_edge = 150
//   width = 200
//   channels = 1                               # 1 is grey (the default), 3 is colour
//   [[layers]]
//   normalise = { size = 9, stretch = 10, threshold = 1 }        # size, or height and width; remove_mean, epsilon,
//   border
//   [[layers]]
//   filter = { count = 64, size = 3, source = "uniform", seed = 42 }     # stride, border, flip
//   clip = { min = 0 }                         # min, max; "none" is no bound
//   pool = { size = 7, order = 1, stride = 2 } # border
//   normalise = { size = 5, stretch = 0.1, threshold = 1 }
//   resample = { height = 30, width = 30 }
//
// Sources of filters: "uniform" with a seed, a text of gabor.h, or "FILE.h5" with a dataset /bank [filter, y, x,
// channel], found beside the model's file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vision/normalise.h"
#include "vision/pool.h"

namespace rtcg::vision {

struct FilterStage {
  std::size_t count = 0, height = 0, width = 0;
  std::string source = "uniform";
  std::uint32_t seed = 42;  ///< of "uniform"
  std::size_t stride = 1;
  Border border = Border::valid;
  bool flip = false;  ///< convolve instead of correlate
  bool operator==(const FilterStage&) const = default;
};

struct Clip {
  std::optional<double> min, max;
  bool operator==(const Clip&) const = default;
};

struct Resampling {
  std::size_t height = 0, width = 0;
  bool operator==(const Resampling&) const = default;
};

struct Layer {
  std::optional<FilterStage> filter;
  std::optional<Clip> clip;
  std::optional<Pooling> pool;
  std::optional<Normalisation> normalise;
  std::optional<Resampling> resample;
  bool operator==(const Layer&) const = default;
};

/// What images are made into before the first layer; 0: as they are.
struct InputFormat {
  std::size_t height = 0, width = 0, longest_edge = 0;
  std::size_t channels = 1;
  bool operator==(const InputFormat&) const = default;
};

struct ModelDescription {
  std::string name;
  InputFormat input;
  std::vector<Layer> layers;
  bool operator==(const ModelDescription&) const = default;
};

/// InputError naming file and line for what is not TOML, keys there are none of (with the nearest there is) and values
/// that make no sense.
ModelDescription read_model(const std::filesystem::path& file);
/// `name` is shown in messages; files of filters are looked for in `directory`.
ModelDescription parse_model(std::string_view text, const std::string& name = "model",
                             const std::filesystem::path& directory = {});
/// TOML that parse_model reads back to the same description.
std::string to_toml(const ModelDescription& model);

}  // namespace rtcg::vision
