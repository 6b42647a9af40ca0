#include "apps/rtcg-dgfem/mesh_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "dgfem/geometry.h"
#include "dgfem/quadrature.h"

namespace rtcg::app {

namespace {

struct GroupSize {
  std::string name;
  std::size_t members = 0;
  double measure = 0;
};

double total(const std::vector<GroupSize>& sizes) {
  double sum = 0;
  for (const GroupSize& size : sizes) sum += size.measure;
  return sum;
}

std::vector<GroupSize> named(const std::vector<dgfem::Group>& groups) {
  std::vector<GroupSize> sizes;
  sizes.reserve(groups.size());
  for (const dgfem::Group& group : groups) sizes.push_back({group.text()});
  return sizes;
}

/// Elements and measure of each region.
std::vector<GroupSize> regions(const dgfem::Mesh& mesh) {
  std::vector<GroupSize> sizes = named(mesh.regions);
  const std::vector<double> measures = element_measures(mesh);
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    GroupSize& size = sizes[static_cast<std::size_t>(mesh.region_of[e])];
    ++size.members;
    size.measure += measures[e];
  }
  return sizes;
}

/// Faces and measure of each boundary; an inner face counts once.
std::vector<GroupSize> boundaries(const MeshReport& report) {
  const dgfem::Mesh& mesh = *report.mesh;
  std::vector<GroupSize> sizes = named(mesh.boundaries);
  // Exact where faces are straight; the length of a curved normal is no polynomial.
  const dgfem::Quadrature rule =
      dgfem::simplex_quadrature(mesh.dimension() - 1, mesh.geometry_order == 1 ? 0 : 2 * mesh.geometry_order + 2);
  const dgfem::FaceMap map(mesh, rule.points);
  const auto faces = static_cast<std::size_t>(faces_of(mesh.type));
  const dgfem::Connectivity& c = report.connectivity;
  for (std::size_t side = 0; side < c.neighbour.size(); ++side) {
    if (c.boundary[side] < 0) continue;
    const std::size_t e = side / faces;
    const bool second = c.neighbour[side] >= 0 && static_cast<std::size_t>(c.neighbour[side]) < e &&
                        c.boundary[static_cast<std::size_t>(c.neighbour[side]) * faces +
                                   static_cast<std::size_t>(c.neighbour_face[side])] == c.boundary[side];
    if (second) continue;
    GroupSize& size = sizes[static_cast<std::size_t>(c.boundary[side])];
    ++size.members;
    size.measure += rule.weights.dot(map(e, static_cast<int>(side % faces)).jacobian);
  }
  return sizes;
}

nlohmann::ordered_json to_json(const std::vector<GroupSize>& sizes, const std::vector<dgfem::Group>& groups,
                               const char* members, const char* measure) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < sizes.size(); ++k)
    list.push_back({{"names", groups[k].names}, {members, sizes[k].members}, {measure, sizes[k].measure}});
  return list;
}

}  // namespace

MeshReport report_on(const std::string& file, const dgfem::Mesh& mesh) {
  MeshReport report;
  report.file = file;
  report.mesh = &mesh;
  report.findings.remarks = mesh.remarks;
  report.connectivity = connect(mesh, report.findings);
  check_jacobians(mesh, report.findings);
  report.quality = mesh_quality(mesh);
  report.curved = curved_elements(mesh).size();
  return report;
}

std::string to_text(const MeshReport& report) {
  const dgfem::Mesh& mesh = *report.mesh;
  const dgfem::MeshQuality& quality = report.quality;
  const auto [low, high] = mesh.bounding_box();
  const bool flat = mesh.dimension() == 2;
  const char *volume = flat ? "area" : "volume", *area = flat ? "length" : "area";
  const std::vector<GroupSize> by_region = regions(mesh);
  std::string text;
  const auto line = [&]<class... T>(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text), format, std::forward<T>(values)...);
    text += '\n';
  };
  line("mesh         {}", report.file);
  line("elements     {} {} of order {}, {} curved", mesh.size(), flat ? "triangles" : "tetrahedra", mesh.geometry_order,
       report.curved);
  line("points       {}, {} of them vertices", mesh.points.size(), mesh.vertices);
  line("extent       ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g}), {} {:g}", low[0], low[1], low[2], high[0], high[1],
       high[2], volume, total(by_region));
  for (const GroupSize& region : by_region)
    line("region       {}: {} elements, {} {:g}", region.name, region.members, volume, region.measure);
  for (const GroupSize& boundary : boundaries(report))
    line("boundary     {}: {} faces, {} {:g}", boundary.name, boundary.members, area, boundary.measure);
  for (const dgfem::PeriodicLink& link : mesh.periodic)
    line("periodic     {}: {} vertices", link.name, link.vertices.size());
  line("faces        {} at the boundary ({} without name), {} periodic pairs", report.connectivity.boundary_faces,
       report.connectivity.unnamed_faces, report.connectivity.periodic_faces);
  line("edges        {:g} to {:g}, smallest inscribed radius {:g}", quality.shortest_edge, quality.longest_edge,
       quality.smallest_inradius);
  const dgfem::Point worst = mesh.centroid(quality.worst_element);
  line("quality      {:.3f} on average, {:.3f} at worst, at ({:g}, {:g}, {:g}); 1 is regular", quality.mean_ratio,
       quality.worst_ratio, worst[0], worst[1], worst[2]);
  const std::size_t most = *std::max_element(quality.histogram.begin(), quality.histogram.end());
  for (std::size_t k = 0; k < quality.histogram.size(); ++k)
    if (quality.histogram[k] > 0)
      line("  {:.1f} to {:.1f} {:>9} {:*<{}}", 0.1 * static_cast<double>(k), 0.1 * static_cast<double>(k + 1),
           quality.histogram[k], "", 40 * quality.histogram[k] / most);
  return text;
}

nlohmann::ordered_json to_json(const MeshReport& report) {
  const dgfem::Mesh& mesh = *report.mesh;
  const dgfem::MeshQuality& quality = report.quality;
  const auto [low, high] = mesh.bounding_box();
  const bool flat = mesh.dimension() == 2;
  const std::vector<GroupSize> by_region = regions(mesh);
  nlohmann::ordered_json periodic = nlohmann::ordered_json::array();
  for (const dgfem::PeriodicLink& link : mesh.periodic)
    periodic.push_back({{"name", link.name}, {"vertices", link.vertices.size()}});
  return {{"file", report.file},
          {"element", dgfem::name_of(mesh.type)},
          {"order", mesh.geometry_order},
          {"elements", mesh.size()},
          {"curved_elements", report.curved},
          {"points", mesh.points.size()},
          {"vertices", mesh.vertices},
          {"bounding_box", {low, high}},
          {flat ? "area" : "volume", total(by_region)},
          {"regions", to_json(by_region, mesh.regions, "elements", flat ? "area" : "volume")},
          {"boundaries", to_json(boundaries(report), mesh.boundaries, "faces", flat ? "length" : "area")},
          {"periodic", periodic},
          {"boundary_faces", report.connectivity.boundary_faces},
          {"unnamed_boundary_faces", report.connectivity.unnamed_faces},
          {"named_inner_faces", report.connectivity.named_inner_faces},
          {"periodic_faces", report.connectivity.periodic_faces},
          {"shortest_edge", quality.shortest_edge},
          {"longest_edge", quality.longest_edge},
          {"smallest_inradius", quality.smallest_inradius},
          {"quality", {{"mean", quality.mean_ratio}, {"worst", quality.worst_ratio}, {"histogram", quality.histogram}}},
          {"remarks", report.findings.remarks},
          {"errors", report.findings.errors}};
}

}  // namespace rtcg::app
