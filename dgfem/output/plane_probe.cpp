#include "dgfem/output/plane_probe.h"

#include <fmt/format.h>

#include <limits>

#include "dgfem/output/shown_arrays.h"
#include "dgfem/output/vtk_xml.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

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
                  {},
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
