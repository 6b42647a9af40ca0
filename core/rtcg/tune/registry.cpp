#include "rtcg/tune/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "rtcg/error.h"
#include "rtcg/tune/wisdom_file.h"

namespace rtcg {

namespace {

constexpr double largest_size = 1e12;

std::string names_of(const auto& items) {
  if (items.empty()) return "none";
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

template <class Given>
void refuse_unknown(const TunableFamily& family, const char* kind, const auto& known, const Given& given) {
  for (const auto& [name, value] : given)
    if (std::none_of(known.begin(), known.end(), [&key = name](const auto& item) { return item.name == key; }))
      throw UsageError(fmt::format("{} has no {} '{}'; it has: {}", family.name, kind, name, names_of(known)));
}

}  // namespace

Tunable TunableFamily::make(const Device& device, const Traits& given_traits, const Sizes& given_sizes) const {
  refuse_unknown(*this, "trait", traits, given_traits);
  refuse_unknown(*this, "size", sizes, given_sizes);
  Traits all_traits = given_traits;
  for (const Trait& trait : traits) {
    const std::string& value =
        all_traits.try_emplace(trait.name, trait.values.empty() ? "" : trait.values.front()).first->second;
    if (!trait.values.empty() && std::find(trait.values.begin(), trait.values.end(), value) == trait.values.end())
      throw UsageError(
          fmt::format("{}: {} '{}' is none of {}", name, trait.name, value, fmt::join(trait.values, ", ")));
  }
  Sizes all_sizes = given_sizes;
  for (const Size& size : sizes) {
    const double value = all_sizes.try_emplace(size.name, size.standard).first->second;
    if (!std::isfinite(value) || value <= 0)
      throw UsageError(fmt::format("{}: {} is {:g}, where it must be more than 0", name, size.name, value));
    if (value > largest_size)
      throw UsageError(
          fmt::format("{}: {} is {:g}, more than any device holds ({:g})", name, size.name, value, largest_size));
  }
  return describe(device, all_traits, all_sizes);
}

void TunableRegistry::add(TunableFamily family) {
  wisdom_file_name(family.name);
  const auto place = std::lower_bound(families_.begin(), families_.end(), family,
                                      [](const TunableFamily& a, const TunableFamily& b) { return a.name < b.name; });
  if (place != families_.end() && place->name == family.name)
    throw UsageError(fmt::format("the tunable family '{}' is there twice", family.name));
  families_.insert(place, std::move(family));
}

const TunableFamily& TunableRegistry::find(const std::string& name) const {
  for (const TunableFamily& family : families_)
    if (family.name == name) return family;
  throw UsageError(fmt::format("there is no tunable family '{}'; there are: {}", name, names_of(families_)));
}

}  // namespace rtcg
