// Histograms by generated kernels: uniform bins, bins with given edges, and one bin for each whole number. Counts are
// exact. Samples outside of the bins and NaNs are left out; the last bin includes its upper edge, as NumPy's.
//
// Uniform bins: edge i is low + i (high - low) / bins in double precision, rounded to the samples' precision (float for
// float16, float and integers up to 16 bits, double for others), and decides exactly, as numpy.histogram's edges do.
#pragma once

#include <cstddef>

#include "rtcg/compile/kernel.h"

namespace rtcg {

struct HistogramProblem {
  ScalarType type = ScalarType::unknown;  ///< of the samples; any but complex
  Buffer samples;
  std::size_t offset = 0, count = 0;  ///< samples [offset, offset + count) of the buffer
  std::size_t bins = 0;               ///< 1 to 2^24
  Buffer counts;                      ///< [bins], overwritten
  std::size_t count_bytes = 4;        ///< 4: uint32, for up to 2^32 - 1 samples; 8: int64

  enum class Bins : std::uint8_t {
    uniform,  ///< between low and high
    edges,    ///< between bins + 1 given edges
    whole     ///< bin i counts samples equal to first + i; integers and booleans only
  } kind = Bins::uniform;
  double low = 0, high = 1;
  Buffer edges;  ///< [bins + 1], not descending, of type edge_type(type)
  std::int64_t first = 0;
};

/// Queues the count. UsageError: bounds that are not finite or not ascending, sizes that do not fit the buffers.
void histogram(const Stream& stream, const HistogramProblem& problem);

/// float or double: what samples are compared with edges as.
ScalarType edge_type(ScalarType samples);

}  // namespace rtcg
