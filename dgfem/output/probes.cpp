#include "dgfem/output/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "rtcg_dgfem_kernels.h"

namespace rtcg::dgfem {

namespace {

std::vector<Located> located(const Solver& solver, std::span<const Probe> probes) {
  const PointLocator locator(solver.discretization().mesh);
  std::vector<Located> points;
  std::set<std::string> names;
  for (const Probe& probe : probes) {
    if (!names.insert(probe.name).second) throw InputError(fmt::format("two probes are named '{}'", probe.name));
    points.push_back(locator.require(probe.at, fmt::format("probe '{}'", probe.name)));
  }
  return points;
}

}  // namespace

PointSampler::PointSampler(const Solver& solver, std::span<const Located> points)
    : data_(solver.data()), points_(points.size()) {
  if (points.empty()) return;
  const Discretization& mesh = *data_->mesh;
  std::vector<std::int32_t> element;
  for (const Located& point : points) element.push_back(point.element);
  constexpr std::size_t at_once = 4096;
  std::vector<double> rows;
  for (std::size_t first = 0; first < points.size(); first += at_once) {
    const std::size_t count = std::min(at_once, points.size() - first);
    Eigen::MatrixXd places(count, mesh.reference.dimension());
    for (std::size_t p = 0; p < count; ++p) places.row(static_cast<Eigen::Index>(p)) = points[first + p].reference;
    const Eigen::MatrixXd columns = mesh.reference.interpolation(places).transpose();
    rows.insert(rows.end(), columns.data(), columns.data() + columns.size());
  }
  element_ = Buffer::from(data_->stream, element);
  rows_ = Buffer::from(data_->stream, rows);
  values_ = Buffer::of<double>(data_->stream, points_ * static_cast<std::size_t>(mesh.fields()));
  Source source("sample_points.cl", std::string(kernels::sample_points_cl));
  source.define("NODES", mesh.nodes()).define("DG_FIELDS", mesh.fields());
  source.define("state_real", name_of(data_->precision));
  kernel_ = compile(data_->stream.device(), source).kernel("dg_sample_points");
}

std::vector<double> PointSampler::operator()(const Buffer& state) const {
  if (points_ == 0) return {};
  (*kernel_)(data_->stream, Grid::over(values_.bytes() / sizeof(double), 64), state, element_, rows_, values_,
             static_cast<int>(points_));
  return values_.read<double>();
}

Probes::Probes(const Solver& solver, std::vector<Probe> probes)
    : probes_(std::move(probes)), sampler_(solver, located(solver, probes_)) {
  for (const Probe& probe : probes_)
    for (const std::string& field : solver.discretization().system->fields)
      columns_.push_back(probe.name + "." + field);
}

}  // namespace rtcg::dgfem
