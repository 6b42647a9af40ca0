#include "dgfem/lane_stage.h"

#include <optional>

#include "rtcg/compile/compiler.h"
#include "rtcg_dgfem_kernels.h"

namespace rtcg::dgfem {

namespace {

class LaneStage final : public StageKernel {
 public:
  LaneStage(std::shared_ptr<const StageData> data, const Configuration& choice)
      : data_(std::move(data)), width_(choice.integer("lanes.width")) {
    const ReferenceElement& reference = data_->mesh->reference;
    const std::int64_t rows = choice.integer("lanes.rows");
    const Eigen::Index nodes = reference.nodes_per_element(), tiles = (nodes + rows - 1) / rows;
    const Eigen::Index columns = reference.dimension() * nodes + reference.lift().cols();
    std::vector<double> operators(static_cast<std::size_t>(tiles * rows * columns), 0.0);  // [tile][column][row]
    for (Eigen::Index n = 0; n < nodes; ++n)
      for (Eigen::Index c = 0; c < columns; ++c) {
        const bool lifts = c >= reference.dimension() * nodes;
        operators[static_cast<std::size_t>((n / rows * columns + c) * rows + n % rows)] =
            lifts ? reference.lift()(n, c - reference.dimension() * nodes)
                  : -reference.derivative(static_cast<int>(c / nodes))(n, c % nodes);
      }
    operators_ = data_->upload(operators);
    Source source = data_->source("stage_lanes.cl", kernels::stage_lanes_cl, Dialect::opencl);
    source.define("LANES", width_).define("ROWS", rows).define("TILES", static_cast<std::int64_t>(tiles));
    source.define("COLUMNS", static_cast<std::int64_t>(columns));
    source.define("pack", name_of(data_->precision) + std::to_string(width_));
    kernel_ = compile(data_->stream.device(), source).kernel("dg_stage");
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
    const auto width = static_cast<std::size_t>(width_);
    const StageData& data = *data_;
    (*kernel_)(data.stream, Grid::of((end - first + width - 1) / width, 1), buffers.q, buffers.q_new, buffers.residual,
               operators_, data.metric, data.faces, data.link, data.face_nodes, data.neighbour_nodes, data.region,
               data.neighbour_region, data.materials, data.vertices, data.weights, static_cast<Real>(step.a),
               static_cast<Real>(step.b), static_cast<Real>(step.dt), static_cast<Real>(step.time),
               static_cast<int>(first), static_cast<int>(end));
  }

  std::shared_ptr<const StageData> data_;
  std::int64_t width_;
  Buffer operators_;
  std::optional<Kernel> kernel_;
};

}  // namespace

bool lane_stage_serves(const Device& device, const StageShape&) {
  return device.properties().kind == DeviceKind::cpu && device.properties().backend == Backend::opencl;
}

void add_lane_parameters(ParameterSpace& space, const Device&, const StageShape& shape) {
  const auto values = [](std::initializer_list<std::int64_t> list) {
    return std::vector<ParameterValue>(list.begin(), list.end());
  };
  const std::int64_t rows = shape.fields > 6 ? 2 : shape.fields > 4 ? 4 : 6;  // some 24 registers
  space.parameter("lanes.width", values({4, 8, 16}), std::int64_t{shape.precision == ScalarType::f64 ? 8 : 16})
      .parameter("lanes.rows", values({1, 2, 3, 4, 6, 8}), rows);
}

Demand lane_stage_demand(const StageShape&, const Configuration&) {
  return {};
}

std::unique_ptr<StageKernel> make_lane_stage(std::shared_ptr<const StageData> data, const Configuration& choice) {
  return std::make_unique<LaneStage>(std::move(data), choice);
}

}  // namespace rtcg::dgfem
