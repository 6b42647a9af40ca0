// Preconditioned conjugate gradients for optical flow (Horn and Schunck): per pixel a symmetric 2 x 2 block
// [a b; b c] on the diagonal and -w towards its four neighbours, zero outside; the preconditioner inverts the blocks.
// Three kernels an iteration: product with its dot, update with its dot, direction. Every vector has two planes of
// pixels, u then v; those of the direction have a margin of one pixel all round.
#include "functions.cuh"

namespace rtcg::bench {

namespace {

constexpr int block_threads = 256;
constexpr int most_blocks = 132 * 6;  // all of them resident on an H200

struct Scalars {
  float rz[2], pq;
  unsigned finished;
};

struct Problem {
  const float *a, *b, *c;
  float w;
  int width, height;
  __device__ int pixels() const { return width * height; }
  __device__ int plane() const { return (width + 2) * (height + 2); }
  __device__ void precondition(int i, float u, float v, float& zu, float& zv) const {
    const float determinant = 1.0f / (a[i] * c[i] - b[i] * b[i]);
    zu = determinant * (c[i] * u - b[i] * v);
    zv = determinant * (a[i] * v - b[i] * u);
  }
};

// The pixels of a thread, a grid apart; row and column move along without a division.
struct Walk {
  int i, row, column, step, step_rows, step_columns;
  __device__ explicit Walk(const Problem& problem) {
    i = blockIdx.x * block_threads + threadIdx.x;
    step = gridDim.x * block_threads;
    row = i / problem.width, column = i % problem.width;
    step_rows = step / problem.width, step_columns = step % problem.width;
  }
  __device__ int padded(const Problem& problem) const { return (row + 1) * (problem.width + 2) + column + 1; }
  __device__ void advance(const Problem& problem) {
    i += step, row += step_rows, column += step_columns;
    if (column >= problem.width) column -= problem.width, ++row;
  }
};

__device__ float block_sum(float value) {
  __shared__ float sums[block_threads / 32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < block_threads / 32 ? sums[threadIdx.x] : 0.0f;
  if (threadIdx.x < 32)
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  __syncthreads();
  return value;
}

// The block that finishes last adds up what all have left.
__device__ void grid_sum(float value, float* partial, unsigned* finished, float* result) {
  __shared__ bool is_last;
  value = block_sum(value);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = value;
    __threadfence();
    is_last = atomicAdd(finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  float sum = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x; i += block_threads) sum += partial[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *result = sum, *finished = 0;
}

__global__ void __launch_bounds__(block_threads, 6)
    start(Problem problem, const float* r, float* p, float* x, float* partial, Scalars* scalars) {
  float dot = 0.0f;
  const int n = problem.pixels(), plane = problem.plane();
  for (Walk walk(problem); walk.i < n; walk.advance(problem)) {
    const int i = walk.i;
    float zu, zv;
    problem.precondition(i, r[i], r[n + i], zu, zv);
    const int at = walk.padded(problem);
    p[at] = zu, p[plane + at] = zv;
    x[i] = 0.0f, x[n + i] = 0.0f;
    dot += r[i] * zu + r[n + i] * zv;
  }
  grid_sum(dot, partial, &scalars->finished, &scalars->rz[0]);
}

__global__ void __launch_bounds__(block_threads, 6)
    product(Problem problem, const float* p, float* q, float* partial, Scalars* scalars) {
  float dot = 0.0f;
  const int n = problem.pixels(), plane = problem.plane(), row = problem.width + 2;
  for (Walk walk(problem); walk.i < n; walk.advance(problem)) {
    const int i = walk.i;
    const float *u = p + walk.padded(problem), *v = u + plane;
    const float a = problem.a[i], b = problem.b[i], c = problem.c[i], w = problem.w;
    const float qu = a * u[0] + b * v[0] - w * (u[-row] + u[-1] + u[1] + u[row]);
    const float qv = b * u[0] + c * v[0] - w * (v[-row] + v[-1] + v[1] + v[row]);
    q[i] = qu, q[n + i] = qv;
    dot += u[0] * qu + v[0] * qv;
  }
  grid_sum(dot, partial, &scalars->finished, &scalars->pq);
}

__global__ void __launch_bounds__(block_threads, 6) update(Problem problem, const float* p, const float* q, float* x,
                                                           float* r, float* partial, Scalars* scalars, int turn) {
  float dot = 0.0f;
  const float alpha = scalars->rz[turn & 1] / scalars->pq;
  const int n = problem.pixels(), plane = problem.plane();
  for (Walk walk(problem); walk.i < n; walk.advance(problem)) {
    const int i = walk.i;
    const int at = walk.padded(problem);
    x[i] += alpha * p[at];
    x[n + i] += alpha * p[plane + at];
    const float ru = r[i] - alpha * q[i], rv = r[n + i] - alpha * q[n + i];
    r[i] = ru, r[n + i] = rv;
    float zu, zv;
    problem.precondition(i, ru, rv, zu, zv);
    dot += ru * zu + rv * zv;
  }
  grid_sum(dot, partial, &scalars->finished, &scalars->rz[1 - (turn & 1)]);
}

__global__ void __launch_bounds__(block_threads, 6)
    direction(Problem problem, const float* r, float* p, const Scalars* scalars, int turn) {
  const float beta = scalars->rz[1 - (turn & 1)] / scalars->rz[turn & 1];
  const int n = problem.pixels(), plane = problem.plane();
  for (Walk walk(problem); walk.i < n; walk.advance(problem)) {
    const int i = walk.i;
    float zu, zv;
    problem.precondition(i, r[i], r[n + i], zu, zv);
    const int at = walk.padded(problem);
    p[at] = zu + beta * p[at];
    p[plane + at] = zv + beta * p[plane + at];
  }
}

}  // namespace

// `r` holds the right-hand side at first and the residual at last; the margin of `p` is zero.
int copperhead_flow_cg(void* stream_handle, const float* a, const float* b, const float* c, float w, float* r, float* x,
                       float* p, float* q, int width, int height, int iterations) {
  static float* partial = nullptr;
  static Scalars* scalars = nullptr;
  if (!scalars) {
    if (cudaMalloc(&partial, most_blocks * sizeof(float)) != cudaSuccess) return cudaGetLastError();
    if (cudaMalloc(&scalars, sizeof(Scalars)) != cudaSuccess) return cudaGetLastError();
    cudaMemset(scalars, 0, sizeof(Scalars));
  }
  const auto stream = static_cast<cudaStream_t>(stream_handle);
  const Problem problem{a, b, c, w, width, height};
  const int blocks = min(most_blocks, (width * height + block_threads - 1) / block_threads);
  start<<<blocks, block_threads, 0, stream>>>(problem, r, p, x, partial, scalars);
  for (int turn = 0; turn < iterations; ++turn) {
    product<<<blocks, block_threads, 0, stream>>>(problem, p, q, partial, scalars);
    update<<<blocks, block_threads, 0, stream>>>(problem, p, q, x, r, partial, scalars, turn);
    direction<<<blocks, block_threads, 0, stream>>>(problem, r, p, scalars, turn);
  }
  return cudaGetLastError();
}

}  // namespace rtcg::bench
