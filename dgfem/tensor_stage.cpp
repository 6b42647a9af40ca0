#include "dgfem/tensor_stage.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "rtcg/compile/compiler.h"
#include "rtcg/device/multiprocessor.h"
#include "rtcg/tune/choice.h"
#include "rtcg_dgfem_kernels.h"

namespace rtcg::dgfem {

namespace {

int whole(const Configuration& choice, std::string_view name) {
  return static_cast<int>(choice.integer(name));
}

int up_to_multiple(int n, int of) {
  return (n + of - 1) / of * of;
}

/// The smallest distance of elements, at least `reals`, for which half a warp's operands lie in distinct banks.
int stride_for(int reals, int fields) {
  const auto conflicts = [&](int stride) {
    std::array<int, 16> uses{};
    for (int lane = 0; lane < 16; ++lane) {
      const int row = lane / 4, column = lane % 4;
      ++uses[static_cast<std::size_t>(((row >> 1) * stride + column * fields + (row & 1)) % 16)];
    }
    return *std::max_element(uses.begin(), uses.end());
  };
  int best = up_to_multiple(reals, 2);
  for (int stride = best; stride < best + 32; stride += 2)
    if (conflicts(stride) < conflicts(best)) best = stride;
  return best;
}

struct Layout {
  int elements, warps, row_blocks, quads, blocks, nodes_padded, traces_padded, q_stride, f_stride;
  std::size_t local_bytes;

  Layout(const StageShape& shape, const Configuration& choice)
      : Layout(shape, whole(choice, "tensor.elements"), whole(choice, "tensor.warps"),
               whole(choice, "tensor.row_blocks"), whole(choice, "tensor.quads")) {}
  Layout(const StageShape& shape, int elements_, int warps_, int row_blocks_, int quads_)
      : elements(elements_), warps(warps_), row_blocks(row_blocks_), quads(quads_) {
    blocks = up_to_multiple((shape.nodes + 7) / 8, row_blocks);
    nodes_padded = up_to_multiple(shape.nodes, 4);
    traces_padded = up_to_multiple(shape.traces(), 4);
    q_stride = stride_for(nodes_padded * shape.fields, shape.fields);
    f_stride = stride_for(traces_padded * shape.fields, shape.fields);
    local_bytes = sizeof(double) * static_cast<std::size_t>(elements * (q_stride + f_stride));
  }
  int items() const { return blocks / row_blocks * (elements / 4 / quads); }
  /// Accumulators and operands of a lane, in registers of 32 bits.
  std::size_t registers(const StageShape& shape) const {
    return static_cast<std::size_t>(2 * row_blocks * quads * shape.fields * shape.dimension + 40);
  }
};

bool is_possible(const Multiprocessor& machine, const StageShape& shape, const Layout& layout, std::size_t resident) {
  const auto threads = static_cast<std::size_t>(32 * layout.warps);
  return layout.elements % (4 * layout.quads) == 0 && layout.warps <= layout.items() &&
         threads * resident <= machine.items && layout.local_bytes <= machine.most_local_bytes &&
         resident * (layout.local_bytes + 1024) <= machine.local_bytes && layout.registers(shape) <= 250 &&
         threads * resident * layout.registers(shape) <= machine.registers;
}

struct Chosen {
  int elements = 4, warps = 1, row_blocks = 1, quads = 1, resident = 1;
};

/// [block of 8 rows][step of 4 columns][matrix][lane]: as lanes hold the left operand.
std::vector<double> fragments(const std::vector<Eigen::MatrixXd>& matrices, int blocks, int steps) {
  std::vector<double> values;
  for (int block = 0; block < blocks; ++block)
    for (int step = 0; step < steps; ++step)
      for (const Eigen::MatrixXd& matrix : matrices)
        for (int lane = 0; lane < 32; ++lane) {
          const int row = 8 * block + lane / 4, column = 4 * step + lane % 4;
          values.push_back(row < matrix.rows() && column < matrix.cols() ? matrix(row, column) : 0.0);
        }
  return values;
}

/// Items spread evenly over warps, and enough warps to keep the tensor cores busy.
Chosen rule(const Multiprocessor& machine, const StageShape& shape) {
  Chosen best;
  double best_score = -1;
  for (const int elements : {4, 8, 12, 16, 24, 32})
    for (const int warps : {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14, 16, 20})
      for (const int row_blocks : {1, 2})
        for (const int quads : {1, 2, 3})
          for (const int resident : {1, 2, 3, 4}) {
            const Layout layout(shape, elements, warps, row_blocks, quads);
            if (!is_possible(machine, shape, layout, static_cast<std::size_t>(resident))) continue;
            const int rounds = (layout.items() + warps - 1) / warps;
            const double even = static_cast<double>(layout.items()) / (rounds * warps);
            const double rows = shape.nodes / (8.0 * layout.blocks);
            const double busy = std::min(1.0, warps * resident / 14.0);
            // Pairs of row blocks run at the full rate; single ones pair their derivatives only.
            const double rate = row_blocks == 2 ? 1.0 : 0.75;
            const double reuse = row_blocks * quads > 1 ? 1.0 : 0.9;
            const double score = even * rows * busy * rate * reuse * (resident > 1 ? 1.05 : 1.0);
            if (score > best_score) best_score = score, best = {elements, warps, row_blocks, quads, resident};
          }
  return best;
}

class TensorStage final : public StageKernel {
 public:
  TensorStage(std::shared_ptr<const StageData> data, const Configuration& choice)
      : data_(std::move(data)),
        layout_(StageShape(*data_->mesh, data_->precision), choice),
        kernel_(compile(data_->stream.device(), tensor_stage_source(*data_, choice)).kernel("dg_stage_tensor")) {
    const ReferenceElement& reference = data_->mesh->reference;
    std::vector<Eigen::MatrixXd> derivatives;
    for (int d = 0; d < reference.dimension(); ++d) derivatives.push_back(reference.derivative(d));
    derivative_ = data_->upload(fragments(derivatives, layout_.blocks, layout_.nodes_padded / 4));
    lift_ = data_->upload(fragments({reference.lift()}, layout_.blocks, layout_.traces_padded / 4));
  }

  void operator()(const StageBuffers& buffers, const StageStep& step, std::size_t first,
                  std::size_t end) const override {
    if (first >= end) return;
    const auto elements = static_cast<std::size_t>(layout_.elements);
    Grid grid = Grid::of((end - first + elements - 1) / elements, static_cast<std::size_t>(32 * layout_.warps));
    grid.dynamic_local_bytes = static_cast<std::uint32_t>(layout_.local_bytes);
    const StageData& data = *data_;
    kernel_(data.stream, grid, buffers.q, buffers.q_new, buffers.residual, derivative_, lift_, data.metric, data.faces,
            data.link, data.face_nodes, data.neighbour_nodes, data.region, data.neighbour_region, data.materials,
            data.vertices, data.weights, step.a, step.b, step.dt, step.time, static_cast<int>(first),
            static_cast<int>(end));
  }

 private:
  std::shared_ptr<const StageData> data_;
  Layout layout_;
  Kernel kernel_;
  Buffer derivative_, lift_;
};

}  // namespace

bool tensor_stage_serves(const Device& device, const StageShape& shape) {
  const DeviceProperties& properties = device.properties();
  int capability = 0;
  const std::string& text = properties.architecture;
  if (properties.backend != Backend::cuda || !text.starts_with("sm_")) return false;
  std::from_chars(text.data() + 3, text.data() + text.size(), capability);
  // Below order 4 memory binds, and kernels that keep more of it in flight are faster.
  return capability >= 80 && shape.order >= 4 && shape.is_linear && shape.precision == ScalarType::f64 &&
         shape.fields % 2 == 0 && is_possible(Multiprocessor::of(device), shape, Layout(shape, 4, 1, 1, 1), 1);
}

void add_tensor_parameters(ParameterSpace& space, const Device& device, const StageShape& shape) {
  const auto machine = Multiprocessor::of(device);
  const Chosen chosen = rule(machine, shape);
  space.parameter("tensor.elements", integers({4, 8, 12, 16, 24, 32}), std::int64_t{chosen.elements})
      .parameter("tensor.warps", integers({1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14, 16, 20}), std::int64_t{chosen.warps})
      .parameter("tensor.row_blocks", integers({1, 2}), std::int64_t{chosen.row_blocks})
      .parameter("tensor.quads", integers({1, 2, 3}), std::int64_t{chosen.quads})
      .parameter("tensor.unroll", integers({1, 2, 4}), std::int64_t{2})
      .parameter("tensor.resident", integers({1, 2, 3, 4}), std::int64_t{chosen.resident})
      .constraint("a multiprocessor holds the blocks",
                  {"tensor.elements", "tensor.warps", "tensor.row_blocks", "tensor.quads", "tensor.resident"},
                  [shape, machine](const Configuration& choice) {
                    return is_possible(machine, shape, Layout(shape, choice),
                                       static_cast<std::size_t>(whole(choice, "tensor.resident")));
                  });
}

Demand tensor_stage_demand(const StageShape&, const Configuration& choice) {
  return {.work_group_size = static_cast<std::size_t>(32 * whole(choice, "tensor.warps")), .local_bytes = 0};
}

Source tensor_stage_source(const StageData& data, const Configuration& choice) {
  const Layout layout(StageShape(*data.mesh, data.precision), choice);
  Source source = data.source("stage_tensor.cu", kernels::stage_tensor_cu, Dialect::cuda);
  source.define("ELEMENTS", layout.elements).define("THREADS", 32 * layout.warps);
  source.define("NODES_PADDED", layout.nodes_padded).define("TRACES_PADDED", layout.traces_padded);
  source.define("Q_STRIDE", layout.q_stride).define("F_STRIDE", layout.f_stride);
  source.define("BLOCKS", layout.blocks).define("ROW_BLOCKS", layout.row_blocks).define("QUADS", layout.quads);
  source.define("UNROLL", choice.integer("tensor.unroll")).define("RESIDENT", choice.integer("tensor.resident"));
  return source;
}

std::unique_ptr<StageKernel> make_tensor_stage(std::shared_ptr<const StageData> data, const Configuration& choice) {
  return std::make_unique<TensorStage>(std::move(data), choice);
}

}  // namespace rtcg::dgfem
