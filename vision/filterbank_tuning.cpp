#include "vision/filterbank_tuning.h"

#include <array>

#include <fmt/format.h>

#include "rtcg/error.h"

namespace rtcg::vision {

namespace {

constexpr std::array<std::string_view, 3> precision_names{"exact", "tf32", "fp16"};

}  // namespace

std::string_view name_of(Precision precision) {
  return precision_names.at(static_cast<std::size_t>(precision));
}

Precision parse_precision(std::string_view name) {
  for (std::size_t k = 0; k < precision_names.size(); ++k)
    if (precision_names[k] == name) return static_cast<Precision>(k);
  throw UsageError(fmt::format("no precision is called \"{}\"; there are {}", name, fmt::join(precision_names, ", ")));
}

namespace filterbank {

ParameterSpace space(const Device& device, const FilterbankProblem& problem) {
  std::vector<const FilterbankKernel*> serving;
  std::vector<ParameterValue> names;
  for (const auto& kernel : filterbank_kernels())
    if (kernel->serves(device, problem)) {
      serving.push_back(kernel.get());
      names.emplace_back(std::string(kernel->name()));
    }
  ParameterSpace space;
  space.parameter("kernel", names, names.front());
  for (const FilterbankKernel* kernel : serving) {
    const std::size_t before = space.parameters().size();
    kernel->add_parameters(space, device, problem);
    // Parameters of kernels that were not chosen stay at their defaults, so that no variant is met twice.
    for (std::size_t k = before; k < space.parameters().size(); ++k) {
      const ParameterSpace::Parameter& parameter = space.parameters()[k];
      space.constraint(
          fmt::format("{} belongs to another kernel", parameter.name), {"kernel", parameter.name},
          [own = std::string(kernel->name()), name = parameter.name, standard = parameter.standard](
              const Configuration& choice) { return choice.word("kernel") == own || *choice.find(name) == standard; });
    }
  }
  return space;
}

Tunable describe(const Device& device, const FilterbankShape& shape, const Epilogue& epilogue, Precision allow) {
  shape.check();
  const FilterbankProblem problem{shape, epilogue, allow};
  Tunable tunable;
  tunable.family = "filterbank";
  tunable.version = 1;
  tunable.traits = {{"border", std::string(name_of(shape.border))},
                    {"stride", fmt::format("{} x {}", shape.stride_y, shape.stride_x)},
                    {"allow", std::string(name_of(allow))}};
  tunable.sizes = {{"images", shape.images},
                   {"height", shape.height},
                   {"width", shape.width},
                   {"channels", shape.channels},
                   {"filters", shape.filters},
                   {"filter_height", shape.filter_height},
                   {"filter_width", shape.filter_width}};
  tunable.space = space(device, problem);
  tunable.demand = [problem](const Configuration& choice) {
    return filterbank_kernel(choice.word("kernel")).demand(problem, choice);
  };
  tunable.sources = [device, problem](const Configuration& choice) {
    return std::vector{filterbank_kernel(choice.word("kernel")).source(device, problem, choice)};
  };
  tunable.work = shape.flops() / 1e9;
  tunable.unit = "GFLOP/s";
  return tunable;
}

}  // namespace filterbank

}  // namespace rtcg::vision
