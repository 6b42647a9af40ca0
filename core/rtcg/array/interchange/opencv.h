// OpenCV matrices to and from arrays. Header-only, for programs that use OpenCV themselves; the library does not.
// A Mat of one channel is an array (rows, columns), one of several (rows, columns, channels).
#pragma once

#include <opencv2/core/mat.hpp>

#include "rtcg/array/array.h"

namespace rtcg {

namespace detail {

inline constexpr std::pair<int, Dtype> mat_depths[] = {{CV_8U, Dtype::u8},   {CV_8S, Dtype::i8},   {CV_16U, Dtype::u16},
                                                       {CV_16S, Dtype::i16}, {CV_32S, Dtype::i32}, {CV_32F, Dtype::f32},
                                                       {CV_64F, Dtype::f64}, {CV_16F, Dtype::f16}};

}  // namespace detail

/// Copies. UsageError for a Mat of more than two dimensions.
inline Array from_mat(const Stream& stream, const cv::Mat& mat) {
  if (mat.dims > 2) throw UsageError("from_mat: a Mat of " + std::to_string(mat.dims) + " dimensions; two are taken");
  const cv::Mat packed = mat.isContinuous() ? mat : mat.clone();
  Shape shape{mat.rows, mat.cols};
  if (mat.channels() > 1) shape.push_back(mat.channels());
  for (const auto& [depth, type] : detail::mat_depths) {
    if (depth != mat.depth()) continue;
    const Array array = Array::empty(stream, shape, type);
    if (array.size() != 0) array.buffer().write(packed.data, array.bytes());
    return array;
  }
  throw UsageError("from_mat: a Mat of depth " + std::to_string(mat.depth()) + " has no element type");
}

/// Blocks. Complex numbers become two channels. UsageError for shapes other than (rows, columns) and, of real numbers,
/// (rows, columns, 1 ... CV_CN_MAX), for extents over 2^31 - 1 and for types that a Mat does not have.
inline cv::Mat to_mat(const Array& array) {
  const Shape& shape = array.shape();
  const bool has_parts = is_complex(array.dtype()), has_channels = !has_parts && shape.size() == 3;
  const std::int64_t channels = has_channels ? shape[2] : has_parts ? 2 : 1;
  if (shape.size() != (has_channels ? 3 : 2) || channels < 1 || channels > CV_CN_MAX || shape[0] > INT32_MAX ||
      shape[1] > INT32_MAX)
    throw UsageError("to_mat: shape " + to_string(shape) + "; (rows, columns) or (rows, columns, channels) is needed");
  for (const auto& [depth, type] : detail::mat_depths) {
    if (type != real_of(array.dtype())) continue;
    cv::Mat mat(static_cast<int>(shape[0]), static_cast<int>(shape[1]), CV_MAKETYPE(depth, static_cast<int>(channels)));
    const Array packed = array.contiguous();
    if (packed.size() != 0)
      packed.buffer().read(mat.data, packed.bytes(),
                           static_cast<std::size_t>(packed.offset()) * size_of(packed.dtype()));
    return mat;
  }
  throw UsageError(std::string("to_mat: a Mat has no elements of ") + dtype_name(array.dtype()));
}

}  // namespace rtcg
