// Numbers that say how a run goes: integrals over the mesh and largest values of formulas of the fields, such as
// energy, what is conserved, and errors against an exact solution. They are worked out on the device in double, in a
// fixed order, and come to the host as one small copy.
#pragma once

#include "dgfem/solver.h"
#include "rtcg/compile/kernel.h"

namespace rtcg::dgfem {

struct Measure {
  std::string name;
  std::string formula;  ///< of fields, materials, constants, parameters, x, y, z, t
  enum class Kind : std::uint8_t { integral, root_of_integral, largest } kind = Kind::integral;
};

/// Integrals of the system's energy ("energy", where it has one).
std::vector<Measure> energy_measures(const System& system);
/// The integral of each field, by the field's name.
std::vector<Measure> content_measures(const System& system);
/// Of each field with an exact formula: "FIELD.l2", root of the integral of the error squared, and "FIELD.max".
std::vector<Measure> error_measures(const FieldFormulas& exact);

class Measurement {
 public:
  /// Integrals are exact for products of fields on straight elements with the degree that is the default, 2 order; the
  /// largest values are those at the points of integration and at the nodes. InputError with a caret for a formula.
  Measurement(const Solver& solver, std::vector<Measure> measures, std::optional<int> degree = {});

  const std::vector<Measure>& measures() const { return measures_; }
  /// Of the solver's present state: [measure].
  std::vector<double> operator()(const Solver& solver) const;
  /// Of a state like Solver::state().
  std::vector<double> operator()(const Buffer& state, double time) const;

 private:
  std::vector<Measure> measures_;
  std::vector<std::size_t> place_;  // [measure] -> row of the kernel's result
  std::size_t integrals_ = 0;
  std::shared_ptr<const StageData> data_;
  std::optional<Kernel> kernel_;
  Buffer interpolation_, weights_, barycentric_, vertices_, jacobian_, curved_, materials_, result_;
  int group_ = 1;
};

}  // namespace rtcg::dgfem
