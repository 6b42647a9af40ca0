#include "vision/separable.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/SVD>

#include "rtcg/array/raw_launch.h"
#include "rtcg/compile/compiler.h"
#include "rtcg_vision_kernels.h"

namespace rtcg::vision {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What a device computes in the time in which it moves a byte: about 10 FLOP on a CPU, 15 on an H200.
constexpr double flop_per_byte = 12;

bool is_integer(const Matrix& filter) {
  return (filter.array() == filter.array().round()).all() && filter.array().abs().maxCoeff() < 0x1p24;
}

struct Factors {
  Eigen::VectorXd column, row;
};

/// Of a filter of rank 1 in integers: the row has no common divisor, so the column is integer as well.
Factors integer_factors(const Matrix& filter) {
  Eigen::Index j = 0, i = 0;
  filter.array().abs().maxCoeff(&j, &i);
  std::int64_t divisor = 0;
  for (Eigen::Index k = 0; k < filter.cols(); ++k) divisor = std::gcd(divisor, std::llround(filter(j, k)));
  if (divisor == 0) return {Eigen::VectorXd::Zero(filter.rows()), Eigen::VectorXd::Zero(filter.cols())};
  const Eigen::VectorXd row = filter.row(j).transpose() / static_cast<double>(divisor);
  return {filter.col(i) / row(i), row};
}

}  // namespace

std::optional<SeparableBank> separate(const FilterbankShape& shape, std::span<const float> bank, double tolerance) {
  const auto rows = static_cast<Eigen::Index>(shape.filter_height);
  const auto run = static_cast<Eigen::Index>(shape.filter_width * shape.channels);
  SeparableBank result;
  for (std::size_t n = 0; n < shape.filters; ++n) {
    const Matrix filter = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
                              bank.data() + n * static_cast<std::size_t>(rows * run), rows, run)
                              .cast<double>();
    const Eigen::JacobiSVD<Matrix> svd(filter, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const auto& values = svd.singularValues();
    if (values.size() > 1 && values(1) > tolerance * values(0)) return std::nullopt;
    const Factors factors = is_integer(filter) ? integer_factors(filter)
                                               : Factors{svd.matrixU().col(0) * std::sqrt(values(0)),
                                                         svd.matrixV().col(0) * std::sqrt(values(0))};
    const Eigen::VectorXf column = factors.column.cast<float>(), row = factors.row.cast<float>();
    result.columns.insert(result.columns.end(), column.begin(), column.end());
    result.rows.insert(result.rows.end(), row.begin(), row.end());
    const Matrix product = column.cast<double>() * row.cast<double>().transpose();
    result.deviation = std::max(result.deviation, (filter - product).cwiseAbs().maxCoeff());
  }
  return result;
}

bool separation_pays(const FilterbankShape& shape) {
  const auto real = [](std::size_t n) { return static_cast<double>(n); };
  const double partial = real(shape.images * shape.height * shape.output_width() * shape.filters);
  const double two = 2 * partial * real(shape.filter_width * shape.channels) +
                     2 * real(shape.outputs()) * real(shape.filter_height) +
                     flop_per_byte * 2 * sizeof(float) * partial;
  return shape.filter_height > 1 && two < shape.flops();
}

ColumnPass::ColumnPass(const Stream& stream, const FilterbankProblem& problem, std::span<const float> columns)
    : stream_(stream), problem_(problem) {
  const std::size_t filters = problem.shape.filters, rows = problem.shape.filter_height;
  std::vector<float> turned(columns.size());
  for (std::size_t n = 0; n < filters; ++n)
    for (std::size_t j = 0; j < rows; ++j) turned[j * filters + n] = columns[n * rows + j];
  columns_ = Buffer::from(stream, turned);
}

Array ColumnPass::operator()(const Array& partial, const Buffer& bias) const {
  FilterbankProblem problem = problem_;
  FilterbankShape& shape = problem.shape;
  const auto extent = [&](int axis) { return static_cast<std::size_t>(partial.extent(axis)); };
  shape.images = extent(0), shape.height = extent(1), shape.width = extent(2);
  shape.channels = shape.filters, shape.filter_width = shape.stride_x = 1;
  const Device& device = stream_.device();
  const Source source = filterbank_source("filterbank_columns.cl", kernels::filterbank_columns_cl,
                                          problem_values(device, problem), problem);
  const Kernel kernel = compile(device, source).kernel("filterbank_columns");
  const Array responses = Array::empty(
      stream_,
      {partial.extent(0), static_cast<std::int64_t>(shape.output_height()), partial.extent(2), partial.extent(3)},
      Dtype::f32);
  const Grid grid = loop_shape(device) == LoopShape::cpu
                        ? Grid::of(std::size_t{4} * device.properties().compute_units, 1)
                        : Grid::over(std::min<std::size_t>(shape.outputs(), std::size_t{1} << 28), 256);
  raw_launch(kernel, stream_, grid, partial.buffer(), static_cast<std::uint64_t>(partial.offset()), columns_, bias,
             responses.buffer(), static_cast<int>(shape.images), static_cast<int>(shape.height),
             static_cast<int>(shape.width));
  return responses;
}

}  // namespace rtcg::vision
