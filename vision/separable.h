// Banks whose filters are products of a column and a row: bank[n, y, x, c] = columns[n, y] rows[n, x, c]. Correlating
// with the rows and then with the columns takes fw D + fh multiply-adds a response instead of fh fw D.
//
// Rounding: with u = 2^-24, K = fw D + fh + 1 and d = deviation, a response differs from the exact sum by at most
//   K u / (1 - K u) sum |columns| |rows| |image| + d sum |image|
// Where all weights are integers below 2^24 so are the factors, the deviation is 0, and sums of integers below 2^24
// come out exactly.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rtcg/array/array.h"
#include "vision/filterbank_kernel.h"

namespace rtcg::vision {

struct SeparableBank {
  std::vector<float> columns;  ///< [filter, y]
  std::vector<float> rows;     ///< [filter, x, channel]
  double deviation = 0;        ///< largest |bank - columns rows|
};

/// Factors a bank [filter, y, x, channel]: nothing unless for every filter the second singular value of its matrix of
/// fh x (fw D) is at most `tolerance` times the first.
std::optional<SeparableBank> separate(const FilterbankShape& shape, std::span<const float> bank,
                                      double tolerance = 0x1p-22);

/// Whether two passes are expected to be faster: arithmetic, and the traffic of what is stored between them.
bool separation_pays(const FilterbankShape& shape);

/// The second pass: responses[b, y, x, n] = epilogue of sum over j of weights[n, j] partial[b, stride_y y + j, x, n],
/// with the border of the shape.
class ColumnPass {
 public:
  /// Of the bank's problem; `columns` as in SeparableBank.
  ColumnPass(const Stream& stream, const FilterbankProblem& problem, std::span<const float> columns);
  /// `partial` is [image, y, x of the responses, filter], contiguous.
  Array operator()(const Array& partial, const Buffer& bias) const;

 private:
  Stream stream_;
  FilterbankProblem problem_;
  Buffer columns_;
};

}  // namespace rtcg::vision
