// Correlation of images with a bank of filters: responses[b, y, x, n] = sum over j, i, c of images[b, stride_y y + j,
// stride_x x + i, c] bank[n, j, i, c], in fp32, with the borders and the centre convention of filterbank_shape.h. The
// kernel is written for the problem; which of its variants runs comes from what was tuned (rtcg/tune), else a default,
// and never takes tuning time. The same images on the same device give the same bits.
//
//   Filterbank edges(stream, bank, {.border = Border::reflect, .epilogue = {.minimum = 0.0f}});
//   Array responses = edges(images);
#pragma once

#include <cstdint>
#include <memory>

#include "rtcg/array/array.h"
#include "rtcg/tune/wisdom_lookup.h"
#include "vision/epilogue.h"
#include "vision/filterbank_kernel.h"

namespace rtcg::vision {

struct FilterbankOptions {
  std::size_t stride_y = 1, stride_x = 1;
  Border border = Border::valid;
  Epilogue epilogue = {};
  Precision allow = Precision::exact;  ///< anything else lets faster kernels round the factors
  /// Filters that are all products of a column and a row may run as two passes where that pays; the responses then are
  /// rounded as separable.h says.
  bool allow_separation = false;
};

class Filterbank {
 public:
  /// `bank` is [filter, y, x, channel], or [filter, y, x] for one channel; real numbers, used as fp32. InputError
  /// naming the first weight that is NaN or infinite, UsageError for other shapes and for options that make no sense.
  Filterbank(const Stream& stream, const Array& bank, FilterbankOptions options = {});

  /// `images` are [image, y, x, channel]; or [y, x, channel] for one image; or, where the bank has one channel, [image,
  /// y, x] or [y, x]. Real numbers, used as fp32; NaN and infinity reach the responses they contribute to, whatever the
  /// weight. Gives [image, y, x, filter] on the filterbank's stream. UsageError when the channels differ from the
  /// bank's or the filters do not fit (FilterbankShape::check).
  Array operator()(const Array& images) const;
  /// For images of these sizes.
  FilterbankShape shape(std::size_t images, std::size_t height, std::size_t width) const;

  /// The variant that serves such images and where its choice comes from; compiles it.
  Selection selection(std::size_t images, std::size_t height, std::size_t width) const;
  /// Uses this configuration of filterbank::describe from now on, whatever was tuned. UsageError when it is no
  /// configuration of an image's problem, thrown by the call that meets one.
  void use(const Configuration& configuration);

  /// Whether such images are correlated in two passes; selection() is then that of the first.
  bool separates(std::size_t images, std::size_t height, std::size_t width) const;

  const FilterbankOptions& options() const;
  const Stream& stream() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rtcg::vision
