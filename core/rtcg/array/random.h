// Random numbers from a counter: Philox 4x32-10, whose n-th number is a function of seed, subsequence and n alone.
// Every device, launch shape and back end gives the same stream: integers, booleans and uniform numbers bit for bit,
// normal ones to the rounding of log, sqrt, sinpi and cospi. Calls of one Random never overlap; a copy repeats what its
// original will give. One Random serves one thread at a time; give others a split() of it.
#pragma once

#include "rtcg/array/array.h"
#include "rtcg/compile/source.h"

namespace rtcg {

class Random {
 public:
  /// Different subsequences of one seed never overlap, for parallel use.
  explicit Random(std::uint64_t seed, std::uint32_t subsequence = 0) : seed_(seed), subsequence_(subsequence) {}

  std::uint64_t seed() const { return seed_; }
  /// Blocks of 128 bits drawn so far: the start of the next call.
  std::uint64_t position() const { return position_; }
  /// Goes on from block `position`, to repeat or to skip.
  void seek(std::uint64_t position) { position_ = position; }
  /// An independent generator, the same for the same seed, subsequence and k; this one does not advance.
  Random split(std::uint32_t k) const;

  /// Uniform in [low, high), float16, float32 or float64, in steps of 2^-11, 2^-24 or 2^-53 of high - low.
  Array uniform(const Stream& stream, const Shape& shape, Dtype type = Dtype::f32, double low = 0, double high = 1);
  /// Normal (Box-Muller), float16, float32 or float64. float32 numbers stay within 6.8 deviations, float64 within 8.6.
  Array normal(const Stream& stream, const Shape& shape, Dtype type = Dtype::f32, double mean = 0,
               double deviation = 1);
  /// Without bias from low, low + 1 ... high - 1, both within the range of the integer type.
  Array integers(const Stream& stream, const Shape& shape, std::int64_t low, std::int64_t high,
                 Dtype type = Dtype::i64);
  /// The words of the generator: uint32 or uint64.
  Array bits(const Stream& stream, const Shape& shape, Dtype type = Dtype::u32);
  /// bool, true with this probability to 2^-32; never for 0, always for 1.
  Array bernoulli(const Stream& stream, const Shape& shape, double probability);
  /// 0 ... n - 1, int64, in any order with equal chances (but for two of the 64-bit keys it sorts being equal).
  Array permutation(const Stream& stream, std::int64_t n);

 private:
  Array fill(const Stream& stream, const Shape& shape, Dtype type, const struct RandomFill& fill);

  std::uint64_t seed_ = 0, position_ = 0;
  std::uint32_t subsequence_ = 0;
};

/// Makes #include "philox.cl" known to a kernel of one's own: uint4 philox4x32_10(uint4 counter, uint key0, uint key1).
Source& with_philox(Source& source);

}  // namespace rtcg
