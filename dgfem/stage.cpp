#include "dgfem/stage.h"

#include <fmt/format.h>

#include <algorithm>

#include "dgfem/lattice.h"
#include "dgfem/system_text.h"

namespace rtcg::dgfem {

namespace {

std::vector<std::uint16_t> face_node_table(const ReferenceElement& reference) {
  std::vector<std::uint16_t> table;
  for (int f = 0; f < reference.faces(); ++f)
    for (const int node : reference.face_nodes(f)) table.push_back(static_cast<std::uint16_t>(node));
  return table;
}

std::vector<std::uint16_t> neighbour_node_table(const ReferenceElement& reference) {
  const auto orientations = orientation_nodes(reference.type(), reference.order());
  std::vector<std::uint16_t> table;
  for (int f = 0; f < reference.faces(); ++f)
    for (const auto& nodes : orientations)
      for (const int node : nodes)
        table.push_back(static_cast<std::uint16_t>(reference.face_nodes(f)[static_cast<std::size_t>(node)]));
  return table;
}

}  // namespace

std::vector<double> barycentric_weights(const ReferenceElement& reference) {
  std::vector<double> weights;
  for (Eigen::Index n = 0; n < reference.nodes().rows(); ++n) {
    double rest = 1;
    for (int d = 0; d < reference.dimension(); ++d) rest -= 0.5 * (reference.nodes()(n, d) + 1);
    weights.push_back(rest);
    for (int d = 0; d < reference.dimension(); ++d) weights.push_back(0.5 * (reference.nodes()(n, d) + 1));
  }
  return weights;
}

StageData::StageData(const Stream& on, std::shared_ptr<const Discretization> of, ScalarType real)
    : stream(on), mesh(std::move(of)), precision(real), one_region(mesh->materials.size() == 1) {
  const Discretization& m = *mesh;
  const auto dimension = static_cast<std::size_t>(m.reference.dimension());
  const auto face_count = static_cast<std::size_t>(m.faces());
  std::vector<double> face_values(m.size() * face_count * (dimension + 1));
  for (std::size_t i = 0; i < m.size() * face_count; ++i) {
    for (std::size_t d = 0; d < dimension; ++d)
      face_values[i * (dimension + 1) + d] = m.geometry.normal[i * dimension + d];
    face_values[i * (dimension + 1) + dimension] = m.geometry.face_scale[i];
  }
  std::vector<double> corner(m.size() * (dimension + 1) * dimension);
  for (std::size_t e = 0; e < m.size(); ++e)
    for (std::size_t v = 0; v <= dimension; ++v)
      for (std::size_t d = 0; d < dimension; ++d)
        corner[(e * (dimension + 1) + v) * dimension + d] = m.mesh.vertex(e, static_cast<int>(v))[d];
  SystemText text = system_text(*m.system, m.conditions, m.parameters, m.materials, precision);
  functions = std::move(text.functions);
  std::vector<double> table;
  for (const auto& values : text.rows) table.insert(table.end(), values.begin(), values.end());

  metric = upload(m.geometry.metric);
  faces = upload(face_values);
  link = Buffer::from(stream, m.link);
  region = Buffer::from(stream, m.region);
  neighbour_region = Buffer::from(stream, m.neighbour_region);
  materials = upload(table);
  vertices = upload(corner);
  weights = upload(barycentric_weights(m.reference));
  face_nodes = Buffer::from(stream, face_node_table(m.reference));
  neighbour_nodes = Buffer::from(stream, neighbour_node_table(m.reference));
}

Source StageData::source(std::string name, std::string_view text, Dialect dialect) const {
  Source source(std::move(name), fmt::format("typedef {} real;\n{}#line 1\n{}", name_of(precision), functions, text),
                dialect);
  source.define("NODES", mesh->nodes());
  source.define("FACE_NODES", mesh->reference.nodes_per_face());
  source.define("FACES", mesh->faces());
  source.define("ORIENTATIONS", orientations_of(mesh->mesh.type));
  source.define("ONE_REGION", one_region ? 1 : 0);
  return source;
}

Buffer StageData::upload(std::span<const double> values) const {
  if (precision == ScalarType::f64) return Buffer::from(stream, values);
  return Buffer::from(stream, std::vector<float>(values.begin(), values.end()));
}

std::size_t StageData::state_bytes() const {
  return padded_elements() * static_cast<std::size_t>(mesh->nodes() * mesh->fields()) * real_size();
}

std::size_t StageData::bytes() const {
  std::size_t total = 3 * state_bytes();
  for (const Buffer* buffer : {&metric, &faces, &link, &region, &neighbour_region, &materials, &vertices, &weights,
                               &face_nodes, &neighbour_nodes})
    total += buffer->bytes();
  return total;
}

}  // namespace rtcg::dgfem
