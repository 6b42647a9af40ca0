// How an image is cut into tiles as a tunable family, "backprojection": pixels of an item and a tile, groups that share
// a multiprocessor, vector lanes of a CPU.
#pragma once

#include <optional>

#include "radar/tile_plan.h"
#include "rtcg/tune/registry.h"

namespace rtcg::radar {

/// plan_tiles() with what is known of images of this size on the device; scenes with heights keep the rule's tiles.
TilePlan plan_tuned_tiles(const Device& device, const Collection& collection, const ImageGrid& grid,
                          const ImagingOptions& options, std::size_t nfft);

void add_tunables(TunableRegistry& registry);

}  // namespace rtcg::radar
