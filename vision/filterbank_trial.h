// How a variant of the filterbank is tried: on integers for which fp32 is exact in any order of summation, so that
// every response must equal, bit by bit, the sum that the host computes in integers.
#pragma once

#include <cstdint>

#include "rtcg/tune/trial.h"
#include "vision/filterbank_kernel.h"

namespace rtcg::vision {

/// Images [image, y, x, channel] and bank [filter, y, x, channel] of small integers. With `allow` at exact some pixels
/// are integers that TF32 and half cannot hold, so that a variant which rounds is found out; there are so few of them
/// that every partial sum stays below 2^24 where filters have less than 2^19 weights. Images repeat after three.
struct FilterbankTestData {
  std::vector<std::int16_t> images, bank;
};
FilterbankTestData filterbank_test_data(const FilterbankShape& shape, Precision allow);

/// Responses [image, y, x, filter] in integers, on all cores.
std::vector<std::int64_t> filterbank_in_integers(const FilterbankShape& shape, std::span<const std::int16_t> images,
                                                 std::span<const std::int16_t> bank);

class FilterbankTrial final : public Trial {
 public:
  FilterbankTrial(const Stream& stream, FilterbankProblem problem);

  std::function<void()> prepare(const Configuration& configuration) override;
  std::vector<const GuardedOutput*> outputs() const override { return {&responses_}; }
  void check() override;

 private:
  static constexpr std::size_t period = 3;  ///< images that differ

  Stream stream_;
  FilterbankProblem problem_;
  FilterbankTestData data_;
  std::vector<float> bank_;
  Buffer images_, bias_;
  GuardedOutput responses_;
  std::vector<float> expected_;  ///< of the first `period` images, computed when asked for first
};

}  // namespace rtcg::vision
