// Temporary storage as CUB wants it: asked for its size, then given; kept and grown from call to call.
#pragma once

#include <cstddef>

namespace rtcg::bench {

class Scratch {
 public:
  /// `call(void* storage, size_t& bytes)` is made twice; returns the first error.
  template <class Call>
  int operator()(Call call) {
    std::size_t bytes = 0;
    cudaError_t status = call(nullptr, bytes);
    if (status == cudaSuccess && bytes > bytes_) {
      cudaFree(storage_);  // waits for whatever still uses it
      storage_ = nullptr, bytes_ = 0;
      status = cudaMalloc(&storage_, bytes);
      if (status == cudaSuccess) bytes_ = bytes;
    }
    return status == cudaSuccess ? call(storage_, bytes) : status;
  }

 private:
  void* storage_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace rtcg::bench
