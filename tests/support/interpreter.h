// A plain interpreter of expression graphs on the host: the independent answer for property tests. Every node is
// computed element by element, integers exactly, real and complex numbers in long double together with a bound of what
// a device may differ by. Where rounding decides (a comparison too close to call, a floor at an integer, a domain
// error) a number is marked as unknown and is not compared.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rtcg/array/expression.h"
#include "support/numbers.h"

namespace rtcg::test {

class Interpreter {
 public:
  /// How a phase (a total node) computes its result from the values of its operands.
  using Rule = std::function<Numbers(const Node& operand, const Numbers& values)>;
  std::map<const Phase*, Rule> rules;

  /// In C order. Results are kept for the nodes of this interpreter's life.
  const Numbers& operator()(const NodePtr& node);

  /// Compares with what a device gave; "" or where and how they differ. Counts the numbers that were comparable.
  std::string difference(const NodePtr& node, const Array& result);
  std::size_t compared = 0, unknown = 0;

 private:
  Numbers compute(const Node& node);
  std::map<const Node*, Numbers> done_;
  std::vector<NodePtr> kept_;
};

/// The numbers of an array of any type.
Numbers numbers_of(const Array& array);
}  // namespace rtcg::test
