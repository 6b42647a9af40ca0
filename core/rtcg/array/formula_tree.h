// The text of a formula read into a tree: C's expressions over named values, without types yet. Names and functions are
// resolved when it is read; what the values are (arrays, numbers, names of a kernel) is the business of who walks it.
//
// Any text gives a tree or an InputError that shows the text with a caret. Texts over 64 KiB, more than 2000 operators
// and more than 200 levels of brackets are refused, so a walk may recurse.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rtcg/array/operations.h"

namespace rtcg {

struct FormulaNode {
  enum class Kind : std::uint8_t { literal, name, cast, operation };
  Kind kind;
  Op op = Op::scalar;                       ///< of an operation, from the operations table
  Dtype type = Dtype::unknown;              ///< of a cast
  Scalar value = {};                        ///< of a literal: int32, int64, uint64 ... float32 or float64 by its suffix
  std::uint32_t name = 0;                   ///< index into FormulaTree::names
  std::array<std::uint32_t, 3> operands{};  ///< earlier nodes
  std::uint32_t operand_count = 0;
  std::uint32_t at = 0;  ///< byte of the text to point at
};

struct FormulaTree {
  std::string text;
  std::vector<std::string> parameters;  ///< of "(x, y) -> ...", else empty
  std::vector<std::string> names;       ///< the values it uses, in order of appearance, each once
  std::vector<FormulaNode> nodes;       ///< operands before their operation; the last is the result

  /// InputError: the message, the line of the text, a caret below the place.
  [[noreturn]] void fail(std::size_t at, std::string_view message) const;
};

FormulaTree read_formula(std::string text);

/// pi and C's M_PI, M_E ... (with _F too), INFINITY, NAN. A value given under such a name takes precedence.
std::optional<double> formula_constant(std::string_view name);

/// The type that C names ("float", "unsigned int", "int8_t", "cfloat_t"); Dtype::unknown for other words.
Dtype dtype_of_c(std::string_view name);

}  // namespace rtcg
