#include "dgfem/stability.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rtcg/error.h"

namespace rtcg::dgfem {
namespace {

using Vector = Eigen::Vector3d;

TEST(TimeSchemeTest, AmplificationIsTheExponentialToFourthOrder) {
  for (const std::string& name : time_schemes()) {
    const TimeScheme& scheme = time_scheme(name);
    const std::complex<double> direction = std::polar(1.0, 2.0);
    const auto error = [&](double size) {
      return std::abs(scheme.amplification(size * direction) - std::exp(size * direction));
    };
    EXPECT_NEAR(std::log2(error(0.1) / error(0.05)), 5, 0.1) << name;
  }
  EXPECT_THROW(time_scheme("euler"), InputError);
}

TEST(TimeSchemeTest, ConvergesToFourthOrderWhereTheRateDependsOnTime) {
  // dq/dt = -2 t q^2 from 1: q = 1 / (1 + t^2).
  for (const std::string& name : time_schemes()) {
    const TimeScheme& scheme = time_scheme(name);
    const auto error = [&](int steps) {
      double q = 1, residual = 0;
      for (int i = 0; i < steps; ++i)
        for (std::size_t s = 0; s < scheme.stages(); ++s) {
          const double dt = 1.0 / steps, t = (i + scheme.c[s]) * dt;
          residual = scheme.a[s] * residual - dt * 2 * t * q * q;
          q += scheme.b[s] * residual;
        }
      return std::abs(q - 0.5);
    };
    EXPECT_NEAR(std::log2(error(8) / error(16)), 4, 0.35) << name;
  }
}

TEST(StabilityTest, TableIsWhatSpectraSay) {
  const double pi = std::numbers::pi;
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron})
    for (const int order : {1, 2, 3}) {
      double least[2] = {1e9, 1e9};
      const SymmetricSystem sound = acoustic_system(dimension_of(type));
      for (const Vector& phase : {Vector(0, 0, 0), Vector(pi, 0, 0), Vector(pi, pi, pi), Vector(pi / 2, -pi / 3, 1)}) {
        if (order == 3 && type == ElementType::tetrahedron && !phase.isZero()) continue;  // takes long, does not bind
        const Eigen::VectorXcd spectrum = upwind_spectrum(type, order, sound, phase);
        EXPECT_LT(spectrum.real().maxCoeff(), 1e-9);  // upwind fluxes never grow
        least[0] = std::min(least[0], largest_scale(lsrk45(), spectrum));
        least[1] = std::min(least[1], largest_scale(lsrk144(), spectrum));
      }
      EXPECT_NEAR(stability_limit(lsrk45(), type, order), least[0], 0.002) << name_of(type) << ' ' << order;
      EXPECT_NEAR(stability_limit(lsrk144(), type, order), least[1], 0.002) << name_of(type) << ' ' << order;
    }
}

TEST(StabilityTest, LightMayTakeTheStepsOfSound) {
  for (const int order : {1, 2}) {
    const Eigen::VectorXcd spectrum =
        upwind_spectrum(ElementType::tetrahedron, order, maxwell_system(), Vector::Zero());
    for (const TimeScheme* scheme : {&lsrk45(), &lsrk144()})
      EXPECT_GE(largest_scale(*scheme, spectrum), stability_limit(*scheme, ElementType::tetrahedron, order));
  }
}

TEST(StabilityTest, LongerSchemesPayForTheirStages) {
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron})
    for (int order = 1; order <= 10; ++order) {
      EXPECT_GT(stability_limit(lsrk144(), type, order) / 14, 1.1 * stability_limit(lsrk45(), type, order) / 5)
          << order;
      if (order > 1) EXPECT_LT(stability_limit(lsrk45(), type, order), stability_limit(lsrk45(), type, order - 1));
    }
}

}  // namespace
}  // namespace rtcg::dgfem
