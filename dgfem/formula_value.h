// Formulas looked at on the host: their value for given numbers, and whether they are linear in some of their names.
// For the few places where a number is wanted before there is a kernel: materials, wave speeds, flux matrices.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "rtcg/array/formula_tree.h"

namespace rtcg::dgfem {

/// In double. `value_of` gives a name's value or nothing; InputError with a caret for names it does not know (after C's
/// constants) and for operations that have no meaning for real numbers.
double formula_value(const FormulaTree& tree, const std::function<std::optional<double>(std::string_view)>& value_of);

enum class Dependence : std::uint8_t { none, linear, other };
/// How the formula depends on certain names, given how each name does. Linear means a sum of terms with one such factor
/// and no constant term.
Dependence formula_dependence(const FormulaTree& tree, const std::function<Dependence(std::string_view)>& of_name);

}  // namespace rtcg::dgfem
