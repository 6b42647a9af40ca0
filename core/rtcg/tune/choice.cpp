#include "rtcg/tune/choice.h"

#include <algorithm>
#include <cmath>

namespace rtcg {

ForcedConfiguration::ForcedConfiguration(std::string_view family, const Configuration& configuration)
    : family_(family), configuration_(configuration), outer_(innermost) {
  innermost = this;
}

ForcedConfiguration::~ForcedConfiguration() {
  innermost = outer_;
}

const Configuration* ForcedConfiguration::found(std::string_view family) {
  for (const ForcedConfiguration* at = innermost; at != nullptr; at = at->outer_)
    if (at->family_ == family) return &at->configuration_;
  return nullptr;
}

unsigned size_class(double size) {
  return static_cast<unsigned>(std::clamp(std::lround(std::log2(std::max(size, 1.0))), 0L, 63L));
}

double size_of_class(unsigned size_class) {
  return std::ldexp(1.0, static_cast<int>(size_class));
}

std::vector<ParameterValue> integers(std::initializer_list<std::int64_t> values) {
  return {values.begin(), values.end()};
}

}  // namespace rtcg
