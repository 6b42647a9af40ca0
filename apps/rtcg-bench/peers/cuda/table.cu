#include "functions.cuh"

extern "C" __attribute__((visibility("default"))) const rtcg::bench::CudaPeers* rtcg_cuda_peers() {
  using namespace rtcg::bench;
  static const CudaPeers peers{cub_axpby,
                               cub_sum,
                               cub_dot,
                               cub_inclusive_sum,
                               cub_select_positive,
                               cub_sort_keys,
                               cub_sort_pairs,
                               cub_histogram_bytes,
                               cub_histogram_floats,
                               copperhead_axpy,
                               copperhead_black_scholes,
                               copperhead_mandelbrot,
                               copperhead_laplace,
                               copperhead_radix_sort,
                               copperhead_spmv_scalar,
                               copperhead_spmv_vector,
                               copperhead_spmv_ell,
                               copperhead_flow_cg};
  return &peers;
}
