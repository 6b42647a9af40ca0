#include "dgfem/wave_rate.h"

#include "dgfem/system_text.h"
#include "rtcg/array/array.h"
#include "rtcg/array/reductions.h"
#include "rtcg/compile/compiler.h"
#include "rtcg_dgfem_kernels.h"

namespace rtcg::dgfem {

WaveRate::WaveRate(std::shared_ptr<const StageData> data) : data_(std::move(data)) {
  const Discretization& mesh = *data_->mesh;
  const std::size_t row = std::max<std::size_t>(1, mesh.materials.front().size());
  std::vector<double> materials, inverse_radius;
  for (const std::vector<double>& region : mesh.materials) {
    materials.insert(materials.end(), region.begin(), region.end());
    materials.resize(materials.size() + row - region.size());
  }
  for (const double radius : mesh.inradii()) inverse_radius.push_back(1 / radius);
  materials_ = Buffer::from(data_->stream, materials);
  inverse_radius_ = Buffer::from(data_->stream, inverse_radius);
  rate_ = Buffer::of<double>(data_->stream, mesh.size());

  const Definition speed{"speed", mesh.system->speed};
  Source source("wave_rate.cl",
                "typedef double real;\n" +
                    measure_function("speed_at", *mesh.system, std::span(&speed, 1), mesh.parameters, ScalarType::f64) +
                    "#line 1\n" + std::string(kernels::wave_rate_cl));
  source.define("NODES", mesh.nodes()).define("DG_FIELDS", mesh.fields()).define("DG_MATERIALS", row);
  source.define("state_real", name_of(data_->precision));
  kernel_ = compile(data_->stream.device(), source).kernel("dg_wave_rate");
}

double WaveRate::operator()(const Buffer& state) const {
  const std::size_t elements = data_->mesh->size();
  (*kernel_)(data_->stream, Grid::over(elements), state, data_->region, materials_, inverse_radius_, rate_,
             static_cast<int>(elements));
  const auto count = static_cast<std::int64_t>(elements);
  const Array total = Array::empty(data_->stream, {1}, Dtype::f64);
  total.assign(max(Array(rate_, Dtype::f64, {1, count}, {count, 1}), 1));
  return total.to_vector<double>().front();
}

}  // namespace rtcg::dgfem
