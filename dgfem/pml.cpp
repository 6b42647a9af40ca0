#include "dgfem/pml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dgfem/region_elements.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "rtcg_dgfem_kernels.h"

namespace rtcg::dgfem {

namespace {

struct Extent {
  Point low, high;
};

/// Of the elements that are no part of the layers.
Extent inside_of(const Mesh& mesh, const std::vector<std::int32_t>& layers) {
  constexpr double far = std::numeric_limits<double>::infinity();
  Extent extent{{far, far, far}, {-far, -far, -far}};
  for (std::size_t e = 0, next = 0; e < mesh.size(); ++e) {
    if (next < layers.size() && layers[next] == static_cast<std::int32_t>(e)) {
      ++next;
      continue;
    }
    for (int v = 0; v <= mesh.dimension(); ++v)
      for (unsigned d = 0; d < 3; ++d) {
        extent.low[d] = std::min(extent.low[d], mesh.vertex(e, v)[d]);
        extent.high[d] = std::max(extent.high[d], mesh.vertex(e, v)[d]);
      }
  }
  if (extent.low[0] > extent.high[0]) throw InputError("pml: its regions are the whole mesh: nothing is inside");
  return extent;
}

class PmlLayers final : public StageExtra {
 public:
  PmlLayers(std::shared_ptr<const StageData> data, const Pml& pml) : data_(std::move(data)) {
    const Discretization& mesh = *data_->mesh;
    const System& system = *mesh.system;
    if (system.pml_axes.empty())
      throw InputError(fmt::format("pml: the system '{}' does not say along which axes its fields point", system.name));
    elements_ = elements_of_regions(mesh, pml.regions, "pml");
    const Extent inside = inside_of(mesh.mesh, elements_);
    const auto [low, high] = mesh.mesh.bounding_box();
    const auto dimensions = static_cast<unsigned>(mesh.reference.dimension());
    std::vector<double> rates;
    for (const std::int32_t element : elements_) {
      const auto e = static_cast<std::size_t>(element);
      const double speed = system.wave_speed(mesh.materials[mesh.region[e]], mesh.parameters);
      const Eigen::MatrixXd x = mesh.node_positions(e);
      for (Eigen::Index n = 0; n < x.rows(); ++n)
        for (unsigned d = 0; d < 3; ++d) {
          const double below = inside.low[d] - x(n, d), above = x(n, d) - inside.high[d];
          const double depth = std::max({0.0, below, above});
          const double thickness = below > above ? inside.low[d] - low[d] : high[d] - inside.high[d];
          const double most =
              thickness > 0 ? -(pml.exponent + 1) * speed * std::log(pml.reflection) / (2 * thickness) : 0;
          rates.push_back(d < dimensions && depth > 0 ? most * std::pow(depth / thickness, pml.exponent) : 0);
        }
    }
    for (std::size_t i = 0; i + 2 < rates.size(); i += 3)
      damping_ = std::max(damping_, rates[i] + rates[i + 1] + rates[i + 2]);
    const Stream& on = data_->stream;
    rates_ = data_->upload(rates);
    element_buffer_ = Buffer::from(on, elements_);
    fields_ = static_cast<int>(system.fields.size());
    const std::size_t count = elements_.size() * static_cast<std::size_t>(mesh.nodes() * fields_);
    for (Buffer* buffer : {&auxiliary_, &auxiliary_residual_}) {
      *buffer = Buffer(on, count * data_->real_size(), MemoryKind::device, data_->precision);
      buffer->zero(on);
    }
    Source source("pml.cl", fmt::format("typedef {} real;\n#line 1\n{}", name_of(data_->precision), kernels::pml_cl));
    source.define("NODES", mesh.nodes()).define("FIELDS", fields_);
    source.define("AXES", fmt::format("{}", fmt::join(system.pml_axes, ", ")));
    kernel_.emplace(compile(on.device(), source).kernel("dg_pml"));
  }

  void after_stage(const StageBuffers& buffers, const StageStep& step) override {
    if (data_->precision == ScalarType::f64)
      launch<double>(buffers, step);
    else
      launch<float>(buffers, step);
  }

  double damping() const override { return damping_; }
  std::vector<Array> state() const override { return {{"pml.auxiliary", auxiliary_, elements_, fields_}}; }

 private:
  template <class Real>
  void launch(const StageBuffers& buffers, const StageStep& step) const {
    const auto values = elements_.size() * static_cast<std::size_t>(data_->mesh->nodes() * fields_);
    (*kernel_)(data_->stream, Grid::over(values), buffers.q, buffers.q_new, buffers.residual, auxiliary_,
               auxiliary_residual_, rates_, element_buffer_, static_cast<Real>(step.a), static_cast<Real>(step.b),
               static_cast<Real>(step.dt), static_cast<int>(elements_.size()));
  }

  std::shared_ptr<const StageData> data_;
  std::vector<std::int32_t> elements_;
  int fields_ = 0;
  double damping_ = 0;
  Buffer rates_, element_buffer_, auxiliary_, auxiliary_residual_;
  std::optional<Kernel> kernel_;
};

}  // namespace

std::shared_ptr<StageExtra> make_pml(std::shared_ptr<const StageData> data, const Pml& pml) {
  return std::make_shared<PmlLayers>(std::move(data), pml);
}

}  // namespace rtcg::dgfem
