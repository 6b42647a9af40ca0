{#
  Fills an array with random numbers. Element e takes its bits from block first_block + e / PER_BLOCK, whatever the
  launch, so that every device gives the same stream. A GPU's item writes whole 16-byte words; a CPU's item a chunk.
#}
#include "philox.cl"

typedef {{ element }} element_t;
#define PER_BLOCK {{ per_block }}
#define BLOCKS {{ blocks }}
#define PER_ITEM (PER_BLOCK * BLOCKS)
#define WORDS ((int)(PER_ITEM * sizeof(element_t) / 16))

typedef union {
  element_t one[PER_ITEM];
  uint4 word[WORDS];
} lanes_t;

// Attempts after the first, of numbers that had to be rejected, count in the last word of the counter.
static inline uint4 draw(ulong block, uint subsequence, uint attempt, uint key0, uint key1) {
  return philox4x32_10(make_uint4((uint)block, (uint)(block >> 32), subsequence, attempt), key0, key1);
}
{% if distribution == "integers" %}
static inline uint pick(uint4 words, int k) {
  return k == 0 ? words.x : k == 1 ? words.y : k == 2 ? words.z : words.w;
}
{% endif %}
{% if real == "float" %}
// [0, 1) in steps of 2^-24, and of 2^-11 for half: exact in the type.
#define UNIFORM(bits) ((float)((bits) >> {{ 21 if half else 8 }}) * {{ "0x1p-11f" if half else "0x1p-24f" }})
{% elif real == "double" %}
// [0, 1) in steps of 2^-53.
#define UNIFORM(high, low) ((double)((ulong)((high) >> 5) << 26 | (low) >> 6) * 0x1p-53)
{% endif %}
{% if distribution == "normal" %}
#ifdef RTCG_CUDA
inline void sincos_pi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
inline void sincos_pi(double x, double* sine, double* cosine) { sincospi(x, sine, cosine); }
#else
#define sincos_pi(x, sine, cosine) (*(sine) = sinpi(x), *(cosine) = cospi(x))
#endif
{% if real == "float" %}
// Box and Muller: radius from (0, 1] in steps of 2^-32, angle in half turns from [-1, 1).
static inline float2 normal_pair(uint a, uint b) {
  const float radius = sqrt(-2.0f * log(fma((float)a, 0x1p-32f, 0x1p-33f)));
  float sine, cosine;
  sincos_pi((float)(int)b * 0x1p-31f, &sine, &cosine);
  return make_float2(radius * cosine, radius * sine);
}
{% else %}
// Box and Muller: radius from (0, 1] in steps of 2^-53, angle in half turns from [-1, 1).
static inline double2 normal_pair(uint4 words) {
  const double radius = sqrt(-2.0 * log(1.0 - UNIFORM(words.x, words.y)));
  double sine, cosine;
  sincos_pi(2.0 * UNIFORM(words.z, words.w) - 1.0, &sine, &cosine);
  return make_double2(radius * cosine, radius * sine);
}
{% endif %}
{% endif %}

#define KEY {{ parameters }}, uint subsequence, uint key0, uint key1
#define PASS_KEY {{ arguments }}, subsequence, key0, key1

static inline void fill_block(ulong block, element_t* out, KEY) {
  const uint4 words = draw(block, subsequence, 0, key0, key1);
{% if distribution == "uniform" or (distribution == "normal" and real == "float") %}
{% if real == "double" %}
  out[0] = fmin(fma(UNIFORM(words.x, words.y), scale, start), limit);
  out[1] = fmin(fma(UNIFORM(words.z, words.w), scale, start), limit);
{% else %}
{% if distribution == "uniform" %}
  const float x[4] = {UNIFORM(words.x), UNIFORM(words.y), UNIFORM(words.z), UNIFORM(words.w)};
{% else %}
  const float2 first = normal_pair(words.x, words.y), second = normal_pair(words.z, words.w);
  const float x[4] = {first.x, first.y, second.x, second.y};
{% endif %}
  RTCG_UNROLL(4)
  for (int k = 0; k < 4; ++k) {
    const float y = fmin(fma(x[k], scale, start), limit);
{% if half %}
    vstore_half(y, k, (half*)out);
{% else %}
    out[k] = y;
{% endif %}
  }
{% endif %}
{% elif distribution == "normal" %}
  const double2 pair = normal_pair(words);
  out[0] = fma(pair.x, scale, start), out[1] = fma(pair.y, scale, start);
{% elif distribution == "bernoulli" %}
  out[0] = words.x < below, out[1] = words.y < below, out[2] = words.z < below, out[3] = words.w < below;
{% elif wide %}
  // Lemire's multiplication: unbiased once the lower half is not under 2^64 mod range.
  RTCG_UNROLL(2)
  for (int k = 0; k < 2; ++k) {
    ulong bits = (ulong)pick(words, 2 * k) << 32 | pick(words, 2 * k + 1);
    for (uint attempt = 1; range != 0 && bits * range < threshold; ++attempt) {
      const uint4 again = draw(block, subsequence, attempt, key0, key1);
      bits = (ulong)pick(again, 2 * k) << 32 | pick(again, 2 * k + 1);
    }
    out[k] = (element_t)((range == 0 ? bits : mul_hi(bits, range)) + start);
  }
{% else %}
  // Lemire's multiplication: unbiased once the lower half is not under 2^32 mod range.
  RTCG_UNROLL(4)
  for (int k = 0; k < 4; ++k) {
    ulong product = (ulong)pick(words, k) * range;
    for (uint attempt = 1; (uint)product < (uint)threshold; ++attempt)
      product = (ulong)pick(draw(block, subsequence, attempt, key0, key1), k) * range;
    out[k] = (element_t)((product >> 32) + start);
  }
{% endif %}
}

static inline void fill_item(global element_t* target, ulong item, ulong count, ulong first_block, KEY) {
  lanes_t lanes;
  RTCG_UNROLL(BLOCKS)
  for (int b = 0; b < BLOCKS; ++b)
    fill_block(first_block + item * BLOCKS + b, lanes.one + b * PER_BLOCK, PASS_KEY);
  const ulong start_of_item = item * PER_ITEM;
  if (start_of_item + PER_ITEM <= count) {
    RTCG_UNROLL(WORDS)
    for (int w = 0; w < WORDS; ++w) ((global uint4*)target)[item * WORDS + w] = lanes.word[w];
  } else {
    for (int k = 0; k < PER_ITEM; ++k)
      if (start_of_item + k < count) target[start_of_item + k] = lanes.one[k];
  }
}

kernel void fill_random(global element_t* target, ulong count, ulong first_block, ulong items, KEY) {
{% if cpu %}
  const ulong groups = get_num_groups(0), group = get_group_id(0);
  const ulong end = items * (group + 1) / groups;
  for (ulong item = items * group / groups; item < end; ++item)
    fill_item(target, item, count, first_block, PASS_KEY);
{% else %}
  const ulong step = (ulong)get_num_groups(0) * {{ group }};
  for (ulong item = (ulong)get_group_id(0) * {{ group }} + get_local_id(0); item < items; item += step)
    fill_item(target, item, count, first_block, PASS_KEY);
{% endif %}
}
