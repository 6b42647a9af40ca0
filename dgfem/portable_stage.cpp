#include "dgfem/portable_stage.h"

#include <fmt/format.h>

#include <algorithm>

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
  PortableStage(std::shared_ptr<const StageData> data, const Configuration& choice)
      : data_(std::move(data)),
        elements_(choice.integer("portable.elements")),
        lanes_(choice.integer("portable.lanes")),
        fused_(choice.flag("portable.fused")) {
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

void add_portable_parameters(ParameterSpace& space, const Device& device, const StageShape& shape) {
  const DeviceProperties& machine = device.properties();
  const auto values = [](std::initializer_list<std::int64_t> list) {
    return std::vector<ParameterValue>(list.begin(), list.end());
  };
  space.parameter("portable.fused", {true, false}, true);
  if (machine.kind == DeviceKind::cpu) {
    space.parameter("portable.elements", values({1, 2, 4, 8, 16}), std::int64_t{4})
        .parameter("portable.lanes", values({4, 8, 16}),
                   shape.precision == ScalarType::f64 ? std::int64_t{8} : std::int64_t{16});
    return;
  }
  const auto local_bytes = [shape](std::int64_t elements) {
    const std::int64_t kept = shape.nodes + shape.traces() + (shape.is_linear ? 0 : shape.dimension * shape.nodes);
    return elements * kept * shape.fields * static_cast<std::int64_t>(size_of(shape.precision));
  };
  const auto most_local = static_cast<std::int64_t>(std::min<std::size_t>(machine.local_memory, 48 << 10));
  const auto most_items = std::min<std::int64_t>(machine.max_work_group, 256);
  std::int64_t standard = 1;
  for (const std::int64_t elements : {2, 4, 6, 8, 12, 16, 24, 32})
    if (local_bytes(elements) <= most_local && elements * shape.nodes <= most_items) standard = elements;
  space.parameter("portable.elements", values({1, 2, 4, 6, 8, 12, 16, 24, 32}), standard)
      .parameter("portable.lanes", values({1}), std::int64_t{1});
  if (local_bytes(1) <= most_local && shape.nodes <= static_cast<std::int64_t>(machine.max_work_group))
    space.constraint("elements fit local memory and a work-group", {"portable.elements"},
                     [=, most = static_cast<std::int64_t>(machine.max_work_group)](const Configuration& choice) {
                       const std::int64_t elements = choice.integer("portable.elements");
                       return local_bytes(elements) <= most_local && elements * shape.nodes <= most;
                     });
}

Demand portable_stage_demand(const StageShape& shape, const Configuration& choice) {
  const std::int64_t lanes = choice.integer("portable.lanes");
  if (lanes > 1) return {};
  return {.work_group_size = static_cast<std::size_t>(shape.nodes * choice.integer("portable.elements")),
          .local_bytes = 0};
}

std::unique_ptr<StageKernel> make_portable_stage(std::shared_ptr<const StageData> data, const Configuration& choice) {
  return std::make_unique<PortableStage>(std::move(data), choice);
}

}  // namespace rtcg::dgfem
