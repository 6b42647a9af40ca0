#include "dgfem/output/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dgfem/quadrature.h"
#include "dgfem/system_text.h"
#include "rtcg/array/array.h"
#include "rtcg/array/reductions.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "rtcg_dgfem_kernels.h"

namespace rtcg::dgfem {

namespace {

using Eigen::Index;

/// [column][row] of a matrix with rows repeated from the first up to `rows`.
std::vector<double> padded_columns(const Eigen::MatrixXd& matrix, Index rows) {
  std::vector<double> values;
  for (Index c = 0; c < matrix.cols(); ++c)
    for (Index r = 0; r < rows; ++r) values.push_back(matrix(r < matrix.rows() ? r : 0, c));
  return values;
}

Buffer on_device(const Stream& stream, const std::vector<double>& values) {
  return Buffer::from(stream, values.empty() ? std::vector<double>(1) : values);
}

}  // namespace

std::vector<Measure> energy_measures(const System& system) {
  if (system.energy.empty()) return {};
  return {{"energy", system.energy, Measure::Kind::integral}};
}

std::vector<Measure> content_measures(const System& system) {
  std::vector<Measure> measures;
  for (const std::string& field : system.fields) measures.push_back({field, field, Measure::Kind::integral});
  return measures;
}

std::vector<Measure> error_measures(const FieldFormulas& exact) {
  std::vector<Measure> measures;
  for (const auto& [field, formula] : exact) {
    const std::string error = fmt::format("({} - ({}))", field, formula);
    measures.push_back({field + ".l2", error + " * " + error, Measure::Kind::root_of_integral});
    measures.push_back({field + ".max", "fabs" + error, Measure::Kind::largest});
  }
  return measures;
}

Measurement::Measurement(const Solver& solver, std::vector<Measure> measures, std::optional<int> degree)
    : measures_(std::move(measures)), data_(solver.data()) {
  if (measures_.empty()) return;
  const Discretization& mesh = *data_->mesh;
  const ReferenceElement& reference = mesh.reference;
  const Stream& stream = data_->stream;

  std::vector<Definition> formulas;
  for (const bool largest : {false, true})
    for (const Measure& measure : measures_)
      if ((measure.kind == Measure::Kind::largest) == largest) formulas.push_back({measure.name, measure.formula});
  for (const Measure& measure : measures_) integrals_ += measure.kind != Measure::Kind::largest;
  std::size_t next_integral = 0, next_largest = integrals_;
  for (const Measure& measure : measures_)
    place_.push_back(measure.kind == Measure::Kind::largest ? next_largest++ : next_integral++);

  const Quadrature rule = simplex_quadrature(reference.dimension(), degree.value_or(2 * reference.order()));
  const bool with_nodes = integrals_ < measures_.size(), is_cpu = stream.device().properties().kind == DeviceKind::cpu;
  const Index own = rule.points.rows(), all = own + (with_nodes ? reference.nodes().rows() : 0);
  Eigen::MatrixXd points(all, reference.dimension());
  points.topRows(own) = rule.points;
  if (with_nodes) points.bottomRows(all - own) = reference.nodes();
  const int lanes = is_cpu ? 8 : 1;
  const Index padded = (all + lanes - 1) / lanes * lanes;
  const auto room = static_cast<Index>(32768 / (sizeof(double) * measures_.size()) / 32 * 32);  // of local memory
  group_ = is_cpu ? 1 : static_cast<int>(std::max<Index>(1, std::min<Index>({128, room, (all + 31) / 32 * 32})));

  Eigen::MatrixXd barycentric(all, reference.dimension() + 1);
  barycentric.rightCols(reference.dimension()) = (points.array() + 1) / 2;
  barycentric.col(0) = 1 - barycentric.rightCols(reference.dimension()).rowwise().sum().array();
  std::vector<double> weights(rule.weights.begin(), rule.weights.end());
  weights.resize(static_cast<std::size_t>(padded), 0.0);  // nodes and padding add nothing
  interpolation_ = Buffer::from(stream, padded_columns(reference.interpolation(points), padded));
  barycentric_ = Buffer::from(stream, padded_columns(barycentric, padded));
  weights_ = Buffer::from(stream, weights);

  std::vector<double> vertices, curved, materials;
  for (std::size_t e = 0; e < mesh.straight; ++e)
    for (int v = 0; v <= reference.dimension(); ++v)
      vertices.insert(vertices.end(), mesh.mesh.vertex(e, v).begin(), mesh.mesh.vertex(e, v).end());
  const ElementMap map(mesh.mesh, points);
  for (std::size_t e = mesh.straight; e < mesh.size(); ++e) {
    const PointMetrics at = map(e);
    for (Index p = 0; p < padded; ++p) {
      const Index from = p < all ? p : 0;
      curved.insert(curved.end(), {at.x(from, 0), at.x(from, 1), at.x(from, 2), at.jacobian(from)});
    }
  }
  const std::size_t values = std::max<std::size_t>(1, mesh.materials.front().size());
  for (const std::vector<double>& region : mesh.materials) {
    materials.insert(materials.end(), region.begin(), region.end());
    materials.resize(materials.size() + values - region.size());
  }
  vertices_ = on_device(stream, vertices);
  curved_ = on_device(stream, curved);
  materials_ = on_device(stream, materials);
  jacobian_ = on_device(stream, mesh.geometry.jacobian);
  result_ = Buffer::of<double>(stream, measures_.size() * mesh.size());

  Source source("measure.cl",
                "typedef double real;\n" +
                    measure_function("measure_at", *mesh.system, formulas, mesh.parameters, ScalarType::f64) +
                    "#line 1\n" + std::string(kernels::measure_cl));
  source.define("NODES", reference.nodes_per_element()).define("DG_FIELDS", mesh.fields());
  source.define("DG_DIMENSION", reference.dimension()).define("DG_MATERIALS", values);
  source.define("POINTS", static_cast<std::int64_t>(padded)).define("LANES", lanes).define("GROUP", group_);
  source.define("QUANTITIES", measures_.size()).define("INTEGRALS", integrals_);
  source.define("state_real", name_of(data_->precision));
  kernel_ = compile(stream.device(), source).kernel("dg_measure");
}

std::vector<double> Measurement::operator()(const Solver& solver) const {
  return (*this)(solver.state(), solver.time());
}

std::vector<double> Measurement::operator()(const Buffer& state, double time) const {
  if (measures_.empty()) return {};
  const Discretization& mesh = *data_->mesh;
  const auto elements = static_cast<std::int64_t>(mesh.size()),
             quantities = static_cast<std::int64_t>(measures_.size()),
             integrals = static_cast<std::int64_t>(integrals_);
  (*kernel_)(data_->stream, Grid::of(mesh.size(), static_cast<std::size_t>(group_)), state, interpolation_, weights_,
             barycentric_, vertices_, jacobian_, curved_, data_->region, materials_, time,
             static_cast<int>(mesh.straight), static_cast<int>(mesh.size()), result_);
  const Array by_element(result_, Dtype::f64, {quantities, elements}, {elements, 1});
  const Array total = Array::empty(data_->stream, {quantities}, Dtype::f64);
  if (integrals > 0) total(Slice{0, integrals}).assign(sum(by_element(Slice{0, integrals}), 1));
  if (integrals < quantities)
    total(Slice{integrals, quantities}).assign(max(by_element(Slice{integrals, quantities}), 1));
  const std::vector<double> rows = total.to_vector<double>();
  std::vector<double> values;
  for (std::size_t k = 0; k < measures_.size(); ++k) {
    const double value = rows[place_[k]];
    values.push_back(measures_[k].kind == Measure::Kind::root_of_integral ? std::sqrt(value) : value);
  }
  return values;
}

}  // namespace rtcg::dgfem
