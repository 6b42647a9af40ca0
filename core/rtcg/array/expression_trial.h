// A tuning trial of array code that asks for its configuration itself (choice.h): evaluates an expression with each
// configuration forced and holds every element against a reference that was computed on the host.
#pragma once

#include <functional>
#include <vector>

#include "rtcg/array/expression.h"
#include "rtcg/tune/trial.h"

namespace rtcg {

/// `reference` is asked once, at the first check; its values must come out to the bit (choose data whose result is
/// exact in any order).
std::unique_ptr<Trial> expression_trial(const Stream& stream, std::string family, const Expression& expression,
                                        std::function<std::vector<double>()> reference);

/// Whole numbers of {-1, 0, 1} in an array of the type: sums of up to 2^24 of them are exact in float32.
struct WholeNumbers {
  std::vector<signed char> values;
  WholeNumbers(std::size_t count, unsigned seed);
  Array on(const Stream& stream, Dtype type, const Shape& shape) const;
};

}  // namespace rtcg
