// What a kernel variant of the filterbank has to say of itself. A variant is one file NAME_kernel.cpp with its text
// kernels/filterbank_NAME.cl (or .cu), and one line in the list of filterbank_kernels.cpp; it is then a value of the
// tuning parameter "kernel", checked and timed as the others are.
//
// Every text has one kernel, called as
//   kernel void filterbank(global const float* images, ulong offset, global const float* bank, global const float*
//   bias,
//                          global float* responses, int image_count, int height, int width)
// where element (b, y, x, c) of the images is images[offset + ((b height + y) width + x) channels + c], the bank is
// what arrange() made of it, and response (b, y, x, n) goes to responses[((b oh + y) ow + x) filters + n]. Everything
// else of the problem is known when the text is written.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rtcg/array/loop_shape.h"
#include "rtcg/compile/source.h"
#include "rtcg/compile/template.h"
#include "rtcg/device/argument.h"
#include "rtcg/tune/tunable.h"
#include "vision/epilogue.h"
#include "vision/filterbank_shape.h"

namespace rtcg::vision {

enum class Precision {
  exact,  ///< products and sums in fp32
  tf32,   ///< tensor cores may round the factors to 10 bits of fraction
  fp16,   ///< tensor cores may round the factors to half
};

struct FilterbankProblem {
  FilterbankShape shape;
  Epilogue epilogue = {};
  Precision allow = Precision::exact;
};

class FilterbankKernel {
 public:
  virtual ~FilterbankKernel() = default;
  virtual std::string_view name() const = 0;
  /// Whether it can be used at all: back end, kind of device, architecture, what the shape or the precision rule out.
  virtual bool serves(const Device& device, const FilterbankProblem& problem) const = 0;
  /// Its own parameters, each name beginning with the kernel's and a dot ("direct.pixels"), with defaults that are good
  /// for this problem, and its constraints. Those hold also where another kernel is chosen.
  virtual void add_parameters(ParameterSpace& space, const Device& device, const FilterbankProblem& problem) const = 0;
  virtual Demand demand(const FilterbankProblem& problem, const Configuration& choice) const = 0;
  virtual Source source(const Device& device, const FilterbankProblem& problem, const Configuration& choice) const = 0;
  /// The bank [filter, y, x, channel] in the order in which the kernel reads it, padding included.
  virtual std::vector<float> arrange(const FilterbankProblem& problem, const Configuration& choice,
                                     std::span<const float> bank) const = 0;
  virtual Grid grid(const Device& device, const FilterbankProblem& problem, const Configuration& choice) const = 0;
};

/// All there are, in the order of preference where nothing is known: the first that serves is the default.
std::span<const std::unique_ptr<FilterbankKernel>> filterbank_kernels();
/// UsageError listing what there is.
const FilterbankKernel& filterbank_kernel(std::string_view name);

/// What every text is rendered with: channels, filters, filter_height, filter_width, stride_y, stride_x, before_y and
/// before_x (the extension in front of the image), border, cpu, index ("int" or "long": holds a place in one image or
/// its responses).
TemplateValues problem_values(const Device& device, const FilterbankProblem& problem);
/// The rendered text behind what every text may call: `finish` (the epilogue) and
///   inline INDEX source_place(INDEX at, INDEX extent)   // where the border takes element `at` from; -1: it is zero
/// which is there for borders other than `valid` only.
Source filterbank_source(std::string_view name, std::string_view text, const TemplateValues& values,
                         const FilterbankProblem& problem, Dialect dialect = Dialect::portable);

}  // namespace rtcg::vision
