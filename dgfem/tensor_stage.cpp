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

/// The smallest distance of elements, at least `reals`, for which the pairs of fields that a quarter of a warp reads at
/// once, of four nodes of two elements, lie in distinct banks.
int stride_for(int reals, int fields) {
  const auto conflicts = [&](int stride) {
    std::array<int, 8> uses{};
    for (int lane = 0; lane < 8; ++lane)
      ++uses[static_cast<std::size_t>((lane / 4 * stride + lane % 4 * fields) / 2 % 8)];
    return *std::max_element(uses.begin(), uses.end());
  };
  int best = up_to_multiple(reals, 2);
  for (int stride = best; stride < best + 16; stride += 2)
    if (conflicts(stride) < conflicts(best)) best = stride;
  return best;
}

struct Tiling {
  int groups = 1, warps = 1, resident = 1, depth = 1;

  static Tiling of(const Configuration& choice) {
    return {whole(choice, "tensor.groups"), whole(choice, "tensor.warps"), whole(choice, "tensor.resident"),
            whole(choice, "tensor.depth")};
  }
};

struct Layout {
  int blocks, tiles, nodes_padded, traces_padded, stride;
  std::size_t threads, local_bytes;
  bool metric_shared;

  Layout(const Multiprocessor& machine, const StageShape& shape, const Tiling& tiling) {
    blocks = (shape.nodes + 7) / 8;
    tiles = (blocks + tiling.warps - 1) / tiling.warps;
    nodes_padded = up_to_multiple(shape.nodes, 4);
    traces_padded = up_to_multiple(shape.traces(), 4);
    stride = stride_for((nodes_padded + traces_padded) * shape.fields, shape.fields);
    threads = static_cast<std::size_t>(32 * tiling.groups * tiling.warps);
    const auto elements = static_cast<std::size_t>(8 * tiling.groups);
    const auto metric = static_cast<std::size_t>(shape.dimension * shape.dimension) * sizeof(double);
    local_bytes = elements * (static_cast<std::size_t>(stride + shape.faces * (shape.dimension + 1)) * sizeof(double) +
                              static_cast<std::size_t>(shape.faces) * sizeof(int) + metric);
    metric_shared = held(machine, tiling);
    if (!metric_shared) local_bytes -= elements * metric;
  }
  /// Whether a multiprocessor's shared memory holds the blocks; each takes 1 KiB more.
  bool held(const Multiprocessor& machine, const Tiling& tiling) const {
    return static_cast<std::size_t>(tiling.resident) * (local_bytes + 1024) <= machine.local_bytes;
  }
};

/// Warps on the busiest of a multiprocessor's four schedulers.
std::size_t warps_of_scheduler(const Layout& layout, const Tiling& tiling) {
  return (layout.threads / 32 * static_cast<std::size_t>(tiling.resident) + 3) / 4;
}

bool is_possible(const Multiprocessor& machine, const StageShape& shape, const Tiling& tiling) {
  const Layout layout(machine, shape, tiling);
  if ((tiling.warps - 1) * layout.tiles >= layout.blocks || !layout.held(machine, tiling)) return false;
  if (layout.threads > 1024 || layout.threads * static_cast<std::size_t>(tiling.resident) > machine.items) return false;
  // Derivatives of one block of nodes, rates of the others, operands: in registers of 32 bits.
  const int needed = 4 * shape.fields * (shape.dimension + layout.tiles - 1) + 32;
  const std::size_t registers =
      std::min<std::size_t>(machine.registers / 128 / warps_of_scheduler(layout, tiling) / 8 * 8, 255);
  return registers >= static_cast<std::size_t>(needed);
}

/// [block of 8 rows][step of 4 columns][matrix][lane]: as lanes hold the transposed right operand.
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

constexpr std::array all_groups{1, 2, 4, 8};
constexpr std::array all_warps{1, 2, 3, 4, 5, 6, 7, 8, 11, 15};
constexpr std::array all_residents{1, 2, 3, 4, 5, 6, 8, 12, 16};
constexpr std::array all_depths{1, 2};

struct Measured {
  int blocks;  ///< of 8 nodes, at most
  Tiling tiling;
};
/// The fastest for tetrahedra of order 1 to 8 with six fields on an H200.
constexpr std::array measured{Measured{1, {2, 1, 8, 1}},  Measured{2, {2, 2, 4, 1}},  Measured{3, {1, 3, 5, 1}},
                              Measured{5, {1, 5, 3, 1}},  Measured{7, {1, 4, 3, 1}},  Measured{11, {1, 6, 2, 2}},
                              Measured{15, {1, 8, 2, 1}}, Measured{21, {1, 11, 1, 2}}};

/// What was measured for as many nodes or a few more; else enough warps to keep the tensor cores busy, their work
/// spread evenly over warps and schedulers.
Tiling rule(const Multiprocessor& machine, const StageShape& shape) {
  for (const Measured& known : measured)
    if ((shape.nodes + 7) / 8 <= known.blocks) {
      if (is_possible(machine, shape, known.tiling)) return known.tiling;
      break;
    }
  Tiling best;
  double most = -1;
  for (const int groups : all_groups)
    for (const int warps : all_warps)
      for (const int resident : all_residents) {
        const Tiling tiling{groups, warps, resident, 1};
        if (!is_possible(machine, shape, tiling)) continue;
        const Layout layout(machine, shape, tiling);
        const double active = groups * warps * resident;
        const double even = static_cast<double>(layout.blocks) / (warps * layout.tiles) * active /
                            static_cast<double>(4 * warps_of_scheduler(layout, tiling));
        const double value = even * std::min(1.0, active / 12) * (layout.tiles > 2 ? 0.75 : 1.0);
        if (value > most) most = value, best = tiling;
      }
  return best;
}

class TensorStage final : public StageKernel {
 public:
  TensorStage(std::shared_ptr<const StageData> data, const Configuration& choice)
      : data_(std::move(data)),
        tiling_(Tiling::of(choice)),
        layout_(Multiprocessor::of(data_->stream.device()), StageShape(*data_->mesh, data_->precision), tiling_),
        kernel_(compile(data_->stream.device(), tensor_stage_source(*data_, choice)).kernel("dg_stage_tensor")) {
    const ReferenceElement& reference = data_->mesh->reference;
    std::vector<Eigen::MatrixXd> derivatives;
    for (int d = 0; d < reference.dimension(); ++d) derivatives.push_back(reference.derivative(d));
    const int blocks = tiling_.warps * layout_.tiles;
    derivative_ = data_->upload(fragments(derivatives, blocks, layout_.nodes_padded / 4));
    lift_ = data_->upload(fragments({reference.lift()}, blocks, layout_.traces_padded / 4));
  }

  void operator()(const StageBuffers& buffers, const StageStep& step, std::size_t first,
                  std::size_t end) const override {
    if (first >= end) return;
    const auto elements = static_cast<std::size_t>(8 * tiling_.groups);
    Grid grid = Grid::of((end - first + elements - 1) / elements, layout_.threads);
    grid.dynamic_local_bytes = static_cast<std::uint32_t>(layout_.local_bytes);
    const StageData& data = *data_;
    kernel_(data.stream, grid, buffers.q, buffers.q_new, buffers.residual, derivative_, lift_, data.metric, data.faces,
            data.link, data.face_nodes, data.neighbour_nodes, data.region, data.neighbour_region, data.materials,
            data.vertices, data.weights, step.a, step.b, step.dt, step.time, static_cast<int>(first),
            static_cast<int>(end));
  }

 private:
  std::shared_ptr<const StageData> data_;
  Tiling tiling_;
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
  const auto machine = Multiprocessor::of(device);
  return capability >= 80 && shape.is_linear && shape.precision == ScalarType::f64 && shape.fields % 2 == 0 &&
         is_possible(machine, shape, rule(machine, shape));
}

void add_tensor_parameters(ParameterSpace& space, const Device& device, const StageShape& shape) {
  const auto machine = Multiprocessor::of(device);
  const Tiling chosen = rule(machine, shape);
  const auto values = [](const auto& all) { return std::vector<ParameterValue>(all.begin(), all.end()); };
  space.parameter("tensor.groups", values(all_groups), std::int64_t{chosen.groups})
      .parameter("tensor.warps", values(all_warps), std::int64_t{chosen.warps})
      .parameter("tensor.resident", values(all_residents), std::int64_t{chosen.resident})
      .parameter("tensor.depth", values(all_depths), std::int64_t{chosen.depth})
      .constraint(
          "a multiprocessor holds the blocks, and each warp has nodes",
          {"tensor.groups", "tensor.warps", "tensor.resident", "tensor.depth"},
          [shape, machine](const Configuration& choice) { return is_possible(machine, shape, Tiling::of(choice)); });
}

Demand tensor_stage_demand(const StageShape&, const Configuration& choice) {
  const Tiling tiling = Tiling::of(choice);
  return {.work_group_size = static_cast<std::size_t>(32 * tiling.groups * tiling.warps), .local_bytes = 0};
}

Source tensor_stage_source(const StageData& data, const Configuration& choice) {
  const Tiling tiling = Tiling::of(choice);
  const Layout layout(Multiprocessor::of(data.stream.device()), StageShape(*data.mesh, data.precision), tiling);
  Source source = data.source("stage_tensor.cu", kernels::stage_tensor_cu, Dialect::cuda);
  source.define("NODES_PADDED", layout.nodes_padded).define("TRACES_PADDED", layout.traces_padded);
  source.define("STRIDE", layout.stride).define("BLOCKS", layout.blocks).define("GROUPS", tiling.groups);
  source.define("GROUP_WARPS", tiling.warps).define("RESIDENT", tiling.resident).define("DEPTH", tiling.depth);
  source.define("METRIC_SHARED", layout.metric_shared ? 1 : 0);
  return source;
}

std::unique_ptr<StageKernel> make_tensor_stage(std::shared_ptr<const StageData> data, const Configuration& choice) {
  return std::make_unique<TensorStage>(std::move(data), choice);
}

}  // namespace rtcg::dgfem
