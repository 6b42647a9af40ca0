#include "apps/rtcg-bench/dgfem/stage_run.h"

#include <algorithm>
#include <cmath>

#include "apps/rtcg-bench/comparison.h"
#include "dgfem/host/host_solver.h"
#include "rtcg/array/random.h"

namespace rtcg::bench {

namespace {

constexpr std::size_t sampled = 32;

/// An element's values from a buffer like the state.
std::vector<double> row_of(const Buffer& buffer, std::size_t element, std::size_t width) {
  std::vector<double> values(width);
  if (buffer.element() == ScalarType::f64) {
    buffer.read(values.data(), width * sizeof(double), element * width * sizeof(double));
  } else {
    std::vector<float> single(width);
    buffer.read(single.data(), width * sizeof(float), element * width * sizeof(float));
    std::copy(single.begin(), single.end(), values.begin());
  }
  return values;
}

}  // namespace

StageRun::StageRun(std::shared_ptr<const dgfem::StageData> data, const Configuration& choice)
    : data_(std::move(data)), stage_(dgfem::make_stage(data_, choice)) {
  const auto count = static_cast<std::int64_t>(data_->state_bytes() / data_->real_size());
  buffers_.q = Random(1).uniform(data_->stream, {count}, data_->precision, -1, 1).buffer();
  buffers_.q_new = Buffer(data_->stream, data_->state_bytes(), MemoryKind::device, data_->precision);
  buffers_.residual = Buffer(data_->stream, data_->state_bytes(), MemoryKind::device, data_->precision);
  buffers_.residual.zero(data_->stream);
}

void StageRun::operator()() {
  (*stage_)(buffers_, {-0.5, 0.5, 1e-9, 0}, 0, data_->mesh->size());
  std::swap(buffers_.q, buffers_.q_new);
}

dgfem::HostSample sample_of(const dgfem::Discretization& mesh) {
  std::vector<std::size_t> few;
  for (std::size_t k = 0; k < sampled; ++k) few.push_back(k * (mesh.size() - 1) / (sampled - 1));
  return host_sample(mesh, few);
}

void StageRun::check(const dgfem::HostSample& sample) {
  const std::size_t width =
      static_cast<std::size_t>(data_->mesh->nodes()) * static_cast<std::size_t>(data_->mesh->fields());
  std::vector<double> q, rate(sample.elements.size() * width);
  for (const std::size_t e : sample.elements) {
    const std::vector<double> row = row_of(buffers_.q, e, width);
    q.insert(q.end(), row.begin(), row.end());
  }
  dgfem::make_host_solver<double>(std::make_shared<dgfem::HostMesh>(sample.mesh), 1, 1)->rate(q.data(), rate.data());
  (*stage_)(buffers_, {0, 0, 1, 0}, 0, data_->mesh->size());  // the residual is the rate, and the state stays
  double scale = 0, error = 0;
  for (std::size_t k = 0; k < sampled; ++k) {
    const std::vector<double> row = row_of(buffers_.residual, sample.elements[k], width);
    for (std::size_t i = 0; i < width; ++i) {
      const double wanted = rate[k * width + i], off = std::abs(row[i] - wanted);
      scale = std::max(scale, std::abs(wanted));
      error = off <= error ? error : off;  // a NaN is kept
    }
  }
  buffers_.residual.zero(data_->stream);
  const double rounding = data_->precision == ScalarType::f64 ? 0x1p-53 : 0x1p-24;
  require(error <= 64 * rounding * scale, "rates are farther from the host solver's than roundings explain");
}

}  // namespace rtcg::bench
