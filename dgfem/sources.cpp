#include "dgfem/sources.h"

#include <fmt/format.h>

#include <numeric>

#include "dgfem/region_elements.h"
#include "dgfem/system_text.h"
#include "rtcg/compile/compiler.h"
#include "rtcg_dgfem_kernels.h"

namespace rtcg::dgfem {

namespace {

class SourceExtra final : public StageExtra {
 public:
  SourceExtra(std::shared_ptr<const StageData> data, const SourceTerm& term) : data_(std::move(data)) {
    const Discretization& mesh = *data_->mesh;
    std::vector<std::int32_t> elements(mesh.size());
    std::iota(elements.begin(), elements.end(), 0);
    if (!term.region.empty()) elements = elements_of_regions(mesh, std::vector{term.region}, "source");
    std::vector<double> places;
    for (const std::int32_t e : elements) {
      const Eigen::MatrixXd x = mesh.node_positions(static_cast<std::size_t>(e));
      for (Eigen::Index n = 0; n < x.rows(); ++n)
        for (Eigen::Index d = 0; d < 3; ++d) places.push_back(x(n, d));
    }
    count_ = elements.size();
    const Stream& on = data_->stream;
    elements_ = Buffer::from(on, elements);
    places_ = Buffer::from(on, places);
    Source text("source.cl",
                "typedef double real;\n" +
                    field_function("source_rate", *mesh.system, term.rate, mesh.parameters, ScalarType::f64) +
                    "#line 1\n" + std::string(kernels::source_cl));
    text.define("NODES", mesh.nodes()).define("FIELDS", mesh.fields());
    text.define("state_real", name_of(data_->precision));
    kernel_.emplace(compile(on.device(), text).kernel("dg_source_term"));
  }

  void after_stage(const StageBuffers& buffers, const StageStep& step) override {
    (*kernel_)(data_->stream, Grid::over(count_ * static_cast<std::size_t>(data_->mesh->nodes())), buffers.q_new,
               buffers.residual, places_, elements_, step.b, step.dt, step.time, static_cast<int>(count_));
  }

 private:
  std::shared_ptr<const StageData> data_;
  std::size_t count_ = 0;
  Buffer elements_, places_;
  std::optional<Kernel> kernel_;
};

}  // namespace

std::shared_ptr<StageExtra> make_source(std::shared_ptr<const StageData> data, const SourceTerm& source) {
  return std::make_shared<SourceExtra>(std::move(data), source);
}

}  // namespace rtcg::dgfem
