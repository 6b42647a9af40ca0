#include "rtcg/array/fft.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "rtcg/array/fft_chain.h"
#include "rtcg/array/fft_plan.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

constexpr std::size_t longest_direct = std::size_t{1} << 27, longest_convolved = std::size_t{1} << 26;

struct Range {
  std::int64_t first = 0, last = 0;
};

/// The elements that rows touch. UsageError when some are not in the buffer.
Range range_of(const char* side, const FftRows& rows, std::size_t length, std::size_t outer, std::size_t inner,
               std::size_t element_bytes) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  Range range{rows.offset, rows.offset};
  bool overflows = false;
  const auto extend = [&](std::size_t count, std::int64_t step) {
    std::int64_t distance = 0, *const end = step < 0 ? &range.first : &range.last;
    overflows = overflows || count > static_cast<std::size_t>(most) ||
                __builtin_mul_overflow(static_cast<std::int64_t>(count) - 1, step, &distance) ||
                __builtin_add_overflow(*end, distance, end);
  };
  extend(length, rows.step), extend(outer, rows.outer), extend(inner, rows.inner);
  const auto there = static_cast<std::int64_t>(rows.buffer.bytes() / element_bytes);
  if (overflows || range.first < 0 || range.last >= there)
    throw UsageError(fmt::format(
        "transform: {} rows of {} elements, step {}, reach {}; its buffer has elements 0 to {}", side, length,
        rows.step, overflows ? "past all memory" : fmt::format("from element {} to {}", range.first, range.last),
        there - 1));
  return range;
}

bool same_rows(const FftRows& a, const FftRows& b) {
  return a.offset == b.offset && a.step == b.step && a.outer == b.outer && a.inner == b.inner;
}

}  // namespace

struct Fft::Plan {
  FftShape shape;
  Stream tables;  ///< owns the factors
  std::mutex mutex;
  std::map<detail::FftLayout, detail::FftChain> chains;  ///< by mutex, as the rest
  std::vector<Stream> users;

  Plan(const Device& device, const FftShape& wanted) : shape(wanted), tables(device) {}
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    // Transforms may still be queued that read the factors.
    try {
      for (const Stream& user : users) tables.wait(user.record());
    } catch (const Error&) {  // a device that is lost reads nothing more
    }
  }

  const detail::FftChain& chain(const Stream& user, const detail::FftLayout& layout) {
    const std::lock_guard lock(mutex);
    if (std::find(users.begin(), users.end(), user) == users.end()) users.push_back(user);
    const auto found = chains.find(layout);
    return found != chains.end() ? found->second
                                 : chains.emplace(layout, detail::FftChain(tables, shape, layout)).first->second;
  }
};

bool Fft::is_direct(std::size_t length) {
  return detail::is_smooth(length);
}

Fft::Fft(const Device& device, const FftShape& shape) {
  const std::size_t most = is_direct(shape.length) ? longest_direct : longest_convolved;
  if (shape.length == 0 || shape.length > most)
    throw UsageError(fmt::format("transform length {} is not between 1 and {}", shape.length, most));
  if (shape.kind == FftKind::real_to_complex && shape.direction != FftDirection::forward)
    throw UsageError("a transform from real to complex is a forward one");
  if (shape.kind == FftKind::complex_to_real && shape.direction != FftDirection::inverse)
    throw UsageError("a transform from complex to real is an inverse one");
  if (shape.double_precision && !device.properties().has_double)
    throw DeviceError(fmt::format("{} has no double precision", device.properties().name));
  plan_ = std::make_shared<Plan>(device, shape);
}

const FftShape& Fft::shape() const {
  return plan_->shape;
}
std::size_t Fft::input_length() const {
  return shape().kind == FftKind::complex_to_real ? shape().length / 2 + 1 : shape().length;
}
std::size_t Fft::output_length() const {
  return shape().kind == FftKind::real_to_complex ? shape().length / 2 + 1 : shape().length;
}

void Fft::operator()(const Stream& stream, const Buffer& input, const Buffer& output, std::size_t batch,
                     double scale) const {
  const auto rows = [](const Buffer& buffer, std::size_t length) {
    return FftRows{buffer, 0, 1, static_cast<std::int64_t>(length), 0};
  };
  (*this)(stream, rows(input, input_length()), rows(output, output_length()), batch, 1, scale);
}

void Fft::operator()(const Stream& stream, const FftRows& input, const FftRows& output, std::size_t outer,
                     std::size_t inner, double scale) const {
  if (outer == 0 || inner == 0) return;
  const std::size_t real = shape().double_precision ? sizeof(double) : sizeof(float);
  const bool is_complex = shape().kind == FftKind::complex;
  const std::size_t in_bytes = shape().kind == FftKind::real_to_complex ? real : 2 * real;
  const std::size_t out_bytes = shape().kind == FftKind::complex_to_real ? real : 2 * real;
  const Range from = range_of("input", input, input_length(), outer, inner, in_bytes);
  const Range to = range_of("output", output, output_length(), outer, inner, out_bytes);
  if (input.buffer.native() == output.buffer.native() && !(is_complex && same_rows(input, output))) {
    const auto bytes = [](std::int64_t element, std::size_t size) { return element * static_cast<std::int64_t>(size); };
    if (bytes(from.first, in_bytes) < bytes(to.last + 1, out_bytes) &&
        bytes(to.first, out_bytes) < bytes(from.last + 1, in_bytes))
      throw UsageError(
          "transform: input and output overlap in one buffer; only complex rows may be replaced, each by its own");
  }
  // Inner rows are those that lie closest; a single outer or inner row is no dimension at all.
  FftRows in = input, out = output;
  if (inner > 1 && outer > 1 && std::abs(out.outer) < std::abs(out.inner)) {
    std::swap(in.outer, in.inner), std::swap(out.outer, out.inner), std::swap(outer, inner);
  }
  const auto mergeable = [&](const FftRows& rows) {
    return rows.outer == static_cast<std::int64_t>(inner) * rows.inner;
  };
  if (inner > 1 && (outer == 1 || (mergeable(in) && mergeable(out)))) {
    // One dimension of rows: outer where the elements are neighbours, inner where the rows are.
    in.outer = in.inner, out.outer = out.inner;
    outer *= inner, inner = 1;
  }
  detail::FftLayout layout;
  const auto is_near = [&](const FftRows& rows) {
    const std::int64_t between = inner > 1 ? rows.inner : rows.outer;
    return outer * inner > 1 && between != 0 && std::abs(between) < std::abs(rows.step);
  };
  layout.in_unit = in.step == 1, layout.out_unit = out.step == 1;
  layout.in_near = is_near(in), layout.out_near = is_near(out);
  if (inner == 1 && (layout.in_near || layout.out_near)) {
    in.inner = in.outer, out.inner = out.outer;
    in.outer = out.outer = 0;
    std::swap(outer, inner);
  }
  layout.has_inner = inner > 1;
  layout.wide = static_cast<double>(outer) * static_cast<double>(inner) * static_cast<double>(shape().length) >= 0x1p31;
  // The loops of a CPU use vectors that CUDA has no words for.
  const Device& device = plan_->tables.device();
  layout.loops = device.properties().backend == Backend::cuda ? LoopShape::gpu : loop_shape(device);
  plan_->chain(stream, layout)(stream, in, out, outer, inner, scale);
}

}  // namespace rtcg
