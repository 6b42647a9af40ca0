#include "dgfem/host/host_solver.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "dgfem/geometry.h"
#include "dgfem/lattice.h"
#include "dgfem/mesh/box.h"
#include "dgfem/mesh/ordering.h"
#include "dgfem/reference_element.h"
#include "dgfem/time_scheme.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {
namespace {

using std::numbers::pi;
using Field = std::function<void(const double* x, double t, double* q)>;

/// A mesh with everything that a host solver and its checks need.
struct Setting {
  Setting(
      HostSystem system, Mesh given, int order, const std::string& wall,
      const std::function<HostMaterial(std::size_t)>& material = [](std::size_t) { return HostMaterial{}; })
      : mesh(std::move(given)),
        reference(mesh.type, order),
        connectivity(connect(mesh)),
        geometry(affine_geometry(mesh)),
        host(std::make_shared<HostMesh>(host_mesh(system, mesh, reference, connectivity, geometry, material,
                                                  [&](std::size_t, int) { return host_wall(system, wall); }))) {}

  std::size_t values() const { return mesh.size() * static_cast<std::size_t>(host->nodes * host->fields()); }

  std::vector<double> sampled(const Field& field, double t) const {
    std::vector<double> q(values());
    const ElementMap map(mesh, reference.nodes());
    for (std::size_t e = 0; e < mesh.size(); ++e) {
      const Eigen::MatrixXd x = map.places(e);
      for (int n = 0; n < host->nodes; ++n) {
        const double place[3]{x(n, 0), x(n, 1), x(n, 2)};
        field(place, t,
              &q[(e * static_cast<std::size_t>(host->nodes) + static_cast<std::size_t>(n)) *
                 static_cast<std::size_t>(host->fields())]);
      }
    }
    return q;
  }

  std::vector<double> random_state(unsigned seed) const {
    std::mt19937_64 random(seed);
    std::vector<double> q(values());
    for (double& value : q) value = std::uniform_real_distribution<>(-1, 1)(random);
    return q;
  }

  std::vector<double> rate(const std::vector<double>& q, double alpha, int threads = 0) const {
    std::vector<double> result(q.size());
    make_host_solver<double>(host, alpha, threads)->rate(q.data(), result.data());
    return result;
  }

  /// The energy's inner product: of E and H weighted by epsilon and mu, of p and u by 1 / rho c^2 and rho.
  double product(const std::vector<double>& a, const std::vector<double>& b) const {
    using Rows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
    const bool maxwell = host->system == HostSystem::maxwell;
    const int fields = host->fields(), first = maxwell ? 3 : 1;
    double sum = 0;
    for (std::size_t e = 0; e < mesh.size(); ++e) {
      const auto at = static_cast<std::ptrdiff_t>(e) * host->nodes * fields;
      const Rows u(a.data() + at, host->nodes, fields), v(b.data() + at, host->nodes, fields);
      const auto [m1, m2] = host->materials[e];
      const double weight_1 = maxwell ? m1 : 1 / (m1 * m2 * m2), weight_2 = maxwell ? m2 : m1;
      for (int f = 0; f < fields; ++f)
        sum += (f < first ? weight_1 : weight_2) * geometry.jacobian[e] * u.col(f).dot(reference.mass() * v.col(f));
    }
    return sum;
  }

  Mesh mesh;
  ReferenceElement reference;
  Connectivity connectivity;
  AffineGeometry geometry;
  std::shared_ptr<const HostMesh> host;
};

/// The error's norm in the energy after the time.
double error_after(const Setting& setting, const Field& exact, double time) {
  std::vector<double> q = setting.sampled(exact, 0), next(q.size()), residual(q.size());
  const auto solver = make_host_solver<double>(setting.host, 1, 1);
  double shortest = time;
  for (const double scale : setting.geometry.face_scale) shortest = std::min(shortest, 0.3 / scale);
  const int order = setting.reference.order();
  const auto steps = static_cast<int>(std::ceil(time / shortest * (order + 1) * (order + 1)));
  const TimeScheme& scheme = lsrk45();
  for (int step = 0; step < steps; ++step)
    for (std::size_t s = 0; s < scheme.stages(); ++s) {
      solver->stage(q.data(), next.data(), residual.data(), scheme.a[s], scheme.b[s], time / steps);
      std::swap(q, next);
    }
  const std::vector<double> wanted = setting.sampled(exact, time);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] -= wanted[i];
  return std::sqrt(setting.product(q, q));
}

void expect_converges(HostSystem system, Box box, const std::string& wall, const Field& exact, int coarse,
                      const std::vector<int>& orders) {
  for (const int order : orders) {
    std::vector<double> errors;
    for (const int cells : {coarse, 2 * coarse}) {
      box.cells = {cells, cells, cells};
      errors.push_back(error_after(Setting(system, box_mesh(box), order, wall), exact, 0.2));
    }
    EXPECT_GT(std::log2(errors[0] / errors[1]), order + 0.5)
        << "order " << order << ": " << errors[0] << ", " << errors[1];
  }
}

/// Transverse magnetic, (1, 1, 1) in the unit cube.
void cavity_mode(const double* x, double t, double* q) {
  const double w = pi * std::sqrt(3), s = std::sin(w * t), c = std::cos(w * t);
  const double sx = std::sin(pi * x[0]), cx = std::cos(pi * x[0]), sy = std::sin(pi * x[1]), cy = std::cos(pi * x[1]);
  const double sz = std::sin(pi * x[2]), cz = std::cos(pi * x[2]);
  q[0] = -0.5 * cx * sy * sz * c;
  q[1] = -0.5 * sx * cy * sz * c;
  q[2] = sx * sy * cz * c;
  q[3] = -w / (2 * pi) * sx * cy * cz * s;
  q[4] = w / (2 * pi) * cx * sy * cz * s;
  q[5] = 0;
}

TEST(HostSolver, CavityModeConvergesAtOrderPlusOne) {
  expect_converges(HostSystem::maxwell, {}, "pec", cavity_mode, 2, {1, 2, 3, 4});
}

TEST(HostSolver, PeriodicPlaneWaveConverges) {
  const Field wave = [](const double* x, double t, double* q) {
    const double value = std::cos(2 * pi * (x[0] - t));
    q[0] = q[2] = q[3] = q[4] = 0;
    q[1] = q[5] = value;
  };
  expect_converges(HostSystem::maxwell, {.periodic = {true, true, true}}, "pec", wave, 3, {2, 3});
}

TEST(HostSolver, SoundInARigidBoxConverges) {
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron}) {
    const int dimension = dimension_of(type);
    const Field mode = [dimension](const double* x, double t, double* q) {
      const double w = pi * std::sqrt(dimension);
      q[0] = std::cos(w * t);
      for (int d = 0; d < dimension; ++d) q[0] *= std::cos(pi * x[d]);
      for (int d = 0; d < dimension; ++d) {
        q[1 + d] = pi / w * std::sin(pi * x[d]) * std::sin(w * t);
        for (int other = 0; other < dimension; ++other)
          if (other != d) q[1 + d] *= std::cos(pi * x[other]);
      }
    };
    expect_converges(HostSystem::acoustics, {.type = type}, "rigid", mode, 2, {1, 2, 3, 4});
  }
}

HostMaterial varied(std::size_t e) {
  return {1.0 + 0.5 * static_cast<double>(e % 3), 1.0 + 0.25 * static_cast<double>(e % 4)};
}

/// What leaves through faces, by the laws of the fluxes (Z = 1 / Y; [] = other side - own): alpha times the sum over
/// inner faces of |n x [E]|^2 / (Z- + Z+) + |n x [H]|^2 / (Y- + Y+), or ([p]^2 + Z- Z+ [u.n]^2) / (Z- + Z+), and over
/// conducting walls of |n x E|^2 / Z, over rigid ones of Z (u.n)^2; whatever alpha is, over absorbing walls half of
/// |n x E|^2 / Z + Z |n x H|^2 or p^2 / Z + Z (u.n)^2.
double loss_through_faces(const Setting& setting, const std::vector<double>& q, double alpha) {
  const HostMesh& m = *setting.host;
  const bool maxwell = m.system == HostSystem::maxwell;
  const int fields = m.fields();
  const auto impedance = [&](std::size_t e) {
    const auto [a, b] = m.materials[e];
    return maxwell ? std::sqrt(b / a) : a * b;
  };
  double loss = 0;
  for (std::size_t e = 0; e < m.elements; ++e)
    for (int face = 0; face < m.faces; ++face) {
      const std::size_t side = e * static_cast<std::size_t>(m.faces) + static_cast<std::size_t>(face);
      const bool is_wall = m.neighbour[side] < 0, absorbs = is_wall && m.walls[side].absorbs;
      const std::size_t other = is_wall ? e : static_cast<std::size_t>(m.neighbour[side]);
      const auto permutation = orientation_nodes(setting.mesh.type, setting.reference.order());
      Eigen::MatrixXd jump(m.face_nodes, fields);
      for (int k = 0; k < m.face_nodes; ++k) {
        const int own = setting.reference.face_nodes(face)[static_cast<std::size_t>(k)];
        const int there =
            is_wall ? own
                    : setting.reference.face_nodes(m.neighbour_face[side])[static_cast<std::size_t>(
                          permutation[static_cast<std::size_t>(m.orientation[side])][static_cast<std::size_t>(k)])];
        for (int f = 0; f < fields; ++f) {
          const auto value = [&](std::size_t element, int node) {
            return q[(element * static_cast<std::size_t>(m.nodes) + static_cast<std::size_t>(node)) *
                         static_cast<std::size_t>(fields) +
                     static_cast<std::size_t>(f)];
          };
          const double outer = is_wall ? 0 : value(other, there);
          jump(k, f) = outer - value(e, own);
        }
      }
      Eigen::Vector3d n = Eigen::Vector3d::Zero();
      for (int d = 0; d < m.dimension; ++d)
        n(d) = m.normal[side * static_cast<std::size_t>(m.dimension) + static_cast<std::size_t>(d)];
      const double z_in = impedance(e), z_out = impedance(other);
      const auto squared = [&](const Eigen::MatrixXd& values) {  // integral over the face
        double sum = 0;
        for (Eigen::Index c = 0; c < values.cols(); ++c)
          sum += values.col(c).dot(setting.reference.face_mass() * values.col(c));
        return sum * m.face_scale[side] * setting.geometry.jacobian[e];
      };
      if (maxwell) {
        Eigen::MatrixXd n_e(m.face_nodes, 3), n_h(m.face_nodes, 3);
        for (Eigen::Index k = 0; k < m.face_nodes; ++k) {
          n_e.row(k) = n.cross(Eigen::Vector3d(jump.row(k).head<3>().transpose())).transpose();
          n_h.row(k) = n.cross(Eigen::Vector3d(jump.row(k).tail<3>().transpose())).transpose();
        }
        // Inner faces are met from both sides.
        const double inner = 0.5 * (squared(n_e) / (z_in + z_out) + squared(n_h) * z_in * z_out / (z_in + z_out));
        loss += absorbs ? 0.5 * (squared(n_e) / z_in + squared(n_h) * z_in)
                        : alpha * (is_wall ? squared(n_e) / z_in : inner);
      } else {
        Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(m.face_nodes, 1);
        for (int d = 0; d < m.dimension; ++d) normal += n(d) * jump.col(1 + d);
        const double inner = 0.5 * (squared(jump.col(0)) + z_in * z_out * squared(normal)) / (z_in + z_out);
        loss += absorbs ? 0.5 * (squared(jump.col(0)) / z_in + squared(normal) * z_in)
                        : alpha * (is_wall ? squared(normal) * z_in : inner);
      }
    }
  return loss;
}

TEST(HostSolver, EnergyChangesByWhatTheFluxesTakeAlone) {
  for (const HostSystem system : {HostSystem::maxwell, HostSystem::acoustics})
    for (const int order : {1, 2, 3}) {
      const Setting setting(system, box_mesh({.cells = {2, 2, 2}, .high = {1, 1.5, 0.75}}), order,
                            system == HostSystem::maxwell ? "pec" : "rigid", varied);
      const std::vector<double> q = setting.random_state(static_cast<unsigned>(order));
      const double energy = 0.5 * setting.product(q, q), loss = loss_through_faces(setting, q, 1);
      ASSERT_GT(loss, 0.1 * energy);
      EXPECT_NEAR(setting.product(q, setting.rate(q, 0)), 0, 1e-10 * loss);
      EXPECT_NEAR(setting.product(q, setting.rate(q, 1)), -loss, 1e-10 * loss);
      EXPECT_NEAR(setting.product(q, setting.rate(q, 0.25)), -0.25 * loss, 1e-10 * loss);
    }
}

TEST(HostSolver, AbsorbingWallsTakeTheSameWhateverTheUpwinding) {
  for (const HostSystem system : {HostSystem::maxwell, HostSystem::acoustics}) {
    const Setting setting(system, box_mesh({.cells = {2, 2, 2}}), 2, "absorbing", varied);
    const std::vector<double> q = setting.random_state(5);
    for (const double alpha : {0.0, 0.5}) {
      const double loss = loss_through_faces(setting, q, alpha);
      EXPECT_NEAR(setting.product(q, setting.rate(q, alpha)), -loss, 1e-10 * loss);
    }
  }
}

TEST(HostSolver, TurnedElementsGiveTheSameRates) {
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron}) {
    const Mesh straight = box_mesh({.type = type, .cells = {4, 4, 4}});
    const HostSystem system = type == ElementType::triangle ? HostSystem::acoustics : HostSystem::maxwell;
    const char* wall = type == ElementType::triangle ? "rigid" : "pec";
    const int order = 3;
    const Setting before(system, straight, order, wall);
    Mesh turned = straight;
    const auto corners = static_cast<std::size_t>(vertices_of(type));
    std::mt19937 random(3);
    std::vector<std::array<unsigned, 4>> turns;
    for (std::size_t e = 0; e < turned.size(); ++e) {
      std::array<unsigned, 4> turn{0, 1, 2, 3};  // rotations of three vertices: even
      for (int k = 0; k < 4; ++k) {
        const unsigned fixed = corners == 4 ? random() % 4 : 3;
        std::array<unsigned, 3> others{};
        for (unsigned v = 0, i = 0; v < 4; ++v)
          if (v != fixed) others[i++] = v;
        const unsigned kept = turn[others[0]];
        turn[others[0]] = turn[others[1]], turn[others[1]] = turn[others[2]], turn[others[2]] = kept;
        if (random() % 2) break;
      }
      for (std::size_t v = 0; v < corners; ++v)
        turned.elements[e * corners + v] = straight.elements[e * corners + turn[v]];
      turns.push_back(turn);
    }
    const Setting after(system, turned, order, wall);
    std::vector<int> met(6);
    for (std::size_t side = 0; side < after.connectivity.neighbour.size(); ++side)
      if (after.connectivity.neighbour[side] >= 0)
        ++met[static_cast<std::size_t>(after.connectivity.orientation[side])];
    for (int o = 0; o < orientations_of(type); ++o) EXPECT_GT(met[static_cast<std::size_t>(o)], 0) << o;

    const int fields = before.host->fields();
    const std::vector<Weights> places = lattice(dimension_of(type), order);
    const auto moved = [&](const std::vector<double>& q) {  // the same polynomials on turned elements
      std::vector<double> result(q.size());
      for (std::size_t e = 0; e < turned.size(); ++e)
        for (std::size_t n = 0; n < places.size(); ++n) {
          Weights weights{};
          for (std::size_t v = 0; v < corners; ++v) weights[turns[e][v]] = places[n][v];
          const auto from = static_cast<std::size_t>(lattice_index(dimension_of(type), order, weights));
          for (std::size_t f = 0; f < static_cast<std::size_t>(fields); ++f)
            result[(e * places.size() + n) * static_cast<std::size_t>(fields) + f] =
                q[(e * places.size() + from) * static_cast<std::size_t>(fields) + f];
        }
      return result;
    };
    const std::vector<double> q = before.random_state(7);
    const std::vector<double> wanted = moved(before.rate(q, 1)), found = after.rate(moved(q), 1);
    double scale = 0, error = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      scale = std::max(scale, std::abs(wanted[i]));
      error = std::max(error, std::abs(wanted[i] - found[i]));
    }
    EXPECT_LT(error, 1e-12 * scale);
  }
}

TEST(HostSolver, NumberingAndThreadsChangeNoBit) {
  const Mesh mesh = box_mesh({.cells = {3, 3, 3}});
  const Setting before(HostSystem::maxwell, mesh, 2, "pec");
  std::vector<std::int32_t> order(mesh.size());
  for (std::size_t e = 0; e < order.size(); ++e) order[e] = static_cast<std::int32_t>(e);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  const Setting after(HostSystem::maxwell, reordered(mesh, order), 2, "pec");
  const std::size_t row = before.values() / mesh.size();
  const auto moved = [&](const std::vector<double>& q) {
    std::vector<double> result;
    for (const std::int32_t e : order) {
      const auto from = q.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(e) * row);
      result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(row));
    }
    return result;
  };
  const std::vector<double> q = before.random_state(9);
  EXPECT_EQ(moved(before.rate(q, 1)), after.rate(moved(q), 1));
  EXPECT_EQ(before.rate(q, 1, 1), before.rate(q, 1, 3));
}

TEST(HostSolver, SinglePrecisionFollowsDouble) {
  const Setting setting(HostSystem::maxwell, box_mesh({.cells = {2, 2, 2}}), 4, "pec", varied);
  const std::vector<double> q = setting.random_state(11), wanted = setting.rate(q, 1);
  const std::vector<float> single(q.begin(), q.end());
  std::vector<float> found(q.size());
  make_host_solver<float>(setting.host)->rate(single.data(), found.data());
  double scale = 0, error = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    scale = std::max(scale, std::abs(wanted[i]));
    error = std::max(error, std::abs(wanted[i] - static_cast<double>(found[i])));
  }
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 1e-5 * scale);
}

TEST(HostSolver, RefusesWhatItLacks) {
  EXPECT_THROW(host_wall(HostSystem::maxwell, "rigid"), UsageError);
  EXPECT_THROW(Setting(HostSystem::maxwell, box_mesh({.type = ElementType::triangle}), 1, "pec"), UsageError);
  const Mesh bent = curved(box_mesh({}), 2, [](const Point& p) { return Point{p[0] + 0.1 * p[1] * p[1], p[1], p[2]}; });
  EXPECT_THROW(Setting(HostSystem::maxwell, bent, 1, "pec"), UsageError);
}

}  // namespace
}  // namespace rtcg::dgfem
