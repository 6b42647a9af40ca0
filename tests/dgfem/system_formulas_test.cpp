// Shipped systems against the formulas of the literature, written here a second time.
#include <cmath>

#include "system_functions.h"

namespace rtcg::dgfem {
namespace {

using namespace test;
using Eigen::Vector3d;

constexpr Eigen::Index count = 50;

class SystemFormulasTest : public rtcg::test::DeviceTest {};

/// Fields by name in a column of states, 0 for those that the system lacks.
Vector3d vector_of(const System& system, const MatrixXd& states, Eigen::Index i, const std::string& name) {
  Vector3d v = Vector3d::Zero();
  for (int d = 0; d < 3; ++d)
    if (const int f = system.field(name + "xyz"[d]); f >= 0) v(d) = states(f, i);
  return v;
}
Vector3d normal_of(const Calls& calls, Eigen::Index i) {
  Vector3d n = Vector3d::Zero();
  for (Eigen::Index d = 0; d < calls.normal.rows(); ++d) n(d) = calls.normal(d, i);
  return n;
}

TEST_P(SystemFormulasTest, Maxwell) {
  for (const auto& [name, dimension] : {std::pair{"maxwell", 3}, {"maxwell_tm", 2}, {"maxwell_te", 2}}) {
    SCOPED_TRACE(name);
    const System& system = *shipped_system(name, dimension);
    const double epsilon[] = {2.5, 1.2}, mu[] = {1.1, 3.0}, sigma = 0.7;
    std::vector<std::vector<double>> regions;
    for (int r : {0, 1})
      regions.push_back(system.region_values({{"epsilon", epsilon[r]}, {"mu", mu[r]}, {"sigma", sigma}}));
    for (const double alpha : {0.0, 0.4, 1.0}) {
      const SystemFunctions call(stream(), system, regions, {{"alpha", alpha}});
      Calls calls = random_calls(system, count, 11);
      calls.region_out = 1;
      const Answers answers = call(calls);
      const double z = std::sqrt(mu[0] / epsilon[0]), z_out = std::sqrt(mu[1] / epsilon[1]), y = 1 / z,
                   y_out = 1 / z_out;
      for (Eigen::Index i = 0; i < count; ++i) {
        const auto of = [&](const MatrixXd& states, const char* field) { return vector_of(system, states, i, field); };
        const Vector3d n = normal_of(calls, i), e = of(calls.out, "E") - of(calls.in, "E"),
                       h = of(calls.out, "H") - of(calls.in, "H");
        const Vector3d lifted_e = n.cross(z_out * h - alpha * n.cross(e)) / (z + z_out) / epsilon[0],
                       lifted_h = -n.cross(y_out * e + alpha * n.cross(h)) / (y + y_out) / mu[0];
        EXPECT_LT((of(answers.lifted, "E") - lifted_e).norm(), 1e-14);
        EXPECT_LT((of(answers.lifted, "H") - lifted_h).norm(), 1e-14);
        EXPECT_LT((of(answers.source, "E") + sigma / epsilon[0] * of(calls.in, "E")).norm(), 1e-14);
        EXPECT_EQ(of(answers.source, "H").norm(), 0);
        Vector3d curl_e = Vector3d::Zero(), curl_h = Vector3d::Zero();
        const Eigen::Index fields = calls.in.rows();
        for (int d = 0; d < dimension; ++d) {
          const MatrixXd along_d = calls.derivative.middleRows(d * fields, fields);
          curl_e += Vector3d::Unit(d).cross(of(along_d, "E"));
          curl_h += Vector3d::Unit(d).cross(of(along_d, "H"));
        }
        EXPECT_LT((of(answers.volume, "E") - curl_h / epsilon[0]).norm(), 1e-14);
        EXPECT_LT((of(answers.volume, "H") + curl_e / mu[0]).norm(), 1e-14);
      }
    }
  }
}

TEST_P(SystemFormulasTest, Acoustics) {
  for (const int dimension : {2, 3}) {
    const System& system = *shipped_system("acoustics", dimension);
    const double rho[] = {1.3, 0.4}, c[] = {2.0, 3.5};
    std::vector<std::vector<double>> regions;
    for (int r : {0, 1}) regions.push_back(system.region_values({{"rho", rho[r]}, {"c", c[r]}}));
    for (const double alpha : {0.0, 0.4, 1.0}) {
      Calls calls = random_calls(system, count, 12);
      calls.region_out = 1;
      const Answers answers = SystemFunctions(stream(), system, regions, {{"alpha", alpha}})(calls);
      const double z = rho[0] * c[0], z_out = rho[1] * c[1];
      for (Eigen::Index i = 0; i < count; ++i) {
        const VectorXd n = calls.normal.col(i);
        const double p = calls.in(0, i), p_out = calls.out(0, i), un = calls.in.col(i).tail(dimension).dot(n),
                     un_out = calls.out.col(i).tail(dimension).dot(n);
        const double p_face = (z_out * p + z * p_out - alpha * z * z_out * (un_out - un)) / (z + z_out),
                     un_face = (z * un + z_out * un_out - alpha * (p_out - p)) / (z + z_out);
        EXPECT_NEAR(answers.lifted(0, i), -rho[0] * c[0] * c[0] * (un_face - un), 1e-13);
        EXPECT_LT((answers.lifted.col(i).tail(dimension) + n * (p_face - p) / rho[0]).norm(), 1e-13);
        double divergence = 0;
        for (int d = 0; d < dimension; ++d) {
          divergence += calls.derivative(d * (dimension + 1) + d + 1, i);
          EXPECT_NEAR(answers.volume(d + 1, i), -calls.derivative(d * (dimension + 1), i) / rho[0], 1e-14);
        }
        EXPECT_NEAR(answers.volume(0, i), -rho[0] * c[0] * c[0] * divergence, 1e-13);
      }
    }
  }
}

TEST_P(SystemFormulasTest, Advection) {
  for (const int dimension : {2, 3}) {
    const System& system = *shipped_system("advection", dimension);
    VectorXd a(dimension);
    a(0) = 0.8, a(1) = -0.5;
    if (dimension == 3) a(2) = 0.3;
    for (const double alpha : {0.0, 1.0}) {
      std::map<std::string, double> parameters{{"ax", a(0)}, {"ay", a(1)}, {"alpha", alpha}};
      if (dimension == 3) parameters["az"] = a(2);
      const Calls calls = random_calls(system, count, 13);
      const Answers answers = SystemFunctions(stream(), system, two_regions(system), parameters)(calls);
      for (Eigen::Index i = 0; i < count; ++i) {
        const double an = a.dot(calls.normal.col(i)), in = calls.in(0, i), out = calls.out(0, i);
        EXPECT_NEAR(answers.lifted(0, i), an * in - (an * (in + out) / 2 - alpha * std::abs(an) * (out - in) / 2),
                    1e-15);
        EXPECT_NEAR(answers.volume(0, i), -a.dot(calls.derivative.col(i)), 1e-15);
      }
    }
  }
}

struct Gas {
  explicit Gas(const VectorXd& state) : q(state), rho(q(0)), u(q.segment(1, q.size() - 2) / rho) {
    p = 0.4 * (q(q.size() - 1) - 0.5 * rho * u.squaredNorm());
    c = std::sqrt(1.4 * p / rho);
  }
  VectorXd flux(const VectorXd& n) const {
    VectorXd f = q * u.dot(n);
    f.segment(1, n.size()) += p * n;
    f(q.size() - 1) += p * u.dot(n);
    return f;
  }
  VectorXd q;
  double rho;
  VectorXd u;
  double p = 0, c = 0;
};

/// Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, section 10.4.
VectorXd hllc(const Gas& l, const Gas& r, const VectorXd& n) {
  const double ul = l.u.dot(n), ur = r.u.dot(n), wl = std::sqrt(l.rho), wr = std::sqrt(r.rho);
  const double hl = (l.q.tail(1)(0) + l.p) / l.rho, hr = (r.q.tail(1)(0) + r.p) / r.rho;
  const VectorXd u = (wl * l.u + wr * r.u) / (wl + wr);
  const double h = (wl * hl + wr * hr) / (wl + wr), c = std::sqrt(0.4 * (h - 0.5 * u.squaredNorm()));
  const double sl = std::min(ul - l.c, u.dot(n) - c), sr = std::max(ur + r.c, u.dot(n) + c);
  const double s =
      (r.p - l.p + l.rho * ul * (sl - ul) - r.rho * ur * (sr - ur)) / (l.rho * (sl - ul) - r.rho * (sr - ur));
  const auto star = [&](const Gas& k, double uk, double sk) {
    VectorXd q(k.q.size());
    q(0) = 1;
    q.segment(1, n.size()) = k.u + (s - uk) * n;
    q(q.size() - 1) = k.q(q.size() - 1) / k.rho + (s - uk) * (s + k.p / (k.rho * (sk - uk)));
    return VectorXd(k.flux(n) + sk * (k.rho * (sk - uk) / (sk - s) * q - k.q));
  };
  if (sl >= 0) return l.flux(n);
  if (s >= 0) return star(l, ul, sl);
  return sr > 0 ? star(r, ur, sr) : r.flux(n);
}

TEST_P(SystemFormulasTest, Euler) {
  for (const int dimension : {2, 3}) {
    const System& system = *shipped_system("euler", dimension);
    const Calls calls = random_calls(system, 400, 14);
    const Answers with_hllc = SystemFunctions(stream(), system, two_regions(system))(calls);
    const Answers rusanov = SystemFunctions(stream(), system, two_regions(system), {{"hllc", 0}})(calls);
    int supersonic = 0;
    for (Eigen::Index i = 0; i < calls.in.cols(); ++i) {
      const VectorXd n = calls.normal.col(i);
      const Gas in(calls.in.col(i)), out(calls.out.col(i));
      const double un = in.u.dot(n), un_out = out.u.dot(n);
      supersonic += un > in.c && un_out > out.c;
      const double fastest = std::max(std::abs(un) + in.c, std::abs(un_out) + out.c);
      const double near = 1e-12 * (1 + in.flux(n).norm() + out.flux(n).norm() + fastest * (in.q - out.q).norm());
      const VectorXd central = 0.5 * (in.flux(n) + out.flux(n)) - 0.5 * fastest * (out.q - in.q);
      EXPECT_LT((rusanov.lifted.col(i) - (in.flux(n) - central)).norm(), near);
      EXPECT_LT((with_hllc.lifted.col(i) - (in.flux(n) - hllc(in, out, n))).norm(), near);
      for (int d = 0; d < dimension; ++d)
        EXPECT_LT(
            (with_hllc.flux.col(i).segment(d * (dimension + 2), dimension + 2) - in.flux(VectorXd::Unit(dimension, d)))
                .norm(),
            near);
    }
    EXPECT_GT(supersonic, 10);
  }
}

TEST_P(SystemFormulasTest, HllcKeepsContactsThatRestAndRusanovDoesNot) {
  const System& system = *shipped_system("euler", 2);
  Calls calls = random_calls(system, count, 15);
  for (Eigen::Index i = 0; i < count; ++i) {
    const VectorXd n = calls.normal.col(i);
    const Eigen::Vector2d slip(-n(1), n(0));
    const double rho[] = {calls.in(0, i), calls.out(0, i)};
    for (int side : {0, 1}) {
      auto q = (side == 0 ? calls.in : calls.out).col(i);
      const Eigen::Vector2d m = rho[side] * (side + 0.5) * slip;
      q << rho[side], m, 0.7 / 0.4 + 0.5 * m.squaredNorm() / rho[side];
    }
  }
  EXPECT_LT(SystemFunctions(stream(), system, two_regions(system))(calls).lifted.norm(), 1e-12);
  EXPECT_GT(SystemFunctions(stream(), system, two_regions(system), {{"hllc", 0}})(calls).lifted.norm(), 1);
}

TEST_P(SystemFormulasTest, ElasticFacesHaveOneVelocityAndOneTraction) {
  for (const int dimension : {2, 3}) {
    const System system = data_system(dimension == 2 ? "elastic_2d" : "elastic_3d");
    // Solid on fluid as well: there is no shear traction then, and each side slips.
    for (const double cs_out : {0.6, 0.0}) {
      const std::vector<std::vector<double>> regions{system.region_values({{"rho", 1.7}, {"cp", 2.5}, {"cs", 1.4}}),
                                                     system.region_values({{"rho", 0.8}, {"cp", 1.5}, {"cs", cs_out}})};
      const SystemFunctions call(stream(), system, regions);
      const double rho[] = {1.7, 0.8}, stiff[] = {1.7 * 2.5 * 2.5, 0.8 * 1.5 * 1.5};
      Calls here = random_calls(system, count, 16);
      if (cs_out == 0)
        for (Eigen::Index i = 0; i < count; ++i)
          for (Eigen::Index f = dimension; f < here.out.rows(); ++f)
            here.out(f, i) = f < 2 * dimension ? here.out(dimension, i) : 0;  // pressure alone
      here.region_out = 1;
      Calls there = here;
      std::swap(there.in, there.out);
      std::swap(there.region_in, there.region_out);
      there.normal = -here.normal;
      const Answers answers[] = {call(here), call(there)};
      for (Eigen::Index i = 0; i < count; ++i) {
        VectorXd traction[2];
        double across[2];
        for (int side : {0, 1}) {
          const Calls& calls = side == 0 ? here : there;
          const auto stress = [&](const MatrixXd& q) {
            MatrixXd s(dimension, dimension);
            for (int a = 0; a < dimension; ++a)
              for (int b = 0; b < dimension; ++b)
                s(a, b) = q(system.field(std::string("s") + "xyz"[std::min(a, b)] + "xyz"[std::max(a, b)]), i);
            return s;
          };
          const VectorXd n = calls.normal.col(i);
          traction[side] = stress(calls.in) * n + rho[side] * answers[side].lifted.col(i).head(dimension);
          // n.s n changes by (lambda + 2 mu) times what the normal velocity lacks.
          across[side] = calls.in.col(i).head(dimension).dot(n) + n.dot(stress(answers[side].lifted) * n) / stiff[side];
        }
        EXPECT_LT((traction[0] + traction[1]).norm(), 1e-13);
        EXPECT_NEAR(across[0], -across[1], 1e-13);
        if (cs_out == 0) {
          EXPECT_LT((traction[0] - here.normal.col(i) * here.normal.col(i).dot(traction[0])).norm(), 1e-13);
        }
      }
    }
  }
}

RTCG_INSTANTIATE_FOR_DEVICES(SystemFormulasTest);

}  // namespace
}  // namespace rtcg::dgfem
