#include "dgfem/time_scheme.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

/// The times of the stages are where dq/dt = 1 has got to.
TimeScheme with_times(TimeScheme scheme) {
  double time = 0, residual = 0;
  for (std::size_t s = 0; s < scheme.stages(); ++s) {
    scheme.c.push_back(time);
    residual = scheme.a[s] * residual + 1;
    time += scheme.b[s] * residual;
  }
  return scheme;
}

const std::vector<const TimeScheme*>& all() {
  static const std::vector<const TimeScheme*> schemes{&lsrk45(), &lsrk144()};
  return schemes;
}

}  // namespace

std::complex<double> TimeScheme::amplification(std::complex<double> z) const {
  std::complex<double> q = 1, residual = 0;
  for (std::size_t s = 0; s < stages(); ++s) {
    residual = a[s] * residual + z * q;
    q += b[s] * residual;
  }
  return q;
}

const TimeScheme& lsrk45() {
  static const TimeScheme scheme = with_times(
      {"lsrk45",
       4,
       {0, -567301805773.0 / 1357537059087.0, -2404267990393.0 / 2016746695238.0, -3550918686646.0 / 2091501179385.0,
        -1275806237668.0 / 842570457699.0},
       {1432997174477.0 / 9575080441755.0, 5161836677717.0 / 13612068292357.0, 1720146321549.0 / 2090206949498.0,
        3134564353537.0 / 4481467310338.0, 2277821191437.0 / 14882151754819.0},
       {}});
  return scheme;
}

const TimeScheme& lsrk144() {
  static const TimeScheme scheme = with_times(
      {"lsrk144",
       4,
       {0, -0.7188012108672410, -0.7785331173421570, -0.0053282796654044, -0.8552979934029281, -3.9564138245774565,
        -1.5780575380587385, -2.0837094552574054, -0.7483334182761610, -0.7032861106563359, 0.0013917096117681,
        -0.0932075369637460, -0.9514200470875948, -7.1151571693922548},
       {0.0367762454319673, 0.3136296607553959, 0.1531848691869027, 0.0030097086818182, 0.3326293790646110,
        0.2440251405350864, 0.3718879239592277, 0.6204126221582444, 0.1524043173028741, 0.0760894927419266,
        0.0077604214040978, 0.0024647284755382, 0.0780348340049386, 5.5059777270269628},
       {}});
  return scheme;
}

const TimeScheme& time_scheme(std::string_view name) {
  for (const TimeScheme* scheme : all())
    if (scheme->name == name) return *scheme;
  throw InputError(fmt::format("there is no time scheme '{}'; there are {}", name, fmt::join(time_schemes(), ", ")));
}

std::vector<std::string> time_schemes() {
  std::vector<std::string> names;
  for (const TimeScheme* scheme : all()) names.push_back(scheme->name);
  return names;
}

}  // namespace rtcg::dgfem
