#include "rtcg/sparse/sparse_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <mutex>

#include "rtcg/error.h"
#include "rtcg/sparse/spmv_tuning.h"

namespace rtcg {

namespace {

RowProgram product_program() {
  RowProgram program;
  program.name = "spmv";
  program.parameters = "global const value_t* restrict x, global value_t* restrict y";
  program.row = "y[i] = sum;";
  return program;
}

/// For `wide` neighbouring right sides; `aligned` where their first is a multiple of them in every row.
RowProgram wide_program(unsigned wide, bool aligned) {
  RowProgram program;
  program.name = fmt::format("spmm_{}{}", wide, aligned ? "_aligned" : "");
  program.parameters =
      "global const value_t* restrict x, global value_t* restrict y, uint right_sides, uint first_side";
  program.wide = wide;
  const char* const place = "(ulong){} * right_sides + first_side";
  const std::string from = fmt::format(fmt::runtime(place), "(j)"), to = fmt::format(fmt::runtime(place), "i");
  if (wide == 1) {
    program.element = "x[" + from + "]";
    program.row = "y[" + to + "] = sum;";
  } else if (aligned) {
    program.element = "*(global const sum_t*)(x + " + from + ")";
    program.row = "*(global sum_t*)(y + " + to + ") = sum;";
  } else {
    program.element = fmt::format("vload{}(0, x + {})", wide, from);
    program.row = fmt::format("vstore{}(sum, 0, y + {});", wide, to);
  }
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
    case SparseFormat::packets:
      return make_packets(stream, matrix, target);
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

/// Kernels for several right sides, made when they are first asked for.
struct SparseOperator::WideProducts {
  std::mutex mutex;
  std::map<std::pair<unsigned, bool>, Kernel> kernels;
  const Kernel& find(const Device& device, const DeviceMatrix& matrix, unsigned wide, bool aligned) {
    const std::lock_guard lock(mutex);
    const auto known = kernels.find({wide, aligned});
    if (known != kernels.end()) return known->second;
    return kernels.emplace(std::pair(wide, aligned), matrix.kernel(device, wide_program(wide, aligned))).first->second;
  }
};

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
    const SparseFormat lightest = weighed_.front().format;
    const bool has_structure = lightest != SparseFormat::csr && lightest != SparseFormat::sell;
    const auto known = options.tune || has_structure ? std::nullopt : tuned_product(device_, matrix, options);
    if (known) matrix_ = std::make_shared<const DeviceMatrix>(make(known->format, stream, matrix, target, *known));
    reason_ = known ? "remembered" : options.tune ? "fastest of those timed" : "fewest bytes";
    double fastest = std::numeric_limits<double>::infinity();
    for (WeighedFormat& candidate : weighed_) {
      if (known) break;
      auto made = std::make_shared<const DeviceMatrix>(make(candidate.format, stream, matrix, target, options));
      if (!options.tune) {
        matrix_ = std::move(made);
        break;
      }
      candidate.seconds = seconds_of(stream, *made);
      if (candidate.seconds < fastest) fastest = candidate.seconds, matrix_ = std::move(made);
    }
  }
  wide_products_ = std::make_shared<WideProducts>();
  product_ = std::make_shared<const Kernel>(matrix_->kernel(device_, product_program()));
}

void SparseOperator::operator()(const Stream& stream, const Buffer& x, const Buffer& y) const {
  check_vector("sparse product: x", x, columns(), dtype(), device_);
  check_vector("sparse product: y", y, rows(), dtype(), device_);
  if (x.native() == y.native() && rows() > 0)
    throw UsageError("sparse product: x and y are one buffer; rows are written while others are read");
  if (rows() == 0) return;
  if (nonzeros_ == 0) return y.slice(0, rows() * size_of(dtype())).zero(stream);
  matrix_->launch(*product_, stream, product_program(), SparseArguments().add(x).add(y));
}

void SparseOperator::multiply(const Stream& stream, const Buffer& x, const Buffer& y, std::size_t right_sides) const {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (right_sides > most)
    throw UsageError(fmt::format("sparse product: {} right sides are more than the {} that fit", right_sides, most));
  check_vector("sparse product: X", x, columns() * right_sides, dtype(), device_);
  check_vector("sparse product: Y", y, rows() * right_sides, dtype(), device_);
  if (rows() == 0 || right_sides == 0) return;
  if (x.native() == y.native())
    throw UsageError("sparse product: X and Y are one buffer; rows are written while others are read");
  if (nonzeros_ == 0) return y.slice(0, rows() * right_sides * size_of(dtype())).zero(stream);
  const std::size_t widest = dtype() == ScalarType::f32 ? 4 : dtype() == ScalarType::f64 ? 2 : 1;
  for (std::size_t first = 0; first < right_sides;) {
    const auto wide = static_cast<unsigned>(std::min(widest, std::bit_floor(right_sides - first)));
    const bool aligned = wide > 1 && right_sides % wide == 0;  // `first` is a multiple of wide as widths only shrink
    const Kernel& kernel = wide_products_->find(device_, *matrix_, wide, aligned);
    SparseArguments arguments;
    arguments.add(x).add(y).add(static_cast<std::uint32_t>(right_sides)).add(static_cast<std::uint32_t>(first));
    matrix_->launch(kernel, stream, wide_program(wide, aligned), arguments);
    first += wide;
  }
}

Array SparseOperator::operator()(const Array& x) const {
  const int dimensions = x.dimensions();
  if ((dimensions != 1 && dimensions != 2) || x.extent(0) != static_cast<std::int64_t>(columns()))
    throw UsageError(fmt::format("sparse product: x is {}; ({},) or ({}, k) fits the matrix", to_string(x.shape()),
                                 columns(), columns()));
  if (x.dtype() != dtype())
    throw UsageError(fmt::format("sparse product: x holds {}, the matrix {}", name_of(x.dtype()), name_of(dtype())));
  const auto count = static_cast<std::int64_t>(rows());
  const Shape shape = dimensions == 1 ? Shape{count} : Shape{count, x.extent(1)};
  if (x.size() == 0 || count == 0) return Array::zeros(x.stream(), shape, dtype());
  const Array y = Array::empty(x.stream(), shape, dtype());
  const Array source = x.is_contiguous() && x.offset() == 0 ? x : x.copy();
  if (dimensions == 1)
    (*this)(x.stream(), source.buffer(), y.buffer());
  else
    multiply(x.stream(), source.buffer(), y.buffer(), static_cast<std::size_t>(x.extent(1)));
  return y;
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
