#include "functions.cuh"

extern "C" __attribute__((visibility("default"))) const rtcg::bench::CudaPeers* rtcg_cuda_peers() {
  using namespace rtcg::bench;
  static const CudaPeers peers{cub_axpby,     cub_sum,        cub_dot,
                               cub_inclusive_sum, cub_select_positive, cub_sort_keys,
                               cub_sort_pairs, cub_histogram_bytes, cub_histogram_floats};
  return &peers;
}
