// The two limits every figure can be held against: how fast the device copies memory and how fast it multiplies and
// adds.
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/record.h"
#include "rtcg/compile/compiler.h"

namespace rtcg::bench {

namespace {

constexpr const char* fma_text = R"(
// Enough independent chains to hide the latency of the multiply-add; the result is used so that nothing is left out.
kernel void fma_rate(global float* out, float a, float b, int turns) {
  VECTOR x[CHAINS];
  for (int c = 0; c < CHAINS; ++c) x[c] = SPLAT((float)get_global_id(0) + c);
  for (int t = 0; t < turns; ++t) {
    RTCG_UNROLL(CHAINS)
    for (int c = 0; c < CHAINS; ++c) x[c] = fma(x[c], SPLAT(a), SPLAT(b));
  }
  VECTOR sum = x[0];
  for (int c = 1; c < CHAINS; ++c) sum += x[c];
  out[get_global_id(0)] = FIRST(sum);
}
)";

}  // namespace

void measure_ceilings(Context& context) {
  const Stream& stream = context.stream;
  const DeviceProperties& device = stream.device().properties();
  const bool gpu = device.kind == DeviceKind::gpu;
  const std::size_t bytes = context.quick ? std::size_t{16} << 20 : std::size_t{gpu ? 1024u : 256u} << 20;
  {
    const Buffer from = random_bytes(stream, bytes), to(stream, bytes);
    context.copy_bandwidth = 2 * static_cast<double>(bytes) /
                             measure(
                                 stream, [&] { to.copy_from(stream, from); }, context.budget())
                                 .median;
  }
  // On a CPU a vector per chain, since one work-item runs alone there; on a GPU the lanes are the work-items.
  const int chains = gpu ? 16 : 24, turns = context.quick ? 1000 : 10000;
  Source source("fma_rate.cl", fma_text, gpu ? Dialect::portable : Dialect::opencl);
  source.define("CHAINS", chains).define("VECTOR", gpu ? "float" : "float16");
  source.define("SPLAT(x)", gpu ? "(x)" : "((float16)(x))").define("FIRST(x)", gpu ? "(x)" : "((x).s0)");
  const Kernel kernel = compile(stream.device(), source).kernel("fma_rate");
  const std::size_t items = gpu ? std::size_t{device.compute_units} * 2048 : std::size_t{device.compute_units} * 4;
  const Buffer out = Buffer::of<float>(stream, items);
  const Grid grid = gpu ? Grid::over(items, 256) : Grid::of(items, 1);
  const Measurement time = measure(
      stream, [&] { kernel(stream, grid, out, 0.999f, 0.001f, turns); }, context.budget());
  context.fma_rate = 2.0 * chains * (gpu ? 1 : 16) * turns * static_cast<double>(items) / time.median;
}

}  // namespace rtcg::bench
