#include "rtcg/array/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rtcg/array/kernel_table.h"
#include "rtcg/array/loop_body.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/array/sorting.h"
#include "rtcg/compile/template.h"
#include "rtcg_core_kernels.h"

namespace rtcg {
namespace {

using Words = std::array<std::uint32_t, 4>;

/// As kernels/philox.cl, for the keys of split().
Words philox(Words counter, std::uint64_t seed) {
  auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53} * counter[0], b = std::uint64_t{0xcd9e8d57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(a)};
    key0 += 0x9e3779b9, key1 += 0xbb67ae85;
  }
  return counter;
}

// Many groups, each of which goes on: an H200 fills at 4.2 TB/s so, and at 3.7 with a group for each four words an
// item.
constexpr unsigned gpu_group = 256, gpu_groups_per_unit = 64;

/// Largest value of the type below `high`.
double below(double high, Dtype type) {
  if (type == Dtype::f64) return std::nextafter(high, -std::numeric_limits<double>::infinity());
  const float rounded = static_cast<float>(high);
  const float least = -std::numeric_limits<float>::infinity();
  if (type == Dtype::f32) return rounded < high ? rounded : std::nextafter(rounded, least);
  // float16: 11 bits, exponents from -14.
  const int exponent = std::max(std::ilogb(high == 0 ? 1e-9 : high), -14) - 10;
  double unit = std::ldexp(1.0, exponent);
  double value = std::floor(high / unit) * unit;
  if (value >= high) {
    if (std::fabs(value) == std::ldexp(1024.0, exponent) && value > 0 && exponent > -24) unit /= 2;
    value -= unit;
  }
  return value;
}

double largest(Dtype type) {
  return type == Dtype::f16   ? 65504.0
         : type == Dtype::f32 ? double{std::numeric_limits<float>::max()}
                              : std::numeric_limits<double>::max();
}

void check_real(const char* action, Dtype type) {
  if (type != Dtype::f16 && type != Dtype::f32 && type != Dtype::f64)
    throw UsageError(fmt::format("Random::{}: float16, float32 or float64, not {}", action, dtype_name(type)));
}

struct IntegerRange {
  std::int64_t least;
  std::uint64_t most;
};
IntegerRange range_of(Dtype type) {
  const auto bits = static_cast<int>(8 * size_of(type));
  if (kind_of(type) == DtypeKind::unsigned_integer)
    return {0, std::numeric_limits<std::uint64_t>::max() >> (64 - bits)};
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() >> (65 - bits);
  return {-static_cast<std::int64_t>(most) - 1, most};
}

}  // namespace

struct RandomFill {
  const char* distribution;
  std::string element;
  int per_block = 4;
  bool wide = false;
  std::string parameters, arguments;
  std::vector<Scalar> values;  ///< of the parameters
};

Random Random::split(std::uint32_t k) const {
  const Words words = philox({k, subsequence_, 0xffffffff, 0xffffffff}, seed_);
  return Random(std::uint64_t{words[0]} << 32 | words[1]);
}

Array Random::fill(const Stream& stream, const Shape& shape, Dtype type, const RandomFill& fill) {
  Array result = Array::empty(stream, shape, type);
  if (result.size() == 0) return result;
  const auto count = static_cast<std::uint64_t>(result.size());
  const int element_bytes = static_cast<int>(size_of(type));
  const int blocks = std::max(1, 16 / (fill.per_block * element_bytes));
  const bool cpu = loop_shape(stream.device()) == LoopShape::cpu;
  const std::string key = fmt::format("{} {} {}{}", fill.distribution, dtype_name(type), fill.wide ? "wide " : "", cpu);
  const Kernel& kernel = cached_kernel(stream.device(), "random", key, [&] {
    const bool is_single = type == Dtype::f32 || type == Dtype::f16;
    Source source("random.cl", render(kernels::random_cl,
                                      {{"distribution", fill.distribution},
                                       {"element", fill.element},
                                       {"real", type == Dtype::f64 ? "double"
                                                : is_single        ? "float"
                                                                   : ""},
                                       {"half", type == Dtype::f16},
                                       {"per_block", fill.per_block},
                                       {"blocks", blocks},
                                       {"wide", fill.wide},
                                       {"cpu", cpu},
                                       {"group", gpu_group},
                                       {"parameters", fill.parameters},
                                       {"arguments", fill.arguments}},
                                      "random.cl"));
    return std::pair(with_philox(source), std::string("fill_random"));
  });

  const auto per_item = static_cast<std::uint64_t>(fill.per_block * blocks);
  const std::uint64_t items = (count - 1) / per_item + 1;
  ArgumentList arguments;
  arguments.buffer(result.buffer(), ScalarType::unknown);
  arguments.value(count), arguments.value(position_), arguments.value(items);
  for (const Scalar& value : fill.values) arguments.bytes(value.data(), size_of(value.dtype()), value.dtype());
  arguments.value(subsequence_);
  arguments.value(static_cast<std::uint32_t>(seed_)), arguments.value(static_cast<std::uint32_t>(seed_ >> 32));
  // Chunks of a few thousand elements at least, or starting them costs more than filling them.
  const std::uint64_t units = stream.device().properties().compute_units;
  const std::uint64_t groups = cpu ? std::clamp<std::uint64_t>(items / 1024, 1, 4 * units)
                                   : std::min((items - 1) / gpu_group + 1, gpu_groups_per_unit * units);
  kernel.launch(stream, Grid::of(groups, cpu ? 1 : gpu_group), arguments.arguments());
  position_ += (count - 1) / static_cast<std::uint64_t>(fill.per_block) + 1;
  return result;
}

namespace {

RandomFill real_fill(const char* distribution, Dtype type, double start, double scale, double limit) {
  const bool is_double = type == Dtype::f64;
  RandomFill fill;
  fill.distribution = distribution;
  fill.element = storage_name(type) == std::string("half") ? "ushort" : storage_name(type);
  fill.per_block = is_double ? 2 : 4;
  fill.parameters = is_double ? "double start, double scale, double limit" : "float start, float scale, float limit";
  fill.arguments = "start, scale, limit";
  const Dtype real = is_double ? Dtype::f64 : Dtype::f32;
  fill.values = {Scalar(start).as(real), Scalar(scale).as(real), Scalar(limit).as(real)};
  return fill;
}

}  // namespace

Array Random::uniform(const Stream& stream, const Shape& shape, Dtype type, double low, double high) {
  check_real("uniform", type);
  if (!(low < high) || !(std::fabs(low) <= largest(type)) || !(std::fabs(high) <= largest(type)) ||
      !(high - low <= largest(type)))
    throw UsageError(fmt::format("Random::uniform: [{}, {}) is no interval of {}", low, high, dtype_name(type)));
  const double limit = below(high, type);
  if (limit < low)
    throw UsageError(fmt::format("Random::uniform: no {} lies in [{}, {})", dtype_name(type), low, high));
  return fill(stream, shape, type, real_fill("uniform", type, low, high - low, limit));
}

Array Random::normal(const Stream& stream, const Shape& shape, Dtype type, double mean, double deviation) {
  check_real("normal", type);
  if (!std::isfinite(mean) || !std::isfinite(deviation) || deviation < 0)
    throw UsageError(
        fmt::format("Random::normal: mean {} and deviation {}; both must be finite, the deviation not "
                    "negative",
                    mean, deviation));
  return fill(stream, shape, type, real_fill("normal", type, mean, deviation, std::numeric_limits<double>::infinity()));
}

Array Random::integers(const Stream& stream, const Shape& shape, std::int64_t low, std::int64_t high, Dtype type) {
  if (!is_integer(type)) throw UsageError(fmt::format("Random::integers: an integer type, not {}", dtype_name(type)));
  const IntegerRange range = range_of(type);
  if (low >= high || low < range.least || (high > 0 && static_cast<std::uint64_t>(high - 1) > range.most))
    throw UsageError(fmt::format("Random::integers: [{}, {}) is no range of {}", low, high, dtype_name(type)));
  RandomFill fill;
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  fill.distribution = "integers";
  fill.element = storage_name(type);
  fill.wide = span > std::uint64_t{1} << 32;
  fill.per_block = fill.wide ? 2 : 4;
  fill.parameters = "ulong range, ulong threshold, ulong start";
  fill.arguments = "range, threshold, start";
  const std::uint64_t threshold = fill.wide ? (0 - span) % span : (std::uint64_t{1} << 32) % span;
  fill.values = {span, threshold, static_cast<std::uint64_t>(low)};
  return this->fill(stream, shape, type, fill);
}

Array Random::bits(const Stream& stream, const Shape& shape, Dtype type) {
  if (type != Dtype::u32 && type != Dtype::u64)
    throw UsageError(fmt::format("Random::bits: uint32 or uint64, not {}", dtype_name(type)));
  if (type == Dtype::u32) return integers(stream, shape, 0, std::int64_t{1} << 32, type);
  RandomFill fill;
  fill.distribution = "integers";
  fill.element = storage_name(type);
  fill.wide = true;
  fill.per_block = 2;
  fill.parameters = "ulong range, ulong threshold, ulong start";
  fill.arguments = "range, threshold, start";
  // A range of 2^64 is written 0.
  fill.values = {std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0}};
  return this->fill(stream, shape, type, fill);
}

Array Random::bernoulli(const Stream& stream, const Shape& shape, double probability) {
  if (!(probability >= 0 && probability <= 1))
    throw UsageError(fmt::format("Random::bernoulli: a probability from 0 to 1, not {}", probability));
  RandomFill fill;
  fill.distribution = "bernoulli";
  fill.element = storage_name(Dtype::boolean);
  fill.parameters = "ulong below";
  fill.arguments = "below";
  fill.values = {static_cast<std::uint64_t>(std::llround(std::ldexp(probability, 32)))};
  return this->fill(stream, shape, Dtype::boolean, fill);
}

Array Random::permutation(const Stream& stream, std::int64_t n) {
  if (n < 0) throw UsageError(fmt::format("Random::permutation: of {} numbers", n));
  return argsort(bits(stream, {n}, Dtype::u64)).evaluate(stream);
}

Source& with_philox(Source& source) {
  return source.header("philox.cl", std::string(kernels::philox_cl));
}

}  // namespace rtcg
