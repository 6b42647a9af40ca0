#include "dgfem/output/shown_arrays.h"

#include <algorithm>

namespace rtcg::dgfem {

std::vector<VectorField> shown_arrays(const System& system) {
  std::vector<VectorField> shown = system.vectors;
  for (int f = 0; f < static_cast<int>(system.fields.size()); ++f)
    if (std::none_of(system.vectors.begin(), system.vectors.end(), [&](const VectorField& vector) {
          return std::find(vector.fields.begin(), vector.fields.end(), f) != vector.fields.end();
        }))
      shown.push_back({system.fields[static_cast<std::size_t>(f)], {f}});
  return shown;
}

}  // namespace rtcg::dgfem
