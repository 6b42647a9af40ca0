// NVIDIA's libraries as competitors, opened at run time where they are found (dlopen's own search, /usr/local/cuda).
// Each function prepares everything that can be prepared and returns what queues one execution onto the stream; it
// returns an empty function when the device is not CUDA's or the library is not there.
#pragma once

#include <functional>

#include "rtcg/device/buffer.h"

namespace rtcg::bench {

/// Forward, complex float, out of place.
std::function<void()> cufft(const Stream& stream, const Buffer& in, const Buffer& out, std::size_t length,
                            std::size_t batch);
/// The result stays on the device.
std::function<void()> cublas_dot(const Stream& stream, const Buffer& x, const Buffer& y, const Buffer& result,
                                 std::size_t n);

struct CsrBuffers {
  std::size_t rows, columns, entries;
  Buffer starts, indices, values;  ///< int32 [rows + 1], int32 [entries], float or double [entries]
};
/// y = A x, preprocessed.
std::function<void()> cusparse_spmv(const Stream& stream, const CsrBuffers& matrix, const Buffer& x, const Buffer& y);

}  // namespace rtcg::bench
