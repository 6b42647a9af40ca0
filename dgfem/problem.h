// What is to be solved, as plain data: a case file or a program fills it, the solver reads it.
#pragma once

#include <memory>
#include <optional>

#include "dgfem/boundary_condition.h"
#include "dgfem/mesh/mesh.h"
#include "dgfem/system.h"

namespace rtcg::dgfem {

using Values = std::map<std::string, double>;              ///< by name of a material or parameter
using FieldFormulas = std::map<std::string, std::string>;  ///< by field, in x, y, z (and t)

/// Adds to the rate of change of fields.
struct SourceTerm {
  std::string region;  ///< "": everywhere
  FieldFormulas rate;
};

struct Pml {
  std::vector<std::string> regions;
  double exponent = 2;
  double reflection = 1e-4;  ///< of the profile alone, at normal incidence
};

/// Of gas dynamics with shocks (limiter.h).
struct LimiterSettings {
  double threshold = 0.03;  ///< of density's part of the highest degree, at any node, to its mean
};

struct Problem {
  Mesh mesh;
  std::shared_ptr<const System> system;
  int order = 3;
  std::map<std::string, Values> materials;              ///< by region; "default" for those not named
  std::map<std::string, BoundaryCondition> boundaries;  ///< by name of the mesh's boundary
  Values parameters;                                    ///< of the system, over their defaults
  FieldFormulas initial;                                ///< fields that are not named start at 0
  std::vector<SourceTerm> sources;
  std::optional<Pml> pml;
  std::optional<LimiterSettings> limiter;
  FieldFormulas exact;  ///< fields that are named are compared with it
};

}  // namespace rtcg::dgfem
