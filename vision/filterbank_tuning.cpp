#include "vision/filterbank_tuning.h"

#include <array>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "vision/filterbank_trial.h"

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

Tunable describe(const Device& device, const FilterbankShape& shape, Precision allow) {
  shape.check();
  const FilterbankProblem problem{shape, {}, allow};
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
  tunable.trial = [problem](const Stream& stream) { return std::make_unique<FilterbankTrial>(stream, problem); };
  tunable.work = shape.flops();
  tunable.unit = "FLOP";
  return tunable;
}

}  // namespace filterbank

void add_filterbank(TunableRegistry& registry) {
  TunableFamily family;
  family.name = "filterbank";
  family.meaning = "correlation of images with a bank of filters";
  family.traits = {{"border", "how images are extended", {"valid", "zero", "reflect", "replicate", "wrap"}},
                   {"stride",
                    "rows x columns from one response to the next",
                    {"1 x 1", "1 x 2", "2 x 1", "2 x 2", "3 x 3", "4 x 4"}},
                   {"allow", "the roughest precision of the factors", {"exact", "tf32", "fp16"}}};
  family.sizes = {{"images", "images at once", 1},           {"height", "rows of an image", 256},
                  {"width", "columns of an image", 256},     {"channels", "channels of images and filters", 8},
                  {"filters", "filters of the bank", 64},    {"filter_height", "rows of a filter", 9},
                  {"filter_width", "columns of a filter", 9}};
  family.describe = [](const Device& device, const TunableFamily::Traits& traits, const TunableFamily::Sizes& sizes) {
    const auto size = [&](const char* name) { return static_cast<std::size_t>(sizes.at(name)); };
    FilterbankShape shape{.images = size("images"),
                          .height = size("height"),
                          .width = size("width"),
                          .channels = size("channels"),
                          .filters = size("filters"),
                          .filter_height = size("filter_height"),
                          .filter_width = size("filter_width")};
    const std::string& stride = traits.at("stride");  // one of the list above: single digits
    shape.stride_y = static_cast<std::size_t>(stride.front() - '0');
    shape.stride_x = static_cast<std::size_t>(stride.back() - '0');
    shape.border = parse_border(traits.at("border"));
    return filterbank::describe(device, shape, parse_precision(traits.at("allow")));
  };
  registry.add(std::move(family));
}

}  // namespace rtcg::vision
