#include "dgfem/discretization.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "dgfem/lattice.h"
#include "dgfem/mesh/ordering.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

std::vector<std::string> names_of(const std::vector<Group>& groups) {
  std::vector<std::string> names;
  for (const Group& group : groups)
    for (const std::string& name : group.names)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

/// The entry for a group: under one of its names, else under "default".
template <class Entry>
const Entry* entry_for(const std::map<std::string, Entry>& entries, const Group& group) {
  for (const std::string& name : group.names)
    if (const auto found = entries.find(name); found != entries.end()) return &found->second;
  const auto fallback = entries.find("default");
  return fallback == entries.end() ? nullptr : &fallback->second;
}

template <class Entry>
void check_names(const std::map<std::string, Entry>& entries, const std::vector<Group>& groups, const char* what) {
  const std::vector<std::string> known = names_of(groups);
  for (const auto& [name, entry] : entries)
    if (name != "default" && std::find(known.begin(), known.end(), name) == known.end())
      throw InputError(known.empty()
                           ? fmt::format("the mesh names no {}, yet there is an entry for '{}'", what, name)
                           : fmt::format("the mesh has no {} '{}': it has {}", what, name, fmt::join(known, ", ")));
}

/// The index of a value in a list that holds each once.
template <class T>
std::size_t interned(std::vector<T>& list, const T& value) {
  const auto place = static_cast<std::size_t>(std::find(list.begin(), list.end(), value) - list.begin());
  if (place == list.size()) list.push_back(value);
  return place;
}

/// The numbering: straight elements along the curve, then the curved ones.
std::vector<std::int32_t> element_order(const Mesh& mesh, std::size_t& straight) {
  std::vector<std::int32_t> order = hilbert_order(mesh);
  std::vector<char> is_curved(mesh.size(), 0);
  if (mesh.geometry_order > 1)
    for (const std::int32_t e : curved_elements(mesh)) is_curved[static_cast<std::size_t>(e)] = 1;
  const auto middle = std::stable_partition(order.begin(), order.end(),
                                            [&](std::int32_t e) { return !is_curved[static_cast<std::size_t>(e)]; });
  straight = static_cast<std::size_t>(middle - order.begin());
  return order;
}

int checked_order(int order) {
  if (order < 1 || order > 10) throw UsageError(fmt::format("order {}: 1 to 10 are available", order));
  return order;
}

}  // namespace

Discretization::Discretization(const Problem& problem)
    : system(problem.system), reference(problem.mesh.type, checked_order(problem.order)) {
  if (system->dimension != problem.mesh.dimension())
    throw InputError(fmt::format("the system '{}' is {}-dimensional, the mesh is {}-dimensional", system->name,
                                 system->dimension, problem.mesh.dimension()));
  check_names(problem.materials, problem.mesh.regions, "region");
  check_names(problem.boundaries, problem.mesh.boundaries, "boundary");
  for (const Quantity& parameter : system->parameters) parameters[parameter.name] = parameter.value;
  for (const auto& [name, value] : problem.parameters) {
    if (!parameters.contains(name)) {
      std::vector<std::string> known;
      for (const Quantity& parameter : system->parameters) known.push_back(parameter.name);
      throw InputError(fmt::format("the system '{}' has no parameter '{}': it has {}", system->name, name,
                                   known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
    parameters[name] = value;
  }

  original = element_order(problem.mesh, straight);
  mesh = reordered(problem.mesh, original);
  Findings findings;
  if (curved() > 0) check_jacobians(mesh, findings);
  if (!findings.errors.empty()) throw InputError(findings.errors.front());
  connectivity = connect(mesh);
  geometry = affine_geometry(mesh);

  const auto face_count = static_cast<std::size_t>(faces());
  const int orientations = orientations_of(mesh.type);
  if (size() > static_cast<std::size_t>(INT32_MAX) / (face_count * static_cast<std::size_t>(orientations)))
    throw UsageError(
        fmt::format("{} elements are more than one device part holds ({})", size(),
                    static_cast<std::size_t>(INT32_MAX) / (face_count * static_cast<std::size_t>(orientations))));

  std::vector<std::uint8_t> region_values;
  for (const Group& group : mesh.regions) {
    const Values* given = entry_for(problem.materials, group);
    region_values.push_back(
        static_cast<std::uint8_t>(interned(materials, system->region_values(given ? *given : Values{}))));
    if (materials.size() > 255) throw UsageError("more than 255 different materials");
  }
  region.resize(size());
  for (std::size_t e = 0; e < size(); ++e) region[e] = region_values[static_cast<std::size_t>(mesh.region_of[e])];

  std::vector<std::int32_t> condition_of;  // [boundary], then that of faces without a name
  for (const Group& group : mesh.boundaries) {
    const BoundaryCondition* condition = entry_for(problem.boundaries, group);
    condition_of.push_back(condition ? static_cast<std::int32_t>(interned(conditions, *condition)) : -1);
  }
  const BoundaryCondition* unnamed = entry_for(problem.boundaries, Group{});
  condition_of.push_back(unnamed ? static_cast<std::int32_t>(interned(conditions, *unnamed)) : -1);
  std::map<std::string, std::size_t> missing;  // name -> faces

  link.resize(size() * face_count);
  neighbour_region.resize(link.size());
  for (std::size_t i = 0; i < link.size(); ++i) {
    const std::int32_t neighbour = connectivity.neighbour[i];
    if (neighbour >= 0) {
      link[i] = (neighbour * faces() + connectivity.neighbour_face[i]) * orientations + connectivity.orientation[i];
      neighbour_region[i] = region[static_cast<std::size_t>(neighbour)];
      continue;
    }
    const std::int32_t boundary = connectivity.boundary[i];
    const std::int32_t condition =
        boundary < 0 ? condition_of.back() : condition_of[static_cast<std::size_t>(boundary)];
    if (condition < 0)
      ++missing[boundary < 0 ? "without a name"
                             : "of '" + mesh.boundaries[static_cast<std::size_t>(boundary)].text() + "'"];
    link[i] = -1 - condition;
    neighbour_region[i] = region[i / face_count];
  }
  if (!missing.empty()) {
    std::vector<std::string> kinds;
    for (const BoundaryKind& kind : system->boundaries) kinds.push_back(kind.name);
    const std::vector<std::string> names = names_of(mesh.boundaries);
    throw InputError(
        fmt::format("{} boundary faces {} have no condition; boundaries of the mesh: {} (\"default\" stands for the "
                    "rest); kinds of '{}': {}",
                    missing.begin()->second, missing.begin()->first,
                    names.empty() ? "none has a name" : fmt::format("{}", fmt::join(names, ", ")), system->name,
                    fmt::join(kinds, ", ")));
  }
  if (curved() > 0) curved_nodes_.emplace(mesh, reference.nodes());
}

Eigen::MatrixXd Discretization::node_positions(std::size_t element) const {
  if (element >= straight) return (*curved_nodes_)(element).x;
  const Eigen::MatrixXd& nodes = reference.nodes();
  Eigen::MatrixXd x(nodes.rows(), 3);
  const int dimension = reference.dimension();
  for (Eigen::Index n = 0; n < nodes.rows(); ++n)
    for (int d = 0; d < 3; ++d) {
      const auto axis = static_cast<unsigned>(d);
      double value = mesh.vertex(element, 0)[axis];
      for (int v = 0; v < dimension; ++v)
        value += 0.5 * (nodes(n, v) + 1) * (mesh.vertex(element, v + 1)[axis] - mesh.vertex(element, 0)[axis]);
      x(n, d) = value;
    }
  return x;
}

std::vector<double> Discretization::inradii() const {
  // Dimension x measure / surface; face_scale is face over element, each relative to its reference element.
  std::vector<double> radii(size());
  const auto face_count = static_cast<std::size_t>(faces());
  for (std::size_t e = 0; e < size(); ++e) {
    double surface = 0;
    for (std::size_t f = 0; f < face_count; ++f) surface += geometry.face_scale[e * face_count + f];
    radii[e] = 2 / surface;
  }
  // What bounds steps is faces over volumes, where that is largest.
  if (curved() > 0) {
    const ElementMap element_map(mesh, reference.nodes());
    const FaceMap face_map(mesh, reference.nodes_on_face());
    for (std::size_t e = straight; e < size(); ++e) {
      const double least = element_map(e).jacobian.minCoeff();
      double surface = 0;
      for (int f = 0; f < faces(); ++f) surface += face_map(e, f).jacobian.maxCoeff() / least;
      radii[e] = 2 / surface;
    }
  }
  return radii;
}

}  // namespace rtcg::dgfem
