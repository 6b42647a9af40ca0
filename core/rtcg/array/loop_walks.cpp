// How a LoopBody walks over its operands: elements of an item, places in memory, divisions made ready.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "rtcg/array/loop_body.h"
#include "rtcg/array/loop_shape.h"

namespace rtcg {

void LoopBody::decide_lanes(const Device& device, unsigned cpu_lanes) {
  cpu_ = loop_shape(device) == LoopShape::cpu;
  if (cpu_) {
    lanes_ = cpu_lanes;
    return;
  }
  std::size_t widest = 1;
  for (const Operand& operand : operands_)
    if (operand.role != Role::index) widest = std::max(widest, size_of(operand.type));
  if (operands_.empty()) widest = 4;
  lanes_ = run_lanes(widest);
}

void LoopBody::decide_walk(Operand& operand, bool is_cuda) {
  const std::size_t size = size_of(operand.type);
  const std::size_t access = std::min<std::size_t>(16, lanes_ * size);
  const auto multiple = [&](std::int64_t elements) {
    return static_cast<std::uint64_t>(elements) * size % access == 0;
  };
  bool all_zero = true, is_linear = true;
  std::int64_t expected = 1;
  for (int d = extents_.size() - 1; d >= 0; --d) {
    all_zero = all_zero && operand.strides[d] == 0;
    is_linear = is_linear && operand.strides[d] == expected;
    expected *= extents_[d];
  }
  const bool base = !cpu_ && operand.array != nullptr && multiple(operand.offset) &&
                    (!is_cuda || operand.array->buffer.native() % 16 == 0);
  if (operand.role == Role::source || (all_zero && operand.role != Role::output)) {
    operand.walk = Walk::uniform;
  } else if (is_linear) {
    operand.walk = Walk::linear;
    operand.is_aligned = base;
  } else if (extents_.empty()) {
    operand.walk = Walk::linear;  // one element
  } else {
    const std::int64_t last = operand.strides.back();
    operand.walk = last == 1 ? Walk::rows : last == 0 ? Walk::repeated : Walk::general;
    operand.is_aligned = base && last == 1 && whole_rows_;
    for (int d = 0; d + 1 < operand.strides.size(); ++d)
      operand.is_aligned = operand.is_aligned && multiple(operand.strides[d]);
  }
}

void LoopBody::decide_walks(const Device& device) {
  if (!fits_) return;
  const bool is_cuda = device.properties().backend == Backend::cuda;
  whole_rows_ = extents_.size() > 1 && extents_.back() % lanes_ == 0;
  std::int64_t reach = count_;
  if (extents_.size() > 1)
    for (const std::int64_t extent : extents_) walk_.push_back(extent);
  for (Operand& operand : operands_) {
    decide_walk(operand, is_cuda);
    std::int64_t low = operand.offset, high = operand.offset + operand.source_size;
    for (int d = 0; d < operand.strides.size(); ++d)
      (operand.strides[d] < 0 ? low : high) += operand.strides[d] * (extents_[d] - 1);
    reach = std::max({reach, high, -low});
    const bool has_strides = operand.walk >= Walk::rows;
    if (operand.offset == 0 && !has_strides && operand.role != Role::source) continue;
    operand.word = static_cast<int>(walk_.size());
    walk_.push_back(operand.offset);
    if (operand.role == Role::source)
      walk_.push_back(operand.source_size);
    else if (has_strides)
      for (const std::int64_t stride : operand.strides) walk_.push_back(stride);
  }
  wide_ = reach > std::numeric_limits<std::int32_t>::max() - 4096;
  fits_ = walk_.size() * (wide_ ? 8 : 4) <= most_walk_bytes;
  if (!wide_ && extents_.size() > 1 && count_ > 0) add_divisors();
  if (!wide_)
    for (const std::int64_t word : walk_) walk_narrow_.push_back(static_cast<std::int32_t>(word));
}

void LoopBody::decide_down(const Device& device) {
  const int dims = extents_.size();
  // Items below fewer groups than fill the device would only wait longer.
  if (cpu_ || wide_ || !fits_ || output_count_ == 0 || dims < 2 || extents_[dims - 1] < 64 || extents_[dims - 2] < 16 ||
      count_ < std::int64_t{8192} * device.properties().compute_units || prefers_runs())
    return;
  std::size_t widest = 1;
  for (const Operand& a : operands_) {
    widest = std::max(widest, size_of(a.type));
    for (const Operand& b : operands_)
      walks_down_ = walks_down_ || (a.role == Role::input && b.role == Role::input && a.walk >= Walk::rows &&
                                    a.array->buffer.native() == b.array->buffer.native() && a.strides == b.strides &&
                                    a.strides[dims - 2] != 0 && b.offset - a.offset >= std::abs(a.strides[dims - 2]));
  }
  if (walks_down_) lanes_ = widest <= 4 ? 8 : 4;
}

std::size_t LoopBody::items() const {
  const auto rows = static_cast<std::size_t>(extents_[extents_.size() - 2]);
  return static_cast<std::size_t>(count_) / rows * ((rows + lanes_ - 1) / lanes_);
}

/// i / d == (i * factor >> 32) >> shift for all i < 2^31, with 2^shift < d <= 2^(shift + 1) and factor just over
/// 2^(32 + shift) / d: exact because the error, below i / 2^(32 + shift), is below 1 / d. Left out where words are
/// short.
void LoopBody::add_divisors() {
  const auto words = static_cast<std::size_t>(2 * (extents_.size() - 1));
  if ((walk_.size() + words) * 4 > most_walk_bytes) return;
  divisors_ = static_cast<int>(walk_.size());
  for (int d = 1; d < extents_.size(); ++d) {
    const auto extent = static_cast<std::uint64_t>(extents_[d]);
    const int shift = std::bit_width(extent - 1) - 1;
    walk_.push_back(
        static_cast<std::int32_t>(static_cast<std::uint32_t>((std::uint64_t{1} << (32 + shift)) / extent + 1)));
    walk_.push_back(shift);
  }
}

bool LoopBody::prefers_runs() const {
  // Functions may loop, and neighbours loop alike.
  for (const Linear& linear : nodes_)
    if (linear.node->op == Op::call) return false;
  return std::all_of(operands_.begin(), operands_.end(), [](const Operand& operand) {
    return operand.role == Role::index || operand.walk < Walk::rows || operand.is_aligned;
  });
}

}  // namespace rtcg
