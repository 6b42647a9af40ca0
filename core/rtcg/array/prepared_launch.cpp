#include "rtcg/array/prepared_launch.h"

#include <algorithm>

namespace rtcg {

namespace {

constexpr Handle widest_access = 16;

}  // namespace

PreparedLaunch::PreparedLaunch(const LoopBody& body, const Kernel& kernel, const Grid& grid,
                               const ArgumentList& arguments, const Array& target)
    : kernel_(&kernel),
      grid_(grid),
      arguments_(arguments.arguments().begin(), arguments.arguments().end()),
      inputs_(body.inputs()),
      stream_(target.stream().native()),
      memory_(target.buffer().native()),
      is_aliased_(body.is_aliased()),
      is_aligned_(memory_ % widest_access == 0),
      type_(target.dtype()),
      shape_(target.shape()),
      strides_(target.strides()),
      offset_(target.offset()) {
  std::size_t bytes = 0;
  for (const Argument& argument : arguments_)
    if (argument.type.space == ArgumentSpace::value) bytes += (argument.type.bytes + 15u) / 16 * 16;
  storage_.resize(bytes);
  std::byte* at = storage_.data();
  for (std::size_t k = 0; k < arguments_.size(); ++k) {
    Argument& argument = arguments_[k];
    if (argument.type.space != ArgumentSpace::value) {
      output_ = k;  // the last buffer
      continue;
    }
    std::memcpy(at, argument.data, argument.type.bytes);
    argument.data = at;
    at += (argument.type.bytes + 15u) / 16 * 16;
  }
}

bool PreparedLaunch::reads(const Buffer& memory) const {
  return std::any_of(inputs_.begin(), inputs_.end(), [&](const Buffer& input) { return input.overlaps(memory); });
}

bool PreparedLaunch::serves(const Array& target) const {
  const Handle memory = target.buffer().native();
  return target.stream().native() == stream_ && target.dtype() == type_ && target.offset() == offset_ &&
         target.shape() == shape_ && target.strides() == strides_ &&
         (is_aliased_ ? memory == memory_ : !reads(target.buffer()) && (memory % widest_access == 0) == is_aligned_);
}

void PreparedLaunch::operator()(const Array& target) const {
  std::array<Argument, Kernel::most_arguments> arguments;
  std::copy(arguments_.begin(), arguments_.end(), arguments.begin());
  arguments[output_].data = target.buffer().argument();
  kernel_->launch(target.stream(), grid_, std::span(arguments.data(), arguments_.size()));
}

}  // namespace rtcg
