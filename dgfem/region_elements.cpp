#include "dgfem/region_elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rtcg/error.h"

namespace rtcg::dgfem {

std::vector<std::int32_t> elements_of_regions(const Discretization& mesh, std::span<const std::string> names,
                                              const std::string& what) {
  std::vector<char> is_wanted(mesh.mesh.regions.size(), 0);
  for (const std::string& name : names) {
    bool found = false;
    for (std::size_t r = 0; r < is_wanted.size(); ++r)
      if (mesh.mesh.regions[r].is(name)) is_wanted[r] = 1, found = true;
    if (found) continue;
    std::vector<std::string> known;
    for (const Group& region : mesh.mesh.regions) known.push_back(region.text());
    throw InputError(fmt::format("{}: the mesh has no region '{}': it has {}", what, name, fmt::join(known, ", ")));
  }
  std::vector<std::int32_t> elements;
  for (std::size_t e = 0; e < mesh.size(); ++e)
    if (is_wanted[static_cast<std::size_t>(mesh.mesh.region_of[e])]) elements.push_back(static_cast<std::int32_t>(e));
  return elements;
}

}  // namespace rtcg::dgfem
