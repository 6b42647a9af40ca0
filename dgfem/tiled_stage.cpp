#include "dgfem/tiled_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "dgfem/lattice.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/device/multiprocessor.h"
#include "rtcg/error.h"
#include "rtcg_dgfem_kernels.h"

namespace rtcg::dgfem {

namespace {

constexpr int stages = 2;  ///< chunks of the operators in shared memory

/// Of a device with asynchronous copies, else 0.
std::int64_t shared_bytes(const Device& device) {
  const DeviceProperties& properties = device.properties();
  if (properties.backend != Backend::cuda || !properties.architecture.starts_with("sm_")) return 0;
  int capability = 0;
  const std::string& text = properties.architecture;
  std::from_chars(text.data() + 3, text.data() + text.size(), capability);
  return capability < 80 ? 0 : static_cast<std::int64_t>(Multiprocessor::of(device).most_local_bytes);
}

struct Tile {
  std::int64_t lanes, elements, teams, blocks, unroll, chunk;
  bool shared = false;

  static Tile of(const Configuration& choice) {
    return {choice.integer("tiled.lanes"),  choice.integer("tiled.elements"), choice.integer("tiled.teams"),
            choice.integer("tiled.blocks"), choice.integer("tiled.unroll"),   choice.integer("tiled.chunk"),
            choice.flag("tiled.shared")};
  }
};

constexpr std::int64_t up(std::int64_t n, std::int64_t of) {
  return (n + of - 1) / of;
}

/// A group of rows as operators hold it: padded to what one load brings.
constexpr std::int64_t row_words(std::int64_t lanes) {
  return lanes <= 2 ? lanes : up(lanes, 4) * 4;
}

/// The sizes that the text works out for itself, again for the host.
struct Layout {
  Layout(const StageShape& shape, const Tile& tile) {
    const auto size = static_cast<std::int64_t>(size_of(shape.precision)), quad = 16 / size;
    const auto stride = [&](std::int64_t words) { return up(words, quad) / 2 * 2 * quad + quad; };
    groups = up(shape.nodes, tile.lanes);
    rows = groups * row_words(tile.lanes);
    team = up(tile.elements * groups, 32) * 32;
    threads = team * tile.teams;
    volume_columns = tile.chunk > 0 ? up(shape.columns(), tile.chunk) * tile.chunk : shape.columns();
    lift_columns = shape.lift_columns();
    if (tile.chunk > 0) {
      const std::int64_t chunk = tile.chunk * shape.dimension;
      lift_columns = up(lift_columns, chunk) * chunk;
    }
    const std::int64_t own = stride(volume_columns * shape.fields);
    const std::int64_t lifted =
        stride(std::max<std::int64_t>(shape.lift_columns(), groups * tile.lanes) * shape.fields);
    const std::int64_t each = own + lifted + shape.faces * (shape.dimension + 2) + shape.dimension * shape.dimension;
    const std::int64_t operators = tile.chunk > 0 ? stages * tile.chunk * shape.dimension * rows
                                                  : (volume_columns * shape.dimension + lift_columns) * rows;
    bytes = size * (operators + tile.teams * up(tile.elements * each, quad) * quad) +
            2 * (shape.traces() + shape.faces * shape.orientations * shape.face_nodes);
    registers_needed = (tile.lanes * shape.dimension * shape.fields + 24) * size / 4;
    const std::int64_t warps = up(threads / 32 * tile.blocks, 4);
    registers = std::min<std::int64_t>(512 / warps / 8 * 8, 255);
  }
  bool fits(std::int64_t shared, const Tile& tile) const {
    return threads <= 1024 && threads * tile.blocks <= 2048 && (bytes + 1024) * tile.blocks <= shared + 1024 &&
           registers >= registers_needed && tile.teams <= 15;
  }

  std::int64_t groups, rows, team, threads, volume_columns, lift_columns, bytes, registers, registers_needed;
};

class TiledStage final : public StageKernel {
 public:
  TiledStage(std::shared_ptr<const StageData> data, const Configuration& choice)
      : data_(std::move(data)), tile_(Tile::of(choice)), layout_(StageShape(*data_->mesh, data_->precision), tile_) {
    const ReferenceElement& reference = data_->mesh->reference;
    const int dimension = reference.dimension();
    const auto rows = static_cast<std::size_t>(layout_.rows);
    const auto place = [&](Eigen::Index n) {
      return static_cast<std::size_t>(n / tile_.lanes * row_words(tile_.lanes) + n % tile_.lanes);
    };
    std::vector<double> operators(
        static_cast<std::size_t>(layout_.volume_columns * dimension + layout_.lift_columns) * rows, 0.0);
    for (int d = 0; d < dimension; ++d)
      for (Eigen::Index m = 0; m < reference.nodes_per_element(); ++m)
        for (Eigen::Index n = 0; n < reference.nodes_per_element(); ++n)
          operators[static_cast<std::size_t>(m * dimension + d) * rows + place(n)] = reference.derivative(d)(n, m);
    const auto lift = static_cast<std::size_t>(layout_.volume_columns * dimension);
    for (Eigen::Index m = 0; m < reference.lift().cols(); ++m)
      for (Eigen::Index n = 0; n < reference.nodes_per_element(); ++n)
        operators[(lift + static_cast<std::size_t>(m)) * rows + place(n)] = reference.lift()(n, m);
    operators_ = data_->upload(operators);

    stage_ = compile(data_->stream.device(), tiled_stage_source(*data_, choice)).kernel("dg_stage_tiles");
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
    const StageData& data = *data_;
    const auto tiles = up(static_cast<std::int64_t>(end - first), tile_.elements);
    const std::int64_t most = data.stream.device().properties().compute_units * tile_.blocks;
    Grid grid = Grid::of(static_cast<std::size_t>(std::min(up(tiles, tile_.teams), most)),
                         static_cast<std::size_t>(layout_.threads));
    grid.dynamic_local_bytes = static_cast<std::uint32_t>(layout_.bytes);
    (*stage_)(data.stream, grid, buffers.q, buffers.q_new, buffers.residual, operators_, data.metric, data.faces,
              data.link, data.face_nodes, data.neighbour_nodes, data.region, data.neighbour_region, data.materials,
              data.vertices, data.weights, static_cast<Real>(step.a), static_cast<Real>(step.b),
              static_cast<Real>(step.dt), static_cast<Real>(step.time), static_cast<int>(first), static_cast<int>(end));
  }

  std::shared_ptr<const StageData> data_;
  Tile tile_;
  Layout layout_;
  Buffer operators_;
  std::optional<Kernel> stage_;
};

/// Tetrahedra with six fields in single precision, orders 1 to 8: as measured on an H200.
constexpr Tile measured[] = {{1, 32, 8, 1, 2, 0, true}, {2, 24, 6, 1, 2, 0}, {4, 24, 4, 1, 1, 0},
                             {2, 16, 3, 1, 1, 0},       {4, 8, 4, 1, 2, 0},  {4, 24, 1, 1, 1, 28},
                             {8, 16, 1, 1, 1, 20},      {7, 16, 1, 1, 1, 10}};

/// What is worth trying first, by counting: lanes and rows without work, warps that hide what one waits for, teams
/// whose warps the four schedulers share evenly.
double promise(const StageShape& shape, const Tile& tile, const Layout& layout) {
  const auto part = [](std::int64_t used, std::int64_t of) {
    return static_cast<double>(used) / static_cast<double>(of);
  };
  const std::int64_t warps = layout.team / 32;
  return part(tile.elements * layout.groups, layout.team) * part(shape.nodes, layout.groups * tile.lanes) *
         part(warps, up(warps, 4) * 4) * std::min(part(layout.threads * tile.blocks, 512), 1.0) *
         (tile.chunk > 0 ? 0.8 : 1.0) * part(tile.lanes, tile.lanes + 1);
}

std::optional<Tile> standard_tile(std::int64_t shared, const StageShape& shape) {
  if (shape.dimension == 3 && shape.fields == 6 && shape.precision == ScalarType::f32 && shape.order <= 8)
    if (const Tile& tile = measured[shape.order - 1]; Layout(shape, tile).fits(shared, tile)) return tile;
  std::optional<Tile> best;
  double most = 0;
  for (const std::int64_t chunk : {0, 8, 4})
    for (const std::int64_t lanes : {4, 2, 1})
      for (const std::int64_t elements : {8, 16, 24, 32, 64})
        for (const std::int64_t count : {1, 2, 3, 4, 5, 6, 8}) {
          const Tile tile{lanes, elements, chunk > 0 ? 1 : count, chunk > 0 ? count : 1, 1, chunk, false};
          const Layout layout(shape, tile);
          if (!layout.fits(shared, tile) || (chunk > 0 && count > 4)) continue;
          if (const double value = promise(shape, tile, layout); value > most) best = tile, most = value;
        }
  return best;
}

}  // namespace

bool tiled_stage_serves(const Device& device, const StageShape& shape) {
  const std::int64_t shared = shared_bytes(device);
  return shared > 0 && shape.is_linear && shape.faces * shape.orientations <= 32 &&
         standard_tile(shared, shape).has_value();
}

void add_tiled_parameters(ParameterSpace& space, const Device& device, const StageShape& shape) {
  const std::int64_t shared = shared_bytes(device);
  const Tile tile = standard_tile(shared, shape).value();
  const auto values = [](std::initializer_list<std::int64_t> list) {
    return std::vector<ParameterValue>(list.begin(), list.end());
  };
  space.parameter("tiled.lanes", values({4, 2, 1, 3, 5, 7, 8}), tile.lanes)
      .parameter("tiled.elements", values({8, 16, 24, 32, 40, 48, 64, 128}), tile.elements)
      .parameter("tiled.teams", values({1, 2, 3, 4, 5, 6, 8}), tile.teams)
      .parameter("tiled.blocks", values({1, 2, 3, 4}), tile.blocks)
      .parameter("tiled.unroll", values({1, 2}), tile.unroll)
      .parameter("tiled.chunk", values({0, 4, 8, 10, 12, 16, 20, 24, 28, 34, 40}), tile.chunk)
      .parameter("tiled.shared", {false, true}, tile.shared)
      .constraint("operators stream for one team only", {"tiled.teams", "tiled.chunk"},
                  [](const Configuration& choice) {
                    return choice.integer("tiled.chunk") == 0 || choice.integer("tiled.teams") == 1;
                  })
      .constraint("the tiles fit shared memory, and their sums registers",
                  {"tiled.lanes", "tiled.elements", "tiled.teams", "tiled.blocks", "tiled.chunk"},
                  [shared, shape](const Configuration& choice) {
                    Tile one{choice.integer("tiled.lanes"),
                             choice.integer("tiled.elements"),
                             choice.integer("tiled.teams"),
                             choice.integer("tiled.blocks"),
                             1,
                             choice.integer("tiled.chunk")};
                    return Layout(shape, one).fits(shared, one);
                  });
}

Demand tiled_stage_demand(const StageShape& shape, const Configuration& choice) {
  return {.work_group_size = static_cast<std::size_t>(Layout(shape, Tile::of(choice)).threads), .local_bytes = 0};
}

Source tiled_stage_source(const StageData& data, const Configuration& choice) {
  const Tile tile = Tile::of(choice);
  Source source = data.source("stage_tiles.cu", kernels::stage_tiles_cu);
  source.define("LANES", tile.lanes).define("ELEMENTS", tile.elements).define("TEAMS", tile.teams);
  source.define("BLOCKS", tile.blocks).define("UNROLL", tile.unroll).define("CHUNK", tile.chunk);
  source.define("SHARED_TRACES", tile.shared ? 1 : 0);
  return source;
}

std::unique_ptr<StageKernel> make_tiled_stage(std::shared_ptr<const StageData> data, const Configuration& choice) {
  return std::make_unique<TiledStage>(std::move(data), choice);
}

}  // namespace rtcg::dgfem
