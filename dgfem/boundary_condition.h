// What holds on a named boundary: a kind that the system knows ("pec", "rigid", "exact") and the formulas of x, y, z, t
// that this kind asks for. Plain data; the system's description says which outer states the kind stands for.
#pragma once

#include <map>
#include <string>

namespace rtcg::dgfem {

struct BoundaryCondition {
  std::string kind;
  std::map<std::string, std::string> formulas;  ///< by field: of an incident wave, an inflow, an exact solution

  friend bool operator==(const BoundaryCondition&, const BoundaryCondition&) = default;
};

}  // namespace rtcg::dgfem
