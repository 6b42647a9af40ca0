// A system's generated functions called for many states at once, so that tests can compare them with independent ones.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include <Eigen/Dense>

#include "dgfem/formula_value.h"
#include "dgfem/system_file.h"
#include "dgfem/system_text.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/device/buffer.h"
#include "support/devices.h"

namespace rtcg::dgfem::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// What the functions are called with, a column for each call.
struct Calls {
  MatrixXd in, out;     ///< [field, call]
  MatrixXd derivative;  ///< [d x fields + field, call]
  MatrixXd normal;      ///< [d, call], of length 1
  MatrixXd x;           ///< [3, call]
  double t = 0;
  int region_in = 0, region_out = 0;
  int condition = -1;  ///< 0 and more: dg_penalty is given the state outside from dg_boundary, not `out`
};
struct Answers {
  MatrixXd flux, volume, source, outer, lifted;
};

class SystemFunctions {
 public:
  SystemFunctions(const Stream& stream, const System& system, const std::vector<std::vector<double>>& regions,
                  const std::map<std::string, double>& changed = {},
                  const std::vector<BoundaryCondition>& conditions = {}, ScalarType precision = ScalarType::f64)
      : stream_(stream), system_(system), is_linear_(system.is_linear()) {
    std::map<std::string, double> parameters;
    for (const Quantity& parameter : system.parameters) parameters[parameter.name] = parameter.value;
    for (const auto& [name, value] : changed) parameters[name] = value;
    text_ = system_text(system, conditions, parameters, regions, precision);
    const std::string real = precision == ScalarType::f32 ? "float" : "double";
    kernel_ = compile(stream.device(), Source("call.cl", "typedef " + real + " real;\n" + text_.functions + R"(
kernel void call(global const double* in, global const double* out, global const double* derivative,
                 global const double* normal, global const double* x, double t, int condition,
                 global const double* material_in, global const double* material_out, global double* flux,
                 global double* volume, global double* source, global double* outer, global double* lifted, int count) {
  const int i = (int)get_global_id(0);
  if (i >= count) return;
  real a[DG_FIELDS], b[DG_FIELDS], d[DG_DIMENSION * DG_FIELDS], n[DG_DIMENSION], place[3], m[DG_MATERIALS],
      o[DG_MATERIALS], rate[DG_FIELDS], ghost[DG_FIELDS], along[DG_DIMENSION * DG_FIELDS];
  for (int f = 0; f < DG_FIELDS; ++f) a[f] = in[i * DG_FIELDS + f], b[f] = out[i * DG_FIELDS + f], rate[f] = 0;
  for (int f = 0; f < DG_DIMENSION * DG_FIELDS; ++f) d[f] = derivative[i * DG_DIMENSION * DG_FIELDS + f];
  for (int k = 0; k < DG_DIMENSION; ++k) n[k] = normal[i * DG_DIMENSION + k];
  for (int k = 0; k < 3; ++k) place[k] = x[i * 3 + k];
  for (int k = 0; k < DG_MATERIALS; ++k) m[k] = material_in[k], o[k] = material_out[k];
  dg_flux(a, m, along);
  for (int f = 0; f < DG_DIMENSION * DG_FIELDS; ++f) flux[i * DG_DIMENSION * DG_FIELDS + f] = along[f];
#if DG_LINEAR
  dg_volume(d, m, rate);
  for (int f = 0; f < DG_FIELDS; ++f) volume[i * DG_FIELDS + f] = rate[f], rate[f] = 0;
#endif
  dg_source(a, m, rate);
  for (int f = 0; f < DG_FIELDS; ++f) source[i * DG_FIELDS + f] = rate[f];
  dg_boundary(condition, a, n, place, (real)t, m, ghost);
  if (condition >= 0)
    for (int f = 0; f < DG_FIELDS; ++f) b[f] = ghost[f];
  dg_penalty(condition, a, b, n, m, o, rate);
  for (int f = 0; f < DG_FIELDS; ++f) outer[i * DG_FIELDS + f] = ghost[f], lifted[i * DG_FIELDS + f] = rate[f];
}
)"))
                  .kernel("call");
  }

  const SystemText& text() const { return text_; }

  Answers operator()(const Calls& calls) const {
    const auto fields = static_cast<Eigen::Index>(system_.fields.size()), dimension = Eigen::Index{system_.dimension};
    const Eigen::Index count = calls.in.cols();
    Answers answers{MatrixXd(dimension * fields, count), MatrixXd(fields, count), MatrixXd(fields, count),
                    MatrixXd(fields, count), MatrixXd(fields, count)};
    const auto given = [&](const MatrixXd& m, Eigen::Index rows) {
      const MatrixXd sent = m.size() > 0 ? m : MatrixXd::Zero(rows, count);
      return Buffer::from(stream_, std::vector<double>(sent.data(), sent.data() + sent.size()));
    };
    std::vector<Buffer> results;
    std::vector<MatrixXd*> targets{&answers.flux, &answers.volume, &answers.source, &answers.outer, &answers.lifted};
    for (const MatrixXd* m : targets)
      results.push_back(Buffer::of<double>(stream_, static_cast<std::size_t>(m->size())));
    (*kernel_)(stream_, Grid::over(static_cast<std::size_t>(count)), given(calls.in, fields), given(calls.out, fields),
               given(calls.derivative, fields * dimension), given(calls.normal, dimension), given(calls.x, 3), calls.t,
               calls.condition, Buffer::from(stream_, text_.rows[static_cast<std::size_t>(calls.region_in)]),
               Buffer::from(stream_, text_.rows[static_cast<std::size_t>(calls.region_out)]), results[0], results[1],
               results[2], results[3], results[4], static_cast<int>(count));
    for (std::size_t k = 0; k < targets.size(); ++k)
      if (k != 1 || is_linear_)
        results[k].read(std::span(targets[k]->data(), static_cast<std::size_t>(targets[k]->size())));
    return answers;
  }

 private:
  Stream stream_;
  System system_;
  bool is_linear_;
  SystemText text_;
  std::optional<Kernel> kernel_;
};

/// Uniform in (-1, 1).
inline MatrixXd random_matrix(Eigen::Index rows, Eigen::Index cols, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  return MatrixXd::NullaryExpr(rows, cols, [&] { return uniform(engine); });
}

/// Random states on both sides of faces with random normals. Those of a gas have positive density and pressure.
inline Calls random_calls(const System& system, Eigen::Index count, std::uint32_t seed) {
  const auto fields = static_cast<Eigen::Index>(system.fields.size()), dimension = Eigen::Index{system.dimension};
  Calls calls;
  calls.in = random_matrix(fields, count, seed);
  calls.out = random_matrix(fields, count, seed + 1);
  calls.derivative = random_matrix(fields * dimension, count, seed + 2);
  calls.normal = random_matrix(dimension, count, seed + 3).colwise().normalized();
  calls.x = random_matrix(3, count, seed + 4);
  if (system.name == "euler")
    for (MatrixXd* q : {&calls.in, &calls.out})
      for (Eigen::Index i = 0; i < count; ++i) {
        auto state = q->col(i);
        state(0) = std::exp(state(0));
        state.segment(1, dimension) *= 3;
        state(fields - 1) = std::exp(state(fields - 1)) + 0.5 * state.segment(1, dimension).squaredNorm() / state(0);
      }
  return calls;
}

/// A file of data/dgfem/systems.
inline System data_system(const std::string& name) {
  const char* root = std::getenv("RTCG_SOURCE_DIR");
  return read_system_file(std::filesystem::path(root ? root : ".") / "data/dgfem/systems" / (name + ".toml"));
}

/// All that are shipped, and those of data/.
inline std::vector<System> every_system() {
  std::vector<System> systems{data_system("elastic_2d"), data_system("elastic_3d")};
  for (const int dimension : {2, 3})
    for (const std::string& name : shipped_systems(dimension)) systems.push_back(*shipped_system(name, dimension));
  return systems;
}

/// Two regions whose materials differ from each other and from the defaults; one when there are no materials.
inline std::vector<std::vector<double>> two_regions(const System& system) {
  std::vector<std::vector<double>> regions;
  for (const double factor : {1.3, 2.1}) {
    std::map<std::string, double> values;
    double power = factor;
    for (const Quantity& material : system.materials) {
      values[material.name] = (material.value + (material.name == "sigma" ? 0.2 : 0)) * power;
      power = std::sqrt(power);
    }
    regions.push_back(system.region_values(values));
  }
  return regions;
}

/// sum_d n_d F_d, [field, call].
inline MatrixXd along(const MatrixXd& flux, const MatrixXd& normal) {
  const Eigen::Index fields = flux.rows() / normal.rows();
  MatrixXd sum = MatrixXd::Zero(fields, flux.cols());
  for (Eigen::Index d = 0; d < normal.rows(); ++d)
    sum += flux.middleRows(d * fields, fields) * normal.row(d).asDiagonal();
  return sum;
}

/// The matrices A_d of a linear system, from fluxes of unit states.
inline std::vector<MatrixXd> flux_matrices(const SystemFunctions& functions, const System& system, int region) {
  const auto fields = static_cast<Eigen::Index>(system.fields.size());
  Calls calls;
  calls.in = MatrixXd::Identity(fields, fields);
  calls.region_in = region;
  const MatrixXd flux = functions(calls).flux;
  std::vector<MatrixXd> matrices;
  for (Eigen::Index d = 0; d < system.dimension; ++d) matrices.emplace_back(flux.middleRows(d * fields, fields));
  return matrices;
}

inline double energy(const System& system, const std::vector<double>& region, const VectorXd& q) {
  std::map<std::string, double, std::less<>> known;
  for (std::size_t f = 0; f < system.fields.size(); ++f) known[system.fields[f]] = q(static_cast<Eigen::Index>(f));
  for (std::size_t i = 0; i < system.materials.size(); ++i) known[system.materials[i].name] = region[i];
  for (std::size_t i = 0; i < system.constants.size(); ++i)
    known[system.constants[i].name] = region[system.materials.size() + i];
  const auto value_of = [&](std::string_view name) -> std::optional<double> {
    const auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  };
  for (const Definition& one : system.volume_let) known[one.name] = formula_value(read_formula(one.text), value_of);
  return formula_value(read_formula(system.energy), value_of);
}

/// Second derivatives of a quadratic energy.
inline MatrixXd energy_matrix(const System& system, const std::vector<double>& region) {
  const auto fields = static_cast<Eigen::Index>(system.fields.size());
  MatrixXd w(fields, fields);
  const auto unit = [&](Eigen::Index i) { return VectorXd(VectorXd::Unit(fields, i)); };
  for (Eigen::Index i = 0; i < fields; ++i)
    for (Eigen::Index j = 0; j < fields; ++j)
      w(i, j) =
          energy(system, region, unit(i) + unit(j)) - energy(system, region, unit(i)) - energy(system, region, unit(j));
  return w;
}

}  // namespace rtcg::dgfem::test
