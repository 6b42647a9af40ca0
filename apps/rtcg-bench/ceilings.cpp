// The limits every figure can be held against: how fast the device copies memory and how fast it multiplies and adds,
// in either precision and, where a GPU has them, by its double-precision matrix instructions.
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/record.h"
#include "rtcg/compile/compiler.h"

namespace rtcg::bench {

namespace {

constexpr const char* fma_text = R"(
// Enough independent chains to hide the latency of the multiply-add; the result is used so that nothing is left out.
kernel void fma_rate(global REAL* out, REAL a, REAL b, int turns) {
  VECTOR x[CHAINS];
  for (int c = 0; c < CHAINS; ++c) x[c] = SPLAT((REAL)get_global_id(0) + c);
  for (int t = 0; t < turns; ++t) {
    RTCG_UNROLL(CHAINS)
    for (int c = 0; c < CHAINS; ++c) x[c] = fma(x[c], SPLAT(a), SPLAT(b));
  }
  VECTOR sum = x[0];
  for (int c = 1; c < CHAINS; ++c) sum += x[c];
  out[get_global_id(0)] = FIRST(sum);
}
)";

// Sixteen tiles of 16 x 8 are in flight in each warp: 16 x 8 x 4 multiply-adds an instruction.
constexpr const char* tensor_text = R"(
extern "C" __global__ void tensor_rate(double* out, double a, double b, int turns) {
  double sum[TILES][4];
  for (int c = 0; c < TILES; ++c)
    for (int k = 0; k < 4; ++k) sum[c][k] = threadIdx.x + c + k;
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int c = 0; c < TILES; ++c)
      asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                   : "+d"(sum[c][0]), "+d"(sum[c][1]), "+d"(sum[c][2]), "+d"(sum[c][3])
                   : "d"(a), "d"(a), "d"(b));
  }
  double total = 0;
  for (int c = 0; c < TILES; ++c)
    for (int k = 0; k < 4; ++k) total += sum[c][k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}
)";

template <class Real>
double fma_rate(const Context& context) {
  const Stream& stream = context.stream;
  const DeviceProperties& device = stream.device().properties();
  const bool gpu = device.kind == DeviceKind::gpu;
  // On a CPU a vector per chain, since one work-item runs alone there; on a GPU the lanes are the work-items.
  const int chains = gpu ? 16 : 24, turns = context.quick ? 1000 : 10000, lanes = gpu ? 1 : 64 / int{sizeof(Real)};
  const std::string real = sizeof(Real) == 4 ? "float" : "double", vector = real + std::to_string(lanes);
  Source source("fma_rate.cl", fma_text, gpu ? Dialect::portable : Dialect::opencl);
  source.define("REAL", real).define("CHAINS", chains).define("VECTOR", gpu ? real : vector);
  source.define("SPLAT(x)", gpu ? "(x)" : "((" + vector + ")(x))").define("FIRST(x)", gpu ? "(x)" : "((x).s0)");
  const Kernel kernel = compile(stream.device(), source).kernel("fma_rate");
  const std::size_t items = gpu ? std::size_t{device.compute_units} * 2048 : std::size_t{device.compute_units} * 4;
  const Buffer out = Buffer::of<Real>(stream, items);
  const Grid grid = gpu ? Grid::over(items, 256) : Grid::of(items, 1);
  const Measurement time = measure(
      stream, [&] { kernel(stream, grid, out, Real(0.999), Real(0.001), turns); }, context.budget());
  return 2.0 * chains * lanes * turns * static_cast<double>(items) / time.median;
}

double tensor_rate(const Context& context) {
  const Stream& stream = context.stream;
  const DeviceProperties& device = stream.device().properties();
  if (device.architecture != "sm_90") return 0;  // what has this shape of the instruction
  const int tiles = 16, turns = context.quick ? 500 : 5000;
  const Kernel kernel =
      compile(stream.device(), Source("tensor_rate.cu", tensor_text, Dialect::cuda).define("TILES", tiles))
          .kernel("tensor_rate");
  const std::size_t items = std::size_t{device.compute_units} * 1024;
  const Buffer out = Buffer::of<double>(stream, items);
  const Measurement time = measure(
      stream, [&] { kernel(stream, Grid::over(items, 256), out, 0.999, 0.001, turns); }, context.budget());
  return 2.0 * 16 * 8 * 4 / 32 * tiles * turns * static_cast<double>(items) / time.median;
}

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
  context.fma_rate = fma_rate<float>(context);
  if (!device.has_double) return;
  context.fma_rate_double = fma_rate<double>(context);
  context.tensor_rate_double = tensor_rate(context);
}

}  // namespace rtcg::bench
