#include "apps/rtcg-bench/data.h"

#include <algorithm>
#include <bit>

#include "rtcg/compile/compiler.h"

namespace rtcg::bench {

namespace {

// Each word is a strong hash of its index (Wellons' lowbias32 constants), so no state and no order is needed.
constexpr const char* random_text = R"(
kernel void random(global RESULT* out, uint seed, ulong count) {
  const ulong stride = get_global_size(0);
  for (ulong i = get_global_id(0); i < count; i += stride) {
    uint x = (uint)i * 0x9e3779b1u + (uint)(i >> 32) + seed * 0x85ebca6bu;
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    x ^= x >> 16;
    out[i] = VALUE;
  }
}
)";

void fill_words(const Stream& stream, const Buffer& out, std::size_t words, unsigned seed, const char* type,
                const char* value) {
  const Kernel kernel =
      compile(stream.device(), Source("random.cl", random_text).define("RESULT", type).define("VALUE", value))
          .kernel("random");
  kernel(stream, Grid::over(std::min<std::size_t>(words, std::size_t{1} << 20)), out, seed, std::uint64_t{words});
}

}  // namespace

Buffer random_floats(const Stream& stream, std::size_t count, unsigned seed) {
  Buffer out = Buffer::of<float>(stream, count);
  fill_words(stream, out, count, seed, "float", "(float)(int)x * 4.656612873077393e-10f");
  return out;
}

Buffer random_complex(const Stream& stream, std::size_t count, unsigned seed) {
  Buffer out = Buffer::of<std::complex<float>>(stream, count);
  fill_words(stream, out, count, seed, "cfloat_t",
             "cfloat_new((float)(int)x * 4.656612873077393e-10f, (float)(int)(x * 0x9e3779b1u) * "
             "4.656612873077393e-10f)");
  return out;
}

Buffer random_uints(const Stream& stream, std::size_t count, unsigned seed) {
  Buffer out = Buffer::of<std::uint32_t>(stream, count);
  fill_words(stream, out, count, seed, "uint", "x");
  return out;
}

Buffer random_bytes(const Stream& stream, std::size_t count, unsigned seed) {
  Buffer out(stream, count);  // untyped: filled as words, read as bytes
  fill_words(stream, out, count / 4, seed, "uint", "x");
  return out;
}

Array as_array(const Buffer& buffer) {
  const auto n = static_cast<std::int64_t>(buffer.bytes() / size_of(buffer.element()));
  return Array(buffer, buffer.element(), {n}, {1});
}

std::string power_of_two(std::size_t n) {
  return std::has_single_bit(n) ? "2^" + std::to_string(std::countr_zero(n)) : std::to_string(n);
}

}  // namespace rtcg::bench
