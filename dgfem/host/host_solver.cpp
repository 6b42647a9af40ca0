#include "dgfem/host/host_solver.h"

#include <omp.h>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace rtcg::dgfem {

namespace {

#ifdef __AVX512F__
constexpr int register_bytes = 64, accumulators = 24;
#else
constexpr int register_bytes = 32, accumulators = 12;
#endif

using FloatVector = float __attribute__((vector_size(register_bytes)));
using DoubleVector = double __attribute__((vector_size(register_bytes)));

/// One value of as many elements as a register holds.
template <class Real>
struct Pack {
  static constexpr int lanes = register_bytes / static_cast<int>(sizeof(Real));
  using Vector = std::conditional_t<std::is_same_v<Real, float>, FloatVector, DoubleVector>;
  Vector v{};

  Pack() = default;
  Pack(Vector vector) : v(vector) {}
  Pack(Real value) : v(value - Vector{}) {}
  Real& operator[](int lane) { return reinterpret_cast<Real*>(&v)[lane]; }
  Real operator[](int lane) const { return v[lane]; }
  friend Pack operator+(Pack a, Pack b) { return a.v + b.v; }
  friend Pack operator-(Pack a, Pack b) { return a.v - b.v; }
  friend Pack operator-(Pack a) { return -a.v; }
  friend Pack operator*(Pack a, Pack b) { return a.v * b.v; }
  friend Pack operator/(Pack a, Pack b) { return a.v / b.v; }
};

template <class P>
void cross(const P* a, const P* b, P* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/// epsilon E_t = curl H + lift{n x (Z+[H] - alpha n x [E]) / (Z- + Z+)},
/// mu H_t = - curl E - lift{n x (Y+[E] + alpha n x [H]) / (Y- + Y+)} (Hesthaven and Warburton 2002).
struct Maxwell {
  static constexpr int dimension = 3, fields = 6, first_fields = 3;
  static double impedance(HostMaterial m) { return __builtin_sqrt(m.second / m.first); }
  static double first_factor(HostMaterial m) { return 1 / m.first; }
  static double second_factor(HostMaterial m) { return 1 / m.second; }

  /// What the derivative along a reference coordinate acts on; g is that coordinate's gradient.
  template <class P>
  static void flux(const P* g, const P* q, P* out) {
    cross(g, q + 3, out);
    cross(g, q, out + 3);
    for (int d = 3; d < 6; ++d) out[d] = -out[d];
  }
  template <class P>
  static void penalty(const P* n, P z_in, P z_out, P alpha, const P* jump, P* out) {
    P n_e[3], n_h[3], electric[3], magnetic[3];
    cross(n, jump, n_e);
    cross(n, jump + 3, n_h);
    const P weight = P{1} / (z_in + z_out), y_weight = z_in * z_out * weight, y_share = z_in * weight;
    for (int d = 0; d < 3; ++d) {
      electric[d] = weight * (z_out * jump[3 + d] - alpha * n_e[d]);
      magnetic[d] = y_share * jump[d] + y_weight * alpha * n_h[d];
    }
    cross(n, electric, out);
    cross(n, magnetic, out + 3);
    for (int d = 3; d < 6; ++d) out[d] = -out[d];
  }
};

/// p_t = - rho c^2 div u, rho u_t = - grad p with the face's p* and u* of the Riemann problem between two fluids.
template <int Dimension>
struct Acoustics {
  static constexpr int dimension = Dimension, fields = Dimension + 1, first_fields = 1;
  static double impedance(HostMaterial m) { return m.first * m.second; }
  static double first_factor(HostMaterial m) { return m.first * m.second * m.second; }
  static double second_factor(HostMaterial m) { return 1 / m.first; }

  template <class P>
  static void flux(const P* g, const P* q, P* out) {
    P along = g[0] * q[1];
    for (int d = 1; d < Dimension; ++d) along = along + g[d] * q[1 + d];
    out[0] = -along;
    for (int d = 0; d < Dimension; ++d) out[1 + d] = -(g[d] * q[0]);
  }
  template <class P>
  static void penalty(const P* n, P z_in, P z_out, P alpha, const P* jump, P* out) {
    P normal = n[0] * jump[1];
    for (int d = 1; d < Dimension; ++d) normal = normal + n[d] * jump[1 + d];
    const P weight = P{1} / (z_in + z_out);
    out[0] = -(weight * (z_out * normal - alpha * jump[0]));
    const P pressure = weight * z_in * (jump[0] - alpha * z_out * normal);
    for (int d = 0; d < Dimension; ++d) out[1 + d] = -(n[d] * pressure);
  }
};

template <class Equations, class Real>
class Solver final : public HostSolver<Real> {
  using P = Pack<Real>;
  static constexpr int L = P::lanes, F = Equations::fields, D = Equations::dimension, faces = D + 1;
  static constexpr int tile = accumulators / F;  // rows whose sums stay in registers

 public:
  Solver(std::shared_ptr<const HostMesh> mesh, double alpha, int threads)
      : mesh_(std::move(mesh)),
        nodes_(mesh_->nodes),
        columns_(mesh_->columns()),
        tiles_((nodes_ + tile - 1) / tile),
        threads_(threads > 0 ? threads : omp_get_max_threads()),
        operators_(static_cast<std::size_t>(tiles_) * tile * static_cast<std::size_t>(columns_)) {
    const HostMesh& m = *mesh_;
    const auto columns = static_cast<std::size_t>(columns_);
    for (std::size_t n = 0; n < static_cast<std::size_t>(nodes_); ++n)
      for (std::size_t c = 0; c < columns; ++c)
        operators_[(n / tile * columns + c) * tile + n % tile] = static_cast<Real>(m.operators[n * columns + c]);
    const auto to_real = [](const std::vector<double>& values) {
      return std::vector<Real>(values.begin(), values.end());
    };
    metric_ = to_real(m.metric), normal_ = to_real(m.normal), face_scale_ = to_real(m.face_scale);
    for (const HostMaterial& material : m.materials) {
      impedance_.push_back(static_cast<Real>(Equations::impedance(material)));
      factors_.push_back(static_cast<Real>(Equations::first_factor(material)));
      factors_.push_back(static_cast<Real>(Equations::second_factor(material)));
    }
    for (std::size_t side = 0; side < m.neighbour.size(); ++side) {
      const HostWall wall = m.neighbour[side] < 0 ? m.walls[side] : HostWall{};
      outside_.push_back(
          {static_cast<Real>(wall.first), static_cast<Real>(wall.second), static_cast<Real>(wall.absorbs ? 1 : alpha)});
    }
  }

  void rate(const Real* q, Real* rate) const override {
    for_each_block(q, [&](std::size_t at, const P* block, int lane) {
      for (int i = 0; i < nodes_ * F; ++i) rate[at + static_cast<std::size_t>(i)] = block[i][lane];
    });
  }

  void stage(const Real* q, Real* q_new, Real* residual, Real a, Real b, Real dt) const override {
    for_each_block(q, [&](std::size_t at, const P* block, int lane) {
      Real *r = residual + at, *out = q_new + at;
      const Real* in = q + at;
      for (int i = 0; i < nodes_ * F; ++i) {
        r[i] = a == 0 ? dt * block[i][lane] : a * r[i] + dt * block[i][lane];
        out[i] = in[i] + b * r[i];
      }
    });
  }

 private:
  struct Outside {
    Real first, second, alpha;
  };

  /// The rates of a block of elements at a time; `use(offset of the element, rates [node][field], its lane)`.
  template <class Use>
  void for_each_block(const Real* q, const Use& use) const {
    const auto blocks = static_cast<std::ptrdiff_t>((mesh_->elements + L - 1) / L);
#pragma omp parallel num_threads(threads_)
    {
      std::vector<P> state(static_cast<std::size_t>(nodes_ * F)), rates(static_cast<std::size_t>(tiles_ * tile * F));
      std::vector<P> right(static_cast<std::size_t>(columns_ * F));
#pragma omp for schedule(static)
      for (std::ptrdiff_t block = 0; block < blocks; ++block) {
        std::size_t element[L];
        for (int lane = 0; lane < L; ++lane)
          element[lane] = std::min(static_cast<std::size_t>(block * L + lane), mesh_->elements - 1);
        load(q, element, state.data());
        fluxes(element, state.data(), right.data());
        face_terms(q, element, state.data(), right.data() + D * nodes_ * F);
        multiply(element, right.data(), rates.data());
        const int used =
            static_cast<int>(std::min<std::size_t>(L, mesh_->elements - static_cast<std::size_t>(block * L)));
        for (int lane = 0; lane < used; ++lane) use(offset(element[lane]), rates.data(), lane);
      }
    }
  }

  std::size_t offset(std::size_t element) const {
    return element * static_cast<std::size_t>(nodes_ * F);
  }

  void load(const Real* q, const std::size_t* element, P* state) const {
    for (int lane = 0; lane < L; ++lane) {
      const Real* own = q + offset(element[lane]);
      for (int i = 0; i < nodes_ * F; ++i) state[i][lane] = own[i];
    }
  }

  /// values[element x width + k] of each lane.
  static void gather(const std::vector<Real>& values, const std::size_t* index, int width, P* out) {
    for (int lane = 0; lane < L; ++lane)
      for (int k = 0; k < width; ++k)
        out[k][lane] = values[index[lane] * static_cast<std::size_t>(width) + static_cast<std::size_t>(k)];
  }

  void fluxes(const std::size_t* element, const P* state, P* right) const {
    P metric[D * D];
    gather(metric_, element, D * D, metric);
    for (int i = 0; i < D; ++i)
      for (int n = 0; n < nodes_; ++n) Equations::flux(metric + i * D, state + n * F, right + (i * nodes_ + n) * F);
  }

  void face_terms(const Real* q, const std::size_t* element, const P* state, P* right) const {
    const HostMesh& m = *mesh_;
    P z_in;
    gather(impedance_, element, 1, &z_in);
    for (int face = 0; face < faces; ++face) {
      const Real* outer[L];
      const std::uint16_t* outer_node[L];
      P z_out, alpha, scale, first, second, normal[D];
      std::size_t sides[L];
      for (int lane = 0; lane < L; ++lane) {
        const std::size_t side = element[lane] * faces + static_cast<std::size_t>(face);
        sides[lane] = side;
        const bool is_wall = m.neighbour[side] < 0;
        const std::size_t other = is_wall ? element[lane] : static_cast<std::size_t>(m.neighbour[side]);
        const int other_face = is_wall ? face : m.neighbour_face[side];
        outer[lane] = q + offset(other);
        outer_node[lane] = m.neighbour_node.data() + (other_face * m.orientations + m.orientation[side]) * m.face_nodes;
        z_out[lane] = impedance_[other];
        first[lane] = outside_[side].first;
        second[lane] = outside_[side].second;
        alpha[lane] = outside_[side].alpha;
      }
      gather(normal_, sides, D, normal);
      gather(face_scale_, sides, 1, &scale);
      const std::uint16_t* own_node = m.face_node.data() + face * m.face_nodes;
      for (int k = 0; k < m.face_nodes; ++k) {
        P jump[F];
        for (int lane = 0; lane < L; ++lane) {
          const Real* there = outer[lane] + outer_node[lane][k] * F;
          for (int f = 0; f < F; ++f) jump[f][lane] = there[f];
        }
        const P* own = state + own_node[k] * F;
        for (int f = 0; f < F; ++f) jump[f] = (f < Equations::first_fields ? first : second) * jump[f] - own[f];
        P term[F];
        Equations::penalty(normal, z_in, z_out, alpha, jump, term);
        for (int f = 0; f < F; ++f) right[(face * m.face_nodes + k) * F + f] = scale * term[f];
      }
    }
  }

  /// rates = factor x operators x right, a tile of rows at a time.
  void multiply(const std::size_t* element, const P* right, P* rates) const {
    P factors[2];
    gather(factors_, element, 2, factors);
    for (int t = 0; t < tiles_; ++t) {
      const Real* row = operators_.data() + t * tile * columns_;
      P sum[tile][F];
      for (int c = 0; c < columns_; ++c)
        for (int r = 0; r < tile; ++r) {
          const P weight(row[c * tile + r]);
          for (int f = 0; f < F; ++f) sum[r][f] = sum[r][f] + weight * right[c * F + f];
        }
      for (int r = 0; r < tile; ++r)
        for (int f = 0; f < F; ++f)
          rates[(t * tile + r) * F + f] = factors[f < Equations::first_fields ? 0 : 1] * sum[r][f];
    }
  }

  std::shared_ptr<const HostMesh> mesh_;
  int nodes_, columns_, tiles_, threads_;
  std::vector<Real> operators_;  // [tile][column][row of the tile]
  std::vector<Real> metric_, normal_, face_scale_, impedance_, factors_;
  std::vector<Outside> outside_;
};

}  // namespace

template <class Real>
std::unique_ptr<HostSolver<Real>> make_host_solver(std::shared_ptr<const HostMesh> mesh, double alpha, int threads) {
  if (mesh->system == HostSystem::maxwell)
    return std::make_unique<Solver<Maxwell, Real>>(std::move(mesh), alpha, threads);
  if (mesh->dimension == 3) return std::make_unique<Solver<Acoustics<3>, Real>>(std::move(mesh), alpha, threads);
  return std::make_unique<Solver<Acoustics<2>, Real>>(std::move(mesh), alpha, threads);
}

template std::unique_ptr<HostSolver<float>> make_host_solver<float>(std::shared_ptr<const HostMesh>, double, int);
template std::unique_ptr<HostSolver<double>> make_host_solver<double>(std::shared_ptr<const HostMesh>, double, int);

}  // namespace rtcg::dgfem
