// The parameters of a kernel, their allowed values and what must hold between them, as data: a tuner walks it, and what
// was remembered under an older version of it is held against it before use.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "rtcg/tune/configuration.h"

namespace rtcg {

class ParameterSpace {
 public:
  using Predicate = std::function<bool(const Configuration&)>;
  struct Parameter {
    std::string name;
    std::vector<ParameterValue> values;
    ParameterValue standard;  ///< one of the values
  };
  struct Constraint {
    std::string reason;              ///< "rows x columns <= 64": shown when it does not hold
    std::vector<std::string> reads;  ///< the parameters it looks at
    Predicate holds;
  };

  /// UsageError for a name that is there already, values that repeat, or a default that is none of them.
  ParameterSpace& parameter(std::string name, std::vector<ParameterValue> values, ParameterValue standard);
  /// UsageError when it reads an unknown parameter or the default breaks it, which needs every parameter to be there.
  ParameterSpace& constraint(std::string reason, std::vector<std::string> reads, Predicate holds);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }
  /// Every parameter at its default.
  const Configuration& standard() const { return standard_; }
  /// Why the configuration is not of this space: a parameter too many or too few, an unknown value, a broken
  /// constraint. Empty when it is.
  std::string objection(const Configuration& configuration) const;

  /// Every configuration of the space in the order of the values, the last parameter fastest, until `visit` returns
  /// false. A constraint is asked as soon as what it reads is chosen, so that large spaces with few members are quick.
  void enumerate(const std::function<bool(const Configuration&)>& visit) const;
  /// The number of configurations without the constraints.
  double product() const;
  /// Any configuration of the space; uniformly where not too few of the product hold.
  Configuration random(std::mt19937_64& generator) const;
  /// The configurations that differ in one parameter. Where that breaks a constraint, the others that the constraint
  /// reads go back to their defaults, if that mends it: so one kernel's neighbours are other kernels at their defaults.
  std::vector<Configuration> neighbours(const Configuration& configuration) const;

 private:
  bool walk(Configuration& chosen, std::size_t depth, const std::vector<std::vector<std::size_t>>& order,
            const std::function<bool(const Configuration&)>& visit) const;
  bool holds_so_far(const Configuration& chosen) const;

  std::vector<Parameter> parameters_;
  std::vector<Constraint> constraints_;
  Configuration standard_;
};

}  // namespace rtcg
