// European call and put prices; the normal distribution by the polynomial 26.2.17 of Abramowitz and Stegun.
#include "functions.cuh"

namespace rtcg::bench {

namespace {

__device__ float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float polynomial =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * expf(-0.5f * d * d) * polynomial;
  return d > 0.0f ? 1.0f - tail : tail;
}

__device__ void price(float stock, float strike, float years, float rate, float volatility, float& call, float& put) {
  const float root = volatility * sqrtf(years);
  const float d1 = (logf(stock / strike) + (rate + 0.5f * volatility * volatility) * years) / root;
  const float d2 = d1 - root;
  const float n1 = normal_distribution(d1);
  const float n2 = normal_distribution(d2);
  const float discounted = strike * expf(-rate * years);
  call = stock * n1 - discounted * n2;
  put = discounted * (1.0f - n2) - stock * (1.0f - n1);
}

__global__ void black_scholes(const float* stock, const float* strike, const float* years, float rate, float volatility,
                              float* call, float* put, std::size_t n) {
  const std::size_t pair = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (2 * pair + 1 < n) {
    const float2 s = reinterpret_cast<const float2*>(stock)[pair];
    const float2 x = reinterpret_cast<const float2*>(strike)[pair];
    const float2 t = reinterpret_cast<const float2*>(years)[pair];
    float2 c, p;
    price(s.x, x.x, t.x, rate, volatility, c.x, p.x);
    price(s.y, x.y, t.y, rate, volatility, c.y, p.y);
    reinterpret_cast<float2*>(call)[pair] = c;
    reinterpret_cast<float2*>(put)[pair] = p;
  } else if (2 * pair < n) {
    const std::size_t i = 2 * pair;
    price(stock[i], strike[i], years[i], rate, volatility, call[i], put[i]);
  }
}

}  // namespace

int copperhead_black_scholes(void* stream, const float* stock, const float* strike, const float* years, float rate,
                             float volatility, float* call, float* put, std::size_t n) {
  const int block = 128;
  const std::size_t pairs = (n + 1) / 2;
  const auto blocks = static_cast<unsigned>((pairs + block - 1) / block);
  black_scholes<<<blocks, block, 0, static_cast<cudaStream_t>(stream)>>>(stock, strike, years, rate, volatility, call,
                                                                         put, n);
  return cudaGetLastError();
}

}  // namespace rtcg::bench
