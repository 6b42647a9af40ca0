#include "dgfem/output/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "dgfem/output/shown_arrays.h"
#include "dgfem/output/vtk_xml.h"
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
  std::vector<double> rows;
  for (const Located& point : points) {
    const Eigen::MatrixXd row = mesh.reference.interpolation(point.reference);
    element.push_back(point.element);
    rows.insert(rows.end(), row.data(), row.data() + row.size());
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

PlaneProbe::PlaneProbe(const Solver& solver, const Plane& plane)
    : plane_(plane), fields_(static_cast<std::size_t>(solver.discretization().fields())) {
  const Mesh& mesh = solver.discretization().mesh;
  if (mesh.dimension() == 2) plane_.normal = 2;
  if (plane_.normal < 0 || plane_.normal > 2 || plane.points[0] < 2 || plane.points[1] < 2)
    throw UsageError(
        fmt::format("plane '{}': normal to axis {} with {} x {} points; an axis from 0 to 2 and at least 2 "
                    "points along each of the others are needed",
                    plane.name, plane_.normal, plane.points[0], plane.points[1]));
  axes_ = {plane_.normal == 0 ? 1 : 0, plane_.normal == 2 ? 1 : 2};
  const auto [low, high] = mesh.bounding_box();
  origin_ = low;
  if (mesh.dimension() == 3) origin_[static_cast<unsigned>(plane_.normal)] = plane_.at;
  for (unsigned k = 0; k < 2; ++k) {
    const auto axis = static_cast<unsigned>(axes_[k]);
    spacing_[k] = (high[axis] - low[axis]) / static_cast<double>(plane_.points[k] - 1);
  }
  const PointLocator locator(mesh);
  std::vector<Located> points;
  for (std::size_t j = 0; j < plane_.points[1]; ++j)
    for (std::size_t i = 0; i < plane_.points[0]; ++i) {
      Point at = origin_;
      const auto u = static_cast<unsigned>(axes_[0]), v = static_cast<unsigned>(axes_[1]);
      // The last exactly on the far side, which rounding might leave outside.
      at[u] = i + 1 == plane_.points[0] ? high[u] : low[u] + spacing_[0] * static_cast<double>(i);
      at[v] = j + 1 == plane_.points[1] ? high[v] : low[v] + spacing_[1] * static_cast<double>(j);
      if (auto found = locator.find(at)) {
        points.push_back(std::move(*found));
        place_.push_back(j * plane_.points[0] + i);
      }
    }
  if (points.empty())
    throw InputError(fmt::format(
        "plane '{}' at {} = {:g} has no point in the mesh, which reaches from ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g})",
        plane_.name, "xyz"[plane_.normal], plane_.at, low[0], low[1], low[2], high[0], high[1], high[2]));
  sampler_.emplace(solver, points);
}

std::vector<double> PlaneProbe::operator()(const Solver& solver) const {
  const std::vector<double> sampled = (*sampler_)(solver.state());
  const std::size_t pixels = plane_.points[0] * plane_.points[1];
  std::vector<double> values(fields_ * pixels, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t p = 0; p < place_.size(); ++p)
    for (std::size_t f = 0; f < fields_; ++f) values[f * pixels + place_[p]] = sampled[p * fields_ + f];
  return values;
}

void PlaneProbe::write(const std::filesystem::path& file, const System& system, std::span<const double> values,
                       double time) const {
  const std::size_t pixels = plane_.points[0] * plane_.points[1];
  if (values.size() != pixels * system.fields.size() || system.fields.size() != fields_)
    throw UsageError(fmt::format("{}: {} values given for {} pixels of {} fields", file.string(), values.size(), pixels,
                                 system.fields.size()));
  std::array<std::size_t, 3> last{0, 0, 0};
  std::array<double, 3> step{1, 1, 1};
  for (unsigned k = 0; k < 2; ++k) {
    last[static_cast<unsigned>(axes_[k])] = plane_.points[k] - 1;
    step[static_cast<unsigned>(axes_[k])] = spacing_[k];
  }
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", last[0], last[1], last[2]);
  VtkFile content{"ImageData",
                  "1.0",
                  fmt::format("WholeExtent=\"{}\" Origin=\"{} {} {}\" Spacing=\"{} {} {}\"", extent, origin_[0],
                              origin_[1], origin_[2], step[0], step[1], step[2]),
                  fmt::format("Extent=\"{}\"", extent),
                  time,
                  {{"PointData", {}}}};
  for (const VectorField& shown : shown_arrays(system)) {
    const std::size_t components = shown.fields.size() == 1 ? 1 : 3;
    content.sections[0].arrays.push_back(
        VtkArray::of<float>(shown.name, static_cast<int>(components), [=, fields = shown.fields] {
          std::vector<float> result(pixels * components, 0.0f);
          for (std::size_t c = 0; c < fields.size(); ++c)
            for (std::size_t p = 0; p < pixels; ++p)
              result[p * components + c] = static_cast<float>(values[static_cast<std::size_t>(fields[c]) * pixels + p]);
          return result;
        }));
  }
  write_vtk(file, content);
}

}  // namespace rtcg::dgfem
