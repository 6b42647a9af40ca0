{#
  Counts of samples in bins. A GPU's group counts in local memory, in several copies of each counter that lie in different
  banks, one for each lane where there is room, so that equal samples do not wait for each other; samples are read 16 bytes at a time.
  A CPU's item counts its own chunk in its own room. Both add their counts to the result at the end, by whole numbers: no order matters.
#}
typedef {{ sample }} sample_t;
typedef {{ value }} value_t;
#define CAPACITY {{ capacity }}
#define COPIES {{ copies }}

{% if how == "uniform" %}
/// Bins of [low, high]: edge i is value_t(low + i step), the last bin has its upper edge. x scale + shift is the place of x
/// in bins, less a half, so that rounding it to the nearest whole number gives the bin. It is off by less than a bound;
/// where it lies farther than `safe` from a whole number, that is within the bound of an edge, the edge itself decides.
typedef struct { double low, step; value_t first, last, scale, shift, safe; int bins; } Bins;
{% if value == "double" %}
#define ROUNDER 0x1.8p52
#define ROUNDED(x) as_long(x)
typedef ulong place_t;
{% else %}
#define ROUNDER 0x1.8p23f
#define ROUNDED(x) as_int(x)
typedef uint place_t;
{% endif %}
#ifdef RTCG_CUDA
#define ROUNDED_SUM(a, b) __dadd_rn(a, b)
#else
#pragma OPENCL FP_CONTRACT OFF
#define ROUNDED_SUM(a, b) ((a) + (b))
#endif
static inline value_t edge_of(const Bins* bins, int i) {
  return i == bins->bins ? bins->last : (value_t)ROUNDED_SUM(bins->low, (double)i * bins->step);
}
static inline int bin_at_edge(const Bins* bins, value_t x, value_t place) {
  if (!(x >= bins->first && x <= bins->last)) return -1;
  int bin = (int)clamp(rint(place), (value_t)0, (value_t)bins->bins);
  if (bins->safe >= (value_t)0.25) return clamp(x >= edge_of(bins, bin) ? bin : bin - 1, 0, bins->bins - 1);
  // The bound is wider than that: look around.
  bin = min(bin, bins->bins - 1);
  while (bin > 0 && x < edge_of(bins, bin)) --bin;
  while (bin < bins->bins - 1 && x >= edge_of(bins, bin + 1)) ++bin;
  return bin;
}
/// -1: in none.
static inline int bin_of(const Bins* bins, value_t x) {
  const value_t place = fma(x, bins->scale, bins->shift), rounded = place + ROUNDER;
  if (!(fabs(place - (rounded - ROUNDER)) <= bins->safe)) return bin_at_edge(bins, x, place + (value_t)0.5);
  // The low bits of the sum are the whole number; what is too far from the bins for that comes out too large or negative.
  const place_t bin = (place_t)(ROUNDED(rounded) - ROUNDED(ROUNDER));
  return bin < (place_t)bins->bins ? (int)bin : -1;
}
#define BINS_PARAMETERS double low, double step, value_t first, value_t last, value_t scale, value_t shift, value_t safe, int bins_count
#define MAKE_BINS const Bins bins = {low, step, first, last, scale, shift, safe, bins_count};
{% elif how == "edges" %}
typedef struct { global const value_t* edges; int bins; } Bins;
static inline int bin_of(const Bins* bins, value_t x) {
  if (!(x >= bins->edges[0] && x <= bins->edges[bins->bins])) return -1;
  int low = 0, high = bins->bins;  // edges[low] <= x
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (x >= bins->edges[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
}
#define BINS_PARAMETERS global const value_t* edges, int bins_count
#define MAKE_BINS const Bins bins = {edges, bins_count};
{% else %}
/// Bin i holds the whole number first + i{{ ": all 256 there are" if how == "bytes" else "" }}.
typedef struct { value_t first; int bins; } Bins;
static inline int bin_of(const Bins* bins, value_t x) {
{% if how == "bytes" %}
  return (int)x;
{% else %}
  const ulong at = (ulong)x - (ulong)bins->first;
  return x >= bins->first && at < (ulong)bins->bins ? (int)at : -1;
{% endif %}
}
#define BINS_PARAMETERS value_t first, int bins_count
#define MAKE_BINS const Bins bins = {first, bins_count};
{% endif %}

{% if sample == "half" %}
#define SAMPLE(pointer, i) vload_half(i, pointer)
{% else %}
#define SAMPLE(pointer, i) ((value_t)(pointer)[i])
{% endif %}

{% if cpu %}
kernel void histogram(global const sample_t* samples, ulong offset, ulong count, global uint* counts, global uint* room, BINS_PARAMETERS) {
  MAKE_BINS
  const size_t chunk = get_global_id(0), chunks = get_global_size(0);
  global const sample_t* own = samples + offset;
  global uint* mine = room + chunk * ((size_t)bins_count * COPIES);
  for (int i = 0; i < bins_count * COPIES; ++i) mine[i] = 0;
  const ulong end = count / chunks * (chunk + 1) + min(count % chunks, (ulong)(chunk + 1));
  ulong i = count / chunks * chunk + min(count % chunks, (ulong)chunk);
  for (; i + COPIES <= end; i += COPIES) {
{% for c in range(copies) %}
    const int bin{{ c }} = bin_of(&bins, SAMPLE(own, i + {{ c }}));
    if (bin{{ c }} >= 0) ++mine[bin{{ c }} * COPIES + {{ c }}];
{% endfor %}
  }
  for (; i < end; ++i) {
    const int bin = bin_of(&bins, SAMPLE(own, i));
    if (bin >= 0) ++mine[bin * COPIES];
  }
  for (int bin = 0; bin < bins_count; ++bin) {
    uint sum = 0;
    for (int c = 0; c < COPIES; ++c) sum += mine[bin * COPIES + c];
    if (sum != 0) atomic_add(&counts[bin], sum);
  }
}
{% else %}
#define GROUP {{ group }}
#define LOADS {{ loads }}
#define PER_LOAD (16 / {{ sample_bytes }})
#define COUNT(x)                       \
  do {                                 \
    const int bin_ = bin_of(&bins, x); \
    if (bin_ >= 0) atomic_inc({{ "&own[bin_ * COPIES + copy]" if capacity > 0 else "&counts[bin_]" }}); \
  } while (0)
/// The samples within 16 bytes.
#define COUNT_LOAD(load_)                                \
  do {                                               \
    const uint part_[4] = {load_.x, load_.y, load_.z, load_.w};      \
    RTCG_UNROLL(4)                                   \
    for (int k_ = 0; k_ < 4; {{ "k_ += 2" if sample_bytes == 8 else "++k_" }}) { \
{% if sample_bytes == 8 %}
      const ulong bits_ = (ulong)part_[k_ + 1] << 32 | part_[k_]; \
      COUNT({{ "as_double(bits_)" if sample == "double" else "(value_t)(sample_t)bits_" }}); \
{% elif sample_bytes == 4 %}
      COUNT({{ "as_float(part_[k_])" if sample == "float" else "(value_t)(sample_t)part_[k_]" }}); \
{% elif sample == "half" %}
      const ushort low_ = (ushort)part_[k_], high_ = (ushort)(part_[k_] >> 16); \
      COUNT((value_t)vload_half(0, (const half*)&low_)); \
      COUNT((value_t)vload_half(0, (const half*)&high_)); \
{% else %}
{% for n in range(4 / sample_bytes) %}
      COUNT((value_t)(sample_t)(part_[k_] >> {{ 8 * sample_bytes * n }})); \
{% endfor %}
{% endif %}
    }                                                \
  } while (0)

#ifdef RTCG_CUDA
// Registers for two groups at a time: loads of one cover the counting of the other.
#define GROUP_BOUNDS __launch_bounds__(GROUP, 2)
#else
#define GROUP_BOUNDS RTCG_GROUP_SIZE(GROUP, 1, 1)
#endif
kernel GROUP_BOUNDS void histogram(global const sample_t* samples, ulong offset, ulong count, global uint* counts, BINS_PARAMETERS) {
{% if capacity > 0 %}
  local uint own[CAPACITY * COPIES];
{% endif %}
  MAKE_BINS
  const uint t = (uint)get_local_id(0);
{% if capacity > 0 %}
  const uint copy = t % COPIES;
  for (uint i = t; i < (uint)bins_count * COPIES; i += GROUP) own[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
{% endif %}
  // Up to the first 16-byte boundary and from the last on, samples are counted one by one.
  const ulong boundary = (PER_LOAD - offset % PER_LOAD) % PER_LOAD, head = boundary < count ? boundary : count;
  const ulong whole = (count - head) / PER_LOAD, tail = head + whole * PER_LOAD;
  global const uint4* words = (global const uint4*)(samples + offset + head);
  const ulong stride = get_global_size(0);
  ulong i = get_global_id(0);
  for (; i + (LOADS - 1) * stride < whole; i += LOADS * stride) {
    uint4 w[LOADS];
    RTCG_UNROLL(LOADS)
    for (int u = 0; u < LOADS; ++u) w[u] = words[i + u * stride];
    RTCG_UNROLL(LOADS)
    for (int u = 0; u < LOADS; ++u) COUNT_LOAD(w[u]);
  }
  for (; i < whole; i += stride) {
    const uint4 w = words[i];
    COUNT_LOAD(w);
  }
  if (get_global_id(0) < head) COUNT(SAMPLE(samples, offset + get_global_id(0)));
  if (get_global_id(0) < count - tail) COUNT(SAMPLE(samples, offset + tail + get_global_id(0)));
{% if capacity > 0 %}
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint bin = t; bin < (uint)bins_count; bin += GROUP) {
    uint sum = 0;
    for (uint c = 0; c < COPIES; ++c) sum += own[bin * COPIES + (c + bin) % COPIES];
    if (sum != 0) atomic_add(&counts[bin], sum);
  }
{% endif %}
}
{% endif %}

/// Adds the counts of one run to 64-bit sums, or starts them.
kernel void add_counts(global const uint* counts, global ulong* sums, int bins_count, int start) {
  const int bin = (int)get_global_id(0);
  if (bin < bins_count) sums[bin] = counts[bin] + (start ? 0ul : sums[bin]);
}
