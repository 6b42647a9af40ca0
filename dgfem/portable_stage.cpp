#include <fmt/format.h>

#include <algorithm>

#include "dgfem/stage.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "rtcg_dgfem_kernels.h"

namespace rtcg::dgfem {

namespace {

/// [column][row padded]: an operator's columns, so that a work-group's items read neighbouring rows.
std::vector<double> columns_of(const Eigen::MatrixXd& matrix, Eigen::Index padded) {
  std::vector<double> values(static_cast<std::size_t>(padded * matrix.cols()), 0.0);
  for (Eigen::Index c = 0; c < matrix.cols(); ++c)
    for (Eigen::Index r = 0; r < matrix.rows(); ++r) values[static_cast<std::size_t>(c * padded + r)] = matrix(r, c);
  return values;
}

class PortableStage final : public StageKernel {
 public:
  PortableStage(std::shared_ptr<const StageData> data, const Configuration& configuration)
      : data_(std::move(data)),
        elements_(configuration.integer("elements")),
        lanes_(configuration.integer("lanes")),
        fused_(configuration.flag("fused")) {
    const ReferenceElement& reference = data_->mesh->reference;
    const bool is_cpu = data_->stream.device().properties().kind == DeviceKind::cpu;
    const Eigen::Index padded = (reference.nodes_per_element() + lanes_ - 1) / lanes_ * lanes_;
    std::vector<double> stacked;
    for (int d = 0; d < reference.dimension(); ++d) {
      const std::vector<double> columns = columns_of(reference.derivative(d), padded);
      stacked.insert(stacked.end(), columns.begin(), columns.end());
    }
    derivative_ = data_->upload(stacked);
    lift_ = data_->upload(columns_of(reference.lift(), padded));
    const auto items = static_cast<std::int64_t>(padded) / lanes_ * elements_;
    threads_ = is_cpu ? 1 : static_cast<int>(items);
    const auto part = [&](bool volume, bool surface, bool update) {
      Source source = data_->source("stage.cl", kernels::stage_cl);
      source.define("ELEMENTS", elements_).define("LANES", lanes_).define("THREADS", threads_);
      source.define("PADDED", static_cast<std::int64_t>(padded));
      source.define("VOLUME", volume ? 1 : 0).define("SURFACE", surface ? 1 : 0).define("UPDATE", update ? 1 : 0);
      return compile(data_->stream.device(), source);
    };
    if (fused_) {
      stages_.push_back(part(true, true, true).kernel("dg_stage"));
    } else {
      const Module volume = part(true, false, false);
      stages_.push_back(volume.kernel("dg_stage"));
      stages_.push_back(part(false, true, false).kernel("dg_stage"));
      update_.push_back(volume.kernel("dg_update"));
    }
  }

  void operator()(const StageBuffers& buffers, const StageStep& step, std::size_t first,
                  std::size_t end) const override {
    if (first >= end) return;
    if (data_->precision == ScalarType::f64)
      launch<double>(buffers, step, first, end);
    else
      launch<float>(buffers, step, first, end);
  }

 private:
  template <class Real>
  void launch(const StageBuffers& buffers, const StageStep& step, std::size_t first, std::size_t end) const {
    const auto groups = (end - first + static_cast<std::size_t>(elements_) - 1) / static_cast<std::size_t>(elements_);
    const auto a = static_cast<Real>(step.a), b = static_cast<Real>(step.b), dt = static_cast<Real>(step.dt);
    const StageData& data = *data_;
    for (const Kernel& stage : stages_)
      stage(data.stream, Grid::of(groups, static_cast<std::size_t>(threads_)), buffers.q, buffers.q_new,
            buffers.residual, derivative_, lift_, data.metric, data.faces, data.link, data.face_nodes,
            data.neighbour_nodes, data.region, data.neighbour_region, data.materials, data.vertices, data.weights, a, b,
            dt, static_cast<Real>(step.time), static_cast<int>(first), static_cast<int>(end));
    if (update_.empty()) return;
    const auto row = static_cast<std::int64_t>(data.mesh->nodes() * data.mesh->fields());
    const std::int64_t from = static_cast<std::int64_t>(first) * row, to = static_cast<std::int64_t>(end) * row;
    update_.front()(data.stream, Grid::over(static_cast<std::size_t>(to - from)), buffers.q, buffers.q_new,
                    buffers.residual, a, b, dt, from, to);
  }

  std::shared_ptr<const StageData> data_;
  std::int64_t elements_, lanes_;
  bool fused_;
  int threads_ = 1;
  Buffer derivative_, lift_;
  std::vector<Kernel> stages_, update_;
};

}  // namespace

Configuration portable_stage_default(const Discretization& mesh, const DeviceProperties& device, ScalarType precision) {
  const std::int64_t fields = mesh.fields(), nodes = mesh.nodes();
  if (device.kind == DeviceKind::cpu) {
    const std::int64_t lanes = precision == ScalarType::f64 ? 8 : 16;
    return Configuration({{"fused", true}, {"elements", std::int64_t{4}}, {"lanes", lanes}});
  }
  const std::int64_t traces = mesh.faces() * mesh.reference.nodes_per_face();
  const std::int64_t values = nodes + traces + (mesh.system->is_linear() ? 0 : mesh.reference.dimension() * nodes);
  const auto bytes = values * fields * static_cast<std::int64_t>(size_of(precision));
  const std::int64_t most_local = static_cast<std::int64_t>(std::min<std::size_t>(device.local_memory, 48 << 10));
  const std::int64_t most_items = std::min<std::int64_t>(device.max_work_group, 256);
  const std::int64_t elements = std::clamp<std::int64_t>(std::min(most_local / bytes, most_items / nodes), 1, 32);
  return Configuration({{"fused", true}, {"elements", elements}, {"lanes", std::int64_t{1}}});
}

std::unique_ptr<StageKernel> make_portable_stage(std::shared_ptr<const StageData> data,
                                                 const Configuration& configuration) {
  return std::make_unique<PortableStage>(std::move(data), configuration);
}

}  // namespace rtcg::dgfem
