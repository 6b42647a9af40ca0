// One variant of the filterbank ready to run: compiled, its grid, and the bank in the order it reads.
#pragma once

#include "rtcg/compile/kernel.h"
#include "vision/filterbank_kernel.h"

namespace rtcg::vision {

class PreparedFilterbank {
 public:
  /// `bank` is [filter, y, x, channel]. Throws CompileError.
  PreparedFilterbank(const Stream& stream, const FilterbankProblem& problem, const Configuration& choice,
                     std::span<const float> bank);
  /// With a bank that a variant of the same configuration holds already.
  PreparedFilterbank(const Stream& stream, const FilterbankProblem& problem, const Configuration& choice, Buffer bank);

  /// Queues one execution. `bias` must be a buffer even where the epilogue has none.
  void operator()(const Stream& stream, const Buffer& images, std::size_t offset, const Buffer& bias,
                  const Buffer& responses) const;
  const Buffer& bank() const { return bank_; }
  const Kernel& kernel() const { return kernel_; }

 private:
  FilterbankShape shape_;
  Kernel kernel_;
  Grid grid_;
  Buffer bank_;
};

}  // namespace rtcg::vision
