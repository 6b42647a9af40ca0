#include <array>
#include <limits>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "rtcg_vision_kernels.h"
#include "vision/filterbank_kernel.h"

namespace rtcg::vision {

std::unique_ptr<FilterbankKernel> direct_kernel();
std::unique_ptr<FilterbankKernel> staged_kernel();
std::unique_ptr<FilterbankKernel> tensor_kernel();
std::unique_ptr<FilterbankKernel> tile_kernel();

std::span<const std::unique_ptr<FilterbankKernel>> filterbank_kernels() {
  static const std::array list{tensor_kernel(), staged_kernel(), tile_kernel(), direct_kernel()};
  return list;
}

const FilterbankKernel& filterbank_kernel(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& kernel : filterbank_kernels()) {
    if (kernel->name() == name) return *kernel;
    names.push_back(kernel->name());
  }
  throw UsageError(fmt::format("no filterbank kernel is called \"{}\"; there are {}", name, fmt::join(names, ", ")));
}

TemplateValues problem_values(const Device& device, const FilterbankProblem& problem) {
  const FilterbankShape& shape = problem.shape;
  const bool extends = shape.border != Border::valid;
  // Places in a padded row and in a row of responses, too.
  const std::size_t most =
      std::max((shape.height + shape.filter_height) * (shape.width + shape.filter_width) * shape.channels,
               shape.output_height() * shape.output_width() * shape.filters);
  return {{"channels", shape.channels},
          {"filters", shape.filters},
          {"filter_height", shape.filter_height},
          {"filter_width", shape.filter_width},
          {"stride_y", shape.stride_y},
          {"stride_x", shape.stride_x},
          {"before_y", extends ? (shape.filter_height - 1) / 2 : 0},
          {"before_x", extends ? (shape.filter_width - 1) / 2 : 0},
          {"border", std::string(name_of(shape.border))},
          {"cpu", loop_shape(device) == LoopShape::cpu},
          {"index", most > std::numeric_limits<std::int32_t>::max() ? "long" : "int"}};
}

Source filterbank_source(std::string_view name, std::string_view text, const TemplateValues& values,
                         const FilterbankProblem& problem, Dialect dialect) {
  std::string common = problem.epilogue.function();
  if (problem.shape.border != Border::valid)
    common += render(kernels::filterbank_border_cl, values, "filterbank_border.cl");
  return Source(std::string(name), common + render(text, values, name), dialect);
}

}  // namespace rtcg::vision
