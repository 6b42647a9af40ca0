#include "rtcg/sparse/spmv_tuning.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "rtcg/tune/choice.h"

namespace rtcg {

namespace {

constexpr const char* family = "spmv";

struct Problem {
  bool is_double = true;
  double rows = 1, mean = 1;  ///< entries of a row
};

struct SpmvTuning {
  bool sell = false;
  unsigned lanes = 0, slice = 64;

  SparseOptions used(const SparseOptions& options) const {
    SparseOptions result = options;
    result.format = sell ? SparseFormat::sell : SparseFormat::csr;
    result.lanes = lanes, result.slice = slice;
    return result;
  }
};

SpmvTuning read(const Configuration& configuration) {
  return {configuration.word("format") == "sell", static_cast<unsigned>(configuration.integer("lanes")),
          static_cast<unsigned>(configuration.integer("slice"))};
}

/// Rows of none to twice the mean of entries, each spread evenly from a random place on: whole numbers of -1 to 1, so
/// that products with such are exact.
struct ScatteredMatrix {
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;

  explicit ScatteredMatrix(const Problem& problem) {
    const auto rows = static_cast<std::int64_t>(problem.rows);
    const auto turn = std::min(rows / 2, static_cast<std::int64_t>(2 * problem.mean)) + 1;
    std::minstd_rand random(11);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t length = row * 7919 % turn;
      const std::int64_t step = length == 0 ? 1 : std::max<std::int64_t>(1, rows / 2 / length);
      std::int64_t column = static_cast<std::int64_t>(random()) % std::max<std::int64_t>(1, rows - step * length);
      for (std::int64_t k = 0; k < length; ++k, column += step) {
        columns.push_back(static_cast<std::int32_t>(column));
        values.push_back(static_cast<int>(random() >> 8) % 3 - 1);
      }
      starts.push_back(static_cast<std::int64_t>(columns.size()));
    }
  }
  SparseMatrix on_host(bool is_double) const {
    const std::size_t rows = starts.size() - 1;
    if (is_double) return SparseMatrix(rows, rows, starts, columns, values);
    return SparseMatrix(rows, rows, starts, columns, std::vector<float>(values.begin(), values.end()));
  }
};

class SpmvTrial : public Trial {
 public:
  SpmvTrial(const Stream& stream, const Problem& problem)
      : stream_(stream),
        entries_(problem),
        matrix_(entries_.on_host(problem.is_double)),
        is_double_(problem.is_double),
        y_(stream, "y", matrix_.rows() * size_of(matrix_.dtype()), matrix_.dtype()) {
    for (std::size_t k = 0; k < matrix_.columns(); ++k) host_x_.push_back(static_cast<double>(k * 7 % 3) - 1);
    x_ = is_double_ ? Buffer::from(stream, host_x_)
                    : Buffer::from(stream, std::vector<float>(host_x_.begin(), host_x_.end()));
  }

  std::function<void()> prepare(const Configuration& configuration) override {
    SparseOptions options;
    options.loop_shape = DeviceKind::gpu;
    auto product = std::make_shared<SparseOperator>(stream_, matrix_, read(configuration).used(options));
    return [this, product] { (*product)(stream_, x_, y_.buffer()); };
  }
  std::vector<const GuardedOutput*> outputs() const override { return {&y_}; }
  void check() override {
    std::vector<double> found;
    if (is_double_) {
      found = y_.buffer().read<double>();
    } else {
      const auto narrow = y_.buffer().read<float>();
      found.assign(narrow.begin(), narrow.end());
    }
    for (std::size_t row = 0; row < found.size(); ++row) {
      double sum = 0;
      for (auto k = static_cast<std::size_t>(entries_.starts[row]);
           k < static_cast<std::size_t>(entries_.starts[row + 1]); ++k)
        sum += entries_.values[k] * host_x_[static_cast<std::size_t>(entries_.columns[k])];
      if (!(found[row] == sum))
        throw NumericalError(fmt::format("row {} of the product is {}, not {}", row, found[row], sum));
    }
  }

 private:
  Stream stream_;
  ScatteredMatrix entries_;
  SparseMatrix matrix_;
  bool is_double_;
  std::vector<double> host_x_;
  Buffer x_;
  GuardedOutput y_;
};

Tunable describe(const Problem& problem) {
  Tunable tunable;
  tunable.family = family;
  tunable.traits = {{"dtype", problem.is_double ? "float64" : "float32"}};
  tunable.sizes = {{"rows", problem.rows}, {"mean", problem.mean}};
  const SparseOptions standard;
  tunable.space.parameter("format", {std::string("csr"), std::string("sell")}, std::string("csr"))
      .parameter("lanes", integers({0, 1, 2, 4, 8, 16, 32}), std::int64_t{standard.lanes})
      .parameter("slice", integers({32, 64, 128, 256}), std::int64_t{standard.slice})
      .constraint("slices share no rows", {"format", "lanes"},
                  [](const Configuration& c) { return c.word("format") == "csr" || c.integer("lanes") == 0; })
      .constraint("compressed rows have no slices", {"format", "slice"}, [standard](const Configuration& c) {
        return c.word("format") == "sell" || c.integer("slice") == standard.slice;
      });
  tunable.demand = [](const Configuration&) { return Demand{256, 36 << 10}; };
  tunable.trial = [problem](const Stream& stream) { return std::make_unique<SpmvTrial>(stream, problem); };
  tunable.work = 2 * problem.rows * problem.mean;
  tunable.unit = "FLOP";
  return tunable;
}

}  // namespace

std::optional<SparseOptions> tuned_product(const Device& device, const SparseMatrix& matrix,
                                           const SparseOptions& options) {
  static auto* const choices = new Choices<SpmvTuning>(family);
  const bool is_double = matrix.dtype() == ScalarType::f64;
  if (options.loop_shape.value_or(device.properties().kind) != DeviceKind::gpu || matrix.nonzeros() == 0 ||
      (!is_double && matrix.dtype() != ScalarType::f32))
    return std::nullopt;
  const auto rows = static_cast<double>(matrix.rows());
  const unsigned row_class = size_class(rows), mean_class = size_class(static_cast<double>(matrix.nonzeros()) / rows);
  const std::optional<SpmvTuning> tuning = choices->find(
      device, row_class | std::uint64_t{mean_class} << 6 | std::uint64_t{is_double} << 12,
      [&] {
        return describe({is_double, size_of_class(row_class), size_of_class(mean_class)});
      },
      read);
  if (!tuning) return std::nullopt;
  return tuning->used(options);
}

void add_sparse_tunables(TunableRegistry& registry) {
  TunableFamily spmv;
  spmv.name = family;
  spmv.meaning = "products of sparse matrices without structure (GPU loops)";
  spmv.traits = {{"dtype", "of entries", {"float64", "float32"}}};
  spmv.sizes = {{"rows", "rows and columns", 1 << 20}, {"mean", "mean entries of a row", 16}};
  spmv.describe = [](const Device&, const TunableFamily::Traits& traits, const TunableFamily::Sizes& sizes) {
    const auto rounded = [&](const char* name) { return size_of_class(size_class(sizes.at(name))); };
    if (rounded("rows") * rounded("mean") >= 0x1p31)
      throw UsageError("spmv: rows times mean is 2^31 or more, which indices of 32 bits do not reach");
    return describe({traits.at("dtype") == "float64", rounded("rows"), rounded("mean")});
  };
  registry.add(std::move(spmv));
}

}  // namespace rtcg
