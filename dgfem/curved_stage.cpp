#include "dgfem/curved_stage.h"

#include <Eigen/LU>
#include <algorithm>

#include "dgfem/quadrature.h"
#include "dgfem/simplex_basis.h"
#include "rtcg/compile/compiler.h"
#include "rtcg_dgfem_kernels.h"

namespace rtcg::dgfem {

namespace {

/// Exact for products of two fields where the element is straight, and for the metric terms of a constant state.
int degree_for(const Discretization& mesh) {
  const int order = mesh.reference.order();
  return std::max(2 * order + 1, order + (mesh.reference.dimension() - 1) * (mesh.mesh.geometry_order - 1));
}

void append(std::vector<double>& list, const Eigen::MatrixXd& matrix) {
  list.insert(list.end(), matrix.data(), matrix.data() + matrix.size());
}

class CurvedStage final : public StageKernel {
 public:
  explicit CurvedStage(std::shared_ptr<const StageData> data) : data_(std::move(data)) {
    const Discretization& mesh = *data_->mesh;
    const ReferenceElement& reference = mesh.reference;
    const int dimension = reference.dimension(), degree = degree_for(mesh);
    const Quadrature volume = simplex_quadrature(dimension, degree), face = simplex_quadrature(dimension - 1, degree);
    points_ = static_cast<int>(volume.weights.size());
    face_points_ = static_cast<int>(face.weights.size());
    matrices(volume, face);
    factors(mesh, volume, face);

    batch_ = static_cast<int>(std::min<std::size_t>(mesh.curved(), 4096));
    const bool has_source = data_->functions.find("#define DG_HAS_SOURCE 1") != std::string::npos;
    const auto reals = [&](std::size_t count) {
      return Buffer(data_->stream, count * data_->real_size(), MemoryKind::device, data_->precision);
    };
    const auto fields = static_cast<std::size_t>(mesh.fields()), batch = static_cast<std::size_t>(batch_);
    const auto points = static_cast<std::size_t>(points_), nodes = static_cast<std::size_t>(mesh.nodes());
    fluxes_ = reals(batch * static_cast<std::size_t>(dimension + (has_source ? 1 : 0)) * points * fields);
    outflow_ = reals(batch * static_cast<std::size_t>(mesh.faces() * face_points_) * fields);
    weak_result_ = reals(batch * nodes * fields);
    weighed_ = reals(batch * points * fields);

    Source source = data_->source("curved.cl", kernels::curved_cl);
    source.define("POINTS", points_).define("FACE_POINTS", face_points_);
    const Module module = compile(data_->stream.device(), source);
    for (const char* name :
         {"dg_curved_fluxes", "dg_curved_faces", "dg_curved_weak", "dg_curved_weigh", "dg_curved_update"})
      sweeps_.push_back(module.kernel(name));
  }

  void operator()(const StageBuffers& buffers, const StageStep& step, std::size_t first,
                  std::size_t end) const override {
    for (std::size_t from = first; from < end; from += static_cast<std::size_t>(batch_)) {
      const auto count = static_cast<int>(std::min(end - from, static_cast<std::size_t>(batch_)));
      const auto place = static_cast<int>(from - data_->mesh->straight);
      if (data_->precision == ScalarType::f64)
        launch<double>(buffers, step, place, count);
      else
        launch<float>(buffers, step, place, count);
    }
  }

 private:
  void matrices(const Quadrature& volume, const Quadrature& face) {
    const ReferenceElement& reference = data_->mesh->reference;
    const Eigen::MatrixXd inverse_mass = reference.vandermonde() * reference.vandermonde().transpose();
    const Eigen::MatrixXd values = reference.interpolation(volume.points);  // [point, node]
    const auto slopes = reference.interpolated_gradient(volume.points);
    const Eigen::MatrixXd projection =
        inverse_mass * values.transpose() * volume.weights.asDiagonal();  // [node, point]
    std::vector<double> weak;
    for (int d = 0; d < reference.dimension(); ++d)
      append(weak, inverse_mass * slopes[static_cast<std::size_t>(d)].transpose() * volume.weights.asDiagonal());
    append(weak, projection);  // of sources, where there are any
    std::vector<double> face_lift;
    for (int f = 0; f < reference.faces(); ++f)
      append(face_lift, inverse_mass *
                            reference.interpolation(face_points(reference.type(), f, face.points)).transpose() *
                            face.weights.asDiagonal());
    const Eigen::MatrixXd on_face = simplex_basis(reference.order(), face.points) *
                                    simplex_basis(reference.order(), reference.nodes_on_face()).inverse();
    std::vector<double> to_points, to_face_points, project;
    append(to_points, values);
    append(to_face_points, on_face);
    append(project, projection);
    weak_ = data_->upload(weak);
    face_lift_ = data_->upload(face_lift);
    to_points_ = data_->upload(to_points);
    to_face_points_ = data_->upload(to_face_points);
    projection_ = data_->upload(project);
  }

  void factors(const Discretization& mesh, const Quadrature& volume, const Quadrature& face) {
    const int dimension = mesh.reference.dimension();
    const ElementMap element_map(mesh.mesh, volume.points);
    const FaceMap face_map(mesh.mesh, face.points);
    std::vector<double> factors, face_factors, places;
    for (std::size_t e = mesh.straight; e < mesh.size(); ++e) {
      const PointMetrics at = element_map(e);
      for (Eigen::Index p = 0; p < at.jacobian.size(); ++p) {
        for (int i = 0; i < dimension * dimension; ++i) factors.push_back(at.jacobian(p) * at.metric(p, i));
        factors.push_back(1 / at.jacobian(p));
      }
      for (int f = 0; f < mesh.faces(); ++f) {
        const FaceMetrics on = face_map(e, f);
        for (Eigen::Index p = 0; p < on.jacobian.size(); ++p) {
          for (int d = 0; d < dimension; ++d) face_factors.push_back(on.normal(p, d));
          face_factors.push_back(on.jacobian(p));
          for (int d = 0; d < 3; ++d) places.push_back(on.x(p, d));
        }
      }
    }
    factors_ = data_->upload(factors);
    face_factors_ = data_->upload(face_factors);
    places_ = data_->upload(places);
  }

  template <class Real>
  void launch(const StageBuffers& buffers, const StageStep& step, int first, int count) const {
    const StageData& data = *data_;
    const auto straight = static_cast<int>(data.mesh->straight);
    const auto over = [&](int each) {
      return Grid::over(static_cast<std::size_t>(count) * static_cast<std::size_t>(each));
    };
    sweeps_[0](data.stream, over(points_), buffers.q, to_points_, factors_, data.region, data.materials, fluxes_, first,
               count, straight);
    sweeps_[1](data.stream, over(data.mesh->faces() * face_points_), buffers.q, to_face_points_, face_factors_, places_,
               data.link, data.face_nodes, data.neighbour_nodes, data.region, data.neighbour_region, data.materials,
               outflow_, static_cast<Real>(step.time), first, count, straight);
    sweeps_[2](data.stream, over(data.mesh->nodes()), fluxes_, outflow_, weak_, face_lift_, weak_result_, count);
    sweeps_[3](data.stream, over(points_), weak_result_, to_points_, factors_, weighed_, first, count);
    sweeps_[4](data.stream, over(data.mesh->nodes()), weighed_, projection_, buffers.q, buffers.q_new, buffers.residual,
               static_cast<Real>(step.a), static_cast<Real>(step.b), static_cast<Real>(step.dt), first, count,
               straight);
  }

  std::shared_ptr<const StageData> data_;
  int points_ = 0, face_points_ = 0, batch_ = 1;
  Buffer weak_, face_lift_, to_points_, to_face_points_, projection_, factors_, face_factors_, places_;
  Buffer fluxes_, outflow_, weak_result_, weighed_;
  std::vector<Kernel> sweeps_;
};

}  // namespace

std::unique_ptr<StageKernel> make_curved_stage(std::shared_ptr<const StageData> data) {
  return std::make_unique<CurvedStage>(std::move(data));
}

}  // namespace rtcg::dgfem
