// A system's formulas as C functions, in the portable dialect, for the kernels that need them. `real` is a type of the
// kernel's; arrays are indexed by constants only, so that they stay in registers:
//
//   DG_FIELDS, DG_DIMENSION, DG_MATERIALS, DG_LINEAR, DG_HAS_SOURCE, DG_BOUNDARY_USES_PLACE
//   dg_volume(derivative [d][field], material, rate [field])      rate = - sum_d A_d dq/dx_d; where DG_LINEAR
//   dg_flux(q, material, flux [d][field])
//   dg_source(q, material, rate)                                  adds
//   dg_penalty(condition, in, out, normal, material_in, material_out, lifted)      condition -1: between elements
//   dg_boundary(condition, in, normal, x, t, material, out)
//
// `material` is a row of SystemText::rows. With one region its values stand in the text as literals and the argument is
// not read.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dgfem/boundary_condition.h"
#include "dgfem/system.h"
#include "rtcg/device/argument.h"

namespace rtcg::dgfem {

struct SystemText {
  std::string functions;
  std::vector<std::vector<double>> rows;  ///< [region][DG_MATERIALS]: materials, constants, flux coefficients
};

/// `parameters`: every parameter of the system. `regions`: System::region_values of each, at least one. InputError with
/// a caret for formulas that cannot be read or use names that mean nothing there; for kinds that the system lacks,
/// listing those it has, and formulas that a kind needs.
SystemText system_text(const System& system, std::span<const BoundaryCondition> conditions,
                       const std::map<std::string, double>& parameters, std::span<const std::vector<double>> regions,
                       ScalarType real);

/// "static inline void name(const real* x, real t, real* values)": a value for each field, 0 for those without a
/// formula. InputError with a caret, or naming the fields there are.
std::string field_function(const std::string& name, const System& system,
                           const std::map<std::string, std::string>& formulas,
                           const std::map<std::string, double>& parameters, ScalarType real);

/// "static inline void name(const real* q, const real* x, real t, const real* material, real* values)": the value of
/// each formula of fields, materials, constants (a region's values in `material`), parameters, volume_let, x, y, z and
/// t. InputError with a caret, beginning with the formula's name.
std::string measure_function(const std::string& name, const System& system, std::span<const Definition> formulas,
                             const std::map<std::string, double>& parameters, ScalarType real);

}  // namespace rtcg::dgfem
