#include "rtcg/array/fft.h"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "rtcg/compile/template.h"
#include "rtcg/error.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

/// Radices of the passes: as many eights as there are, then what is left.
std::vector<std::size_t> radices_of(std::size_t length) {
  std::vector<std::size_t> radices;
  if (length == 0) return radices;
  for (const std::size_t radix : {8, 4, 2, 3, 5, 7}) {
    while (length % radix == 0) {
      radices.push_back(radix);
      length /= radix;
    }
  }
  return length == 1 ? radices : std::vector<std::size_t>{};
}

/// exp(sign 2 pi i k / n)
std::complex<double> root_of_one(std::size_t k, std::size_t n, double sign) {
  const double angle = sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

template <class Real>
Buffer twiddle_buffer(const Stream& stream, std::size_t length, double sign) {
  std::vector<std::complex<Real>> values(length);
  for (std::size_t k = 0; k < length; ++k) values[k] = std::complex<Real>(root_of_one(k, length, sign));
  return Buffer::from(stream, values);
}

}  // namespace

struct Fft::Plan {
  FftShape shape;
  bool cpu = false;
  std::vector<std::size_t> radices;
  std::vector<Kernel> passes;
  Buffer twiddles;
};

bool Fft::supports(std::size_t length) {
  return length == 1 || (length > 0 && length < (std::size_t{1} << 30) && !radices_of(length).empty());
}

Source Fft::source(const DeviceProperties& device, const FftShape& shape) {
  if (!supports(shape.length))
    throw UsageError(fmt::format("transform length {} is not a product of 2, 3, 5 and 7", shape.length));
  TemplateValue::List passes, radices, cosines, sines;
  std::size_t done = 1;
  for (const std::size_t radix : radices_of(shape.length)) {
    passes.push_back(TemplateValue::List{radix, done});
    if (radices.empty() || std::get<std::int64_t>(radices.back().data()) != static_cast<std::int64_t>(radix))
      radices.push_back(radix);
    done *= radix;
  }
  for (std::size_t radix = 0; radix <= 7; ++radix) {
    TemplateValue::List own_cosines, own_sines;
    for (std::size_t k = 0; k < radix; ++k) {
      own_cosines.push_back(Source::literal(root_of_one(k, radix, 1).real()));
      own_sines.push_back(Source::literal(root_of_one(k, radix, 1).imag()));
    }
    cosines.push_back(own_cosines), sines.push_back(own_sines);
  }
  const std::string text = render(kernels::fft_cl,
                                  {{"length", shape.length},
                                   {"double", shape.double_precision},
                                   {"sign", shape.direction == FftDirection::forward ? -1 : 1},
                                   {"sqrt_half", Source::literal(std::numbers::sqrt2 / 2)},
                                   {"cpu", device.kind != DeviceKind::gpu},
                                   {"passes", passes},
                                   {"radices", radices},
                                   {"cosines", cosines},
                                   {"sines", sines}},
                                  "fft.cl");
  return Source("fft.cl", text);
}

Fft::Fft(const Device& device, const FftShape& shape) {
  auto plan = std::make_shared<Plan>();
  plan->shape = shape;
  plan->cpu = device.properties().kind != DeviceKind::gpu;
  plan->radices = radices_of(shape.length);
  const Source text = source(device.properties(), shape);
  if (!plan->radices.empty()) {
    const Module module = compile(device, text);
    std::size_t done = 1;
    for (const std::size_t radix : plan->radices) {
      plan->passes.push_back(module.kernel(fmt::format("fft_pass_{}", done)));
      done *= radix;
    }
  }
  const Stream stream(device);
  const double sign = shape.direction == FftDirection::forward ? -1 : 1;
  plan->twiddles = shape.double_precision ? twiddle_buffer<double>(stream, shape.length, sign)
                                          : twiddle_buffer<float>(stream, shape.length, sign);
  plan_ = std::move(plan);
}

const FftShape& Fft::shape() const {
  return plan_->shape;
}

Buffer Fft::operator()(const Stream& stream, const Buffer& data, const Buffer& scratch, std::size_t batch) const {
  const std::size_t element =
      plan_->shape.double_precision ? sizeof(std::complex<double>) : sizeof(std::complex<float>);
  const std::size_t row_bytes = plan_->shape.length * element;
  if (batch > std::numeric_limits<std::size_t>::max() / row_bytes)
    throw UsageError(fmt::format("transform of {} rows of {}: more than can be addressed", batch, plan_->shape.length));
  const std::size_t needed = batch * row_bytes;
  if (data.bytes() < needed || scratch.bytes() < needed)
    throw UsageError(fmt::format("transform of {} rows of {} needs {} bytes of data and of scratch, not {} and {}",
                                 batch, plan_->shape.length, needed, data.bytes(), scratch.bytes()));
  if (batch == 0) return data;
  if (data.native() == scratch.native() && !plan_->passes.empty())
    throw UsageError("transform: data and scratch are one buffer; a pass reads the one while it writes the other");
  Buffer from = data, to = scratch;
  for (std::size_t pass = 0; pass < plan_->passes.size(); ++pass) {
    const std::size_t work = plan_->cpu ? batch : batch * (plan_->shape.length / plan_->radices[pass]);
    plan_->passes[pass](stream, plan_->cpu ? Grid::of(work, 1) : Grid::over(work, 256), from, to, plan_->twiddles,
                        static_cast<std::uint64_t>(work));
    std::swap(from, to);
  }
  return from;
}

}  // namespace rtcg
