#include "vision/prepared_filterbank.h"

#include "rtcg/array/raw_launch.h"
#include "rtcg/compile/compiler.h"

namespace rtcg::vision {

namespace {

const FilterbankKernel& variant_of(const Configuration& choice) {
  return filterbank_kernel(choice.word("kernel"));
}

}  // namespace

PreparedFilterbank::PreparedFilterbank(const Stream& stream, const FilterbankProblem& problem,
                                       const Configuration& choice, std::span<const float> bank)
    : PreparedFilterbank(stream, problem, choice,
                         Buffer::from(stream, variant_of(choice).arrange(problem, choice, bank))) {}

PreparedFilterbank::PreparedFilterbank(const Stream& stream, const FilterbankProblem& problem,
                                       const Configuration& choice, Buffer bank)
    : shape_(problem.shape),
      kernel_(
          compile(stream.device(), variant_of(choice).source(stream.device(), problem, choice)).kernel("filterbank")),
      grid_(variant_of(choice).grid(stream.device(), problem, choice)),
      bank_(std::move(bank)) {}

void PreparedFilterbank::operator()(const Stream& stream, const Buffer& images, std::size_t offset, const Buffer& bias,
                                    const Buffer& responses) const {
  raw_launch(kernel_, stream, grid_, images, static_cast<std::uint64_t>(offset), bank_, bias, responses,
             static_cast<int>(shape_.images), static_cast<int>(shape_.height), static_cast<int>(shape_.width));
}

}  // namespace rtcg::vision
