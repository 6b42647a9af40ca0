#include "dgfem/limiter.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "dgfem/lattice.h"
#include "dgfem/simplex_basis.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "rtcg_dgfem_kernels.h"

namespace rtcg::dgfem {

namespace {

void append(std::vector<double>& values, const Eigen::MatrixXd& rows) {
  for (Eigen::Index r = 0; r < rows.rows(); ++r)
    for (Eigen::Index c = 0; c < rows.cols(); ++c) values.push_back(rows(r, c));
}

/// As limiter.cl reads them, all by rows: the weights of the mean; values at the vertices of the linear polynomial
/// closest in L2; the part of the highest degree; vertices' weights at nodes; and at the middles of faces.
std::vector<double> operators_of(const ReferenceElement& reference) {
  const Eigen::Index nodes = reference.nodes_per_element(), vertices = reference.dimension() + 1;
  const std::vector<double> weights = barycentric_weights(reference);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd linear = Eigen::Map<const Rows>(weights.data(), nodes, vertices);
  const Eigen::MatrixXd& mass = reference.mass();
  const Eigen::MatrixXd lower = simplex_basis(reference.order() - 1, reference.nodes());
  Eigen::MatrixXd middles = Eigen::MatrixXd::Zero(reference.faces(), vertices);
  for (int f = 0; f < reference.faces(); ++f)
    for (const int node : reference.face_nodes(f)) middles.row(f) += linear.row(node) / reference.nodes_per_face();

  std::vector<double> values;
  append(values, mass.colwise().sum() / mass.sum());
  append(values, (linear.transpose() * mass * linear).ldlt().solve(linear.transpose() * mass));
  append(values, Eigen::MatrixXd::Identity(nodes, nodes) - lower * lower.transpose() * mass);
  append(values, linear);
  append(values, middles);
  return values;
}

void check(const Discretization& mesh) {
  std::vector<std::string> wanted{"rho", "mx", "my"};
  if (mesh.reference.dimension() == 3) wanted.emplace_back("mz");
  wanted.emplace_back("E");
  if (mesh.system->fields != wanted || !mesh.parameters.contains("gamma"))
    throw InputError(
        fmt::format("limiter: it is for gas dynamics (fields rho, momentum and E, parameter gamma), not for "
                    "the system '{}'",
                    mesh.system->name));
  if (mesh.curved() > 0)
    throw InputError(fmt::format("limiter: elements must be straight, {} are curved", mesh.curved()));
}

}  // namespace

Limiter::Limiter(std::shared_ptr<const StageData> data, const LimiterSettings& settings)
    : data_(std::move(data)), threshold_(settings.threshold) {
  const Discretization& mesh = *data_->mesh;
  check(mesh);
  operators_ = data_->upload(operators_of(mesh.reference));
  means_ = Buffer(data_->stream, mesh.size() * static_cast<std::size_t>(mesh.fields()) * data_->real_size(),
                  MemoryKind::device, data_->precision);
  Source source = data_->source("limiter.cl", kernels::limiter_cl);
  source.define("NODES", mesh.nodes()).define("FACES", mesh.faces());
  source.define("ORIENTATIONS",
                static_cast<int>(orientation_nodes(mesh.reference.type(), mesh.reference.order()).size()));
  source.define("GAMMA", fmt::format("(real){:.17e}", mesh.parameters.at("gamma")));
  const Module module = compile(data_->stream.device(), source);
  find_means_ = module.kernel("dg_means");
  limit_ = module.kernel("dg_limit");
}

void Limiter::after_stage(const StageBuffers& buffers, const StageStep& step) {
  limit(buffers.q_new, step.time);
}

void Limiter::limit(const Buffer& state, double time) const {
  if (data_->precision == ScalarType::f64)
    launch<double>(state, time);
  else
    launch<float>(state, time);
}

template <class Real>
void Limiter::launch(const Buffer& state, double time) const {
  const std::size_t elements = data_->mesh->size();
  const auto count = static_cast<int>(elements);
  (*find_means_)(data_->stream, Grid::over(elements), state, operators_, means_, count);
  (*limit_)(data_->stream, Grid::over(elements), state, means_, operators_, data_->link, data_->faces, data_->vertices,
            data_->region, data_->materials, static_cast<Real>(time), static_cast<Real>(threshold_), count);
}

}  // namespace rtcg::dgfem
