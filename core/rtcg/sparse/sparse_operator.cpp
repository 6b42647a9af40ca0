#include "rtcg/sparse/sparse_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "rtcg/error.h"

namespace rtcg {

namespace {

RowProgram product_program() {
  RowProgram program;
  program.name = "spmv";
  program.parameters = "global const value_t* restrict x, global value_t* restrict y";
  program.row = "y[i] = sum;";
  return program;
}

DeviceMatrix make(SparseFormat format, const Stream& stream, const SparseMatrix& matrix, const FormatTarget& target,
                  const SparseOptions& options) {
  switch (format) {
    case SparseFormat::sell:
      return make_sell(stream, matrix, target, options.slice, options.sort_window);
    case SparseFormat::dia:
      return make_dia(stream, matrix, target);
    case SparseFormat::stencils:
      return make_stencils(stream, matrix, target);
    default:
      return make_csr(stream, matrix, target, options.lanes);
  }
}

/// Median device seconds of a product.
double seconds_of(const Stream& stream, const DeviceMatrix& matrix) {
  const RowProgram program = product_program();
  const Kernel kernel = matrix.kernel(stream.device(), program);
  const std::size_t element = size_of(matrix.dtype);
  const Buffer x(stream, std::max<std::size_t>(matrix.columns, 1) * element, MemoryKind::device, matrix.dtype);
  const Buffer y(stream, std::max<std::size_t>(matrix.rows, 1) * element, MemoryKind::device, matrix.dtype);
  x.zero(stream);
  SparseArguments arguments;
  arguments.add(x).add(y);
  const auto burst = [&](int count) {
    const Event start = stream.record();
    for (int k = 0; k < count; ++k) matrix.launch(kernel, stream, program, arguments);
    return seconds_between(start, stream.record()) / count;
  };
  const double first = std::min(burst(1), burst(1));
  const int count = static_cast<int>(std::clamp(1e-3 / std::max(first, 1e-6), 1.0, 100.0));
  std::array<double, 7> samples;
  for (double& sample : samples) sample = burst(count);
  std::nth_element(samples.begin(), samples.begin() + 3, samples.end());
  return samples[3];
}

}  // namespace

void check_vector(const char* what, const Buffer& buffer, std::size_t elements, ScalarType dtype,
                  const Device& device) {
  const std::size_t needed = elements * size_of(dtype);
  if (!buffer) throw UsageError(fmt::format("{}: the buffer is empty (default constructed)", what));
  if (!(buffer.device() == device))
    throw UsageError(fmt::format("{} is on {}, the matrix on {}", what, buffer.device().id(), device.id()));
  if (buffer.element() != dtype && buffer.element() != ScalarType::unknown)
    throw UsageError(fmt::format("{} holds {}, the matrix {}", what, name_of(buffer.element()), name_of(dtype)));
  if (buffer.bytes() < needed)
    throw UsageError(fmt::format("{} has {} bytes; {} elements of {} need {}", what, buffer.bytes(), elements,
                                 name_of(dtype), needed));
}

SparseOperator::SparseOperator(const Stream& stream, const SparseMatrix& matrix, const SparseOptions& options)
    : device_(stream.device()), nonzeros_(matrix.nonzeros()) {
  FormatTarget target = FormatTarget::of(device_);
  target.kind = options.loop_shape.value_or(target.kind);
  if (!target.has_double && (matrix.dtype() == ScalarType::f64 || matrix.dtype() == ScalarType::c128))
    throw UsageError(fmt::format("sparse operator: {} has no double precision", device_.id()));
  if (options.lanes > 32 || (options.lanes & (options.lanes - 1)) != 0)
    throw UsageError(fmt::format("sparse operator: {} lanes a row; a power of two up to 32", options.lanes));
  if (options.format != SparseFormat::automatic) {
    matrix_ = std::make_shared<const DeviceMatrix>(make(options.format, stream, matrix, target, options));
    reason_ = "asked for";
  } else {
    weighed_ = weigh_formats(matrix, target, options.slice, options.sort_window);
    reason_ = options.tune ? "fastest of those timed" : "fewest bytes";
    double fastest = std::numeric_limits<double>::infinity();
    for (WeighedFormat& candidate : weighed_) {
      auto made = std::make_shared<const DeviceMatrix>(make(candidate.format, stream, matrix, target, options));
      if (!options.tune) {
        matrix_ = std::move(made);
        break;
      }
      candidate.seconds = seconds_of(stream, *made);
      if (candidate.seconds < fastest) fastest = candidate.seconds, matrix_ = std::move(made);
    }
  }
  product_ = std::make_shared<const Kernel>(matrix_->kernel(device_, product_program()));
}

void SparseOperator::operator()(const Stream& stream, const Buffer& x, const Buffer& y) const {
  check_vector("sparse product: x", x, columns(), dtype(), device_);
  check_vector("sparse product: y", y, rows(), dtype(), device_);
  if (x.native() == y.native() && rows() > 0)
    throw UsageError("sparse product: x and y are one buffer; rows are written while others are read");
  if (rows() == 0) return;
  matrix_->launch(*product_, stream, product_program(), SparseArguments().add(x).add(y));
}

std::size_t SparseOperator::bytes() const {
  return matrix_->matrix_bytes + (rows() + columns()) * size_of(dtype());
}

std::string SparseOperator::explain() const {
  std::string text = fmt::format("{} x {}, {} entries of {}: {} ({}), {}; {} bytes a product\n", rows(), columns(),
                                 nonzeros(), name_of(dtype()), name_of(format()), matrix_->summary, reason_, bytes());
  for (const WeighedFormat& format : weighed_) {
    text += fmt::format("  {:<8} {} bytes", name_of(format.format), format.matrix_bytes);
    text += format.seconds > 0 ? fmt::format(", {:.4g} us\n", 1e6 * format.seconds) : "\n";
  }
  return text;
}

}  // namespace rtcg
