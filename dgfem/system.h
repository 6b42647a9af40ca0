// A system of partial differential equations as a description: what its fields are called, how they flow and what
// happens where elements meet. Kernels are generated from it (system_text.h); shipped systems and a user's own are
// files of the same form (system_file.h, docs/systems.md).
//
//   dq/dt + sum_d dF_d(q)/dx_d = S(q)
//
// and, element by element, dq/dt = - sum_d D_d F_d + LIFT(face_scale x penalty) + S with penalty = n.F(q_in) - F*.
// Formulas are C expressions (rtcg/array/formula.h). Those of the volume know the fields, materials, constants and
// parameters by their names; those of a face know FIELD_in, FIELD_out, jump_FIELD (out - in), the materials and
// constants of both sides (epsilon_in, epsilon_out), nx, ny, nz, the parameters and the names defined in `let`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dgfem/formula_value.h"

namespace rtcg::dgfem {

/// "name = expression"
struct Definition {
  std::string name, text;
};
struct Quantity {
  std::string name;
  double value = 0;  ///< where nothing else is given
};
struct VectorField {
  std::string name;
  std::vector<int> fields;  ///< indices of its components, as many as dimensions or 3
};

struct BoundaryKind {
  std::string name;
  std::vector<Definition> let;               ///< known to `outer` and to nothing else
  std::vector<std::string> outer;            ///< [field]: FIELD_out; knows FIELD_in, x, y, z, t and `given`
  std::map<std::string, double> parameters;  ///< overrides on faces of this kind: {"alpha", 1}
  std::vector<std::string> given;            ///< names of formulas the case must give, known to `outer`
};

struct System {
  std::string name;
  int dimension = 0;
  std::vector<std::string> fields;
  std::vector<VectorField> vectors;    ///< for programs that show them
  std::vector<Quantity> materials;     ///< constant in each region
  std::vector<Definition> constants;   ///< of the materials alone and of constants before; worked out on the host
  std::vector<Quantity> parameters;    ///< of the whole run: upwinding, ratio of specific heats
  std::vector<Definition> volume_let;  ///< known to flux, source and speed
  std::vector<std::vector<std::string>> flux;  ///< [d][field]
  std::vector<Definition> let;                 ///< known to penalty
  std::vector<std::string> penalty;            ///< [field]
  std::vector<std::string> source;             ///< [field], "" for none
  std::string speed;                           ///< largest speed of a wave
  std::string energy;                          ///< density of energy (or entropy), "" for none
  std::vector<BoundaryKind> boundaries;
  std::vector<int> pml_axes;  ///< [field]: 0 to 2, the axis it points along (pml.h); empty: no absorbing layers

  int field(std::string_view field_name) const;               ///< -1 when there is none
  const BoundaryKind* boundary(std::string_view kind) const;  ///< null when there is none
  /// Materials, then constants of one region: what kernels are given. `given` overrides defaults.
  /// InputError naming an unknown material.
  std::vector<double> region_values(const std::map<std::string, double>& given) const;
  /// Whether every flux is a sum of fields times factors that do not depend on fields.
  bool is_linear() const;
  /// How a formula of the volume depends on the fields.
  Dependence dependence(const std::string& formula) const;
  /// Whether waves are as fast everywhere in a region, whatever the fields.
  bool has_constant_speed() const { return dependence(speed) == Dependence::none; }
  /// `speed` for a region's values; InputError where it depends on the fields.
  double wave_speed(const std::vector<double>& region_values, const std::map<std::string, double>& parameters_) const;
};

}  // namespace rtcg::dgfem
