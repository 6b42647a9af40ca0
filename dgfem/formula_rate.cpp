#include "dgfem/formula_rate.h"

#include "dgfem/formula_value.h"
#include "dgfem/lattice.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

FormulaRate::FormulaRate(std::shared_ptr<const Discretization> mesh) : mesh_(std::move(mesh)) {
  const System& system = *mesh_->system;
  for (const Definition& one : system.volume_let) volume_let_.push_back({one.name, read_formula(one.text)});
  for (const Definition& one : system.let) let_.push_back({one.name, read_formula(one.text)});
  for (const auto& along : system.flux) {
    flux_.emplace_back();
    for (const std::string& text : along) flux_.back().push_back(read_formula(text));
  }
  for (const std::string& text : system.penalty) penalty_.push_back(read_formula(text));
  for (std::size_t f = 0; f < system.source.size(); ++f)
    if (!system.source[f].empty()) source_.emplace_back(f, read_formula(system.source[f]));
}

double FormulaRate::value(const FormulaTree& tree, const Names& names) {
  return formula_value(tree, [&](std::string_view name) {
    const auto found = names.find(name);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  });
}

void FormulaRate::add_region(Names& names, std::size_t region, const std::string& suffix) const {
  const System& system = *mesh_->system;
  std::size_t at = 0;
  for (const Quantity& material : system.materials) names[material.name + suffix] = mesh_->materials[region][at++];
  for (const Definition& constant : system.constants) names[constant.name + suffix] = mesh_->materials[region][at++];
}

std::vector<double> FormulaRate::operator()(
    std::size_t element, const std::function<std::vector<double>(std::size_t element)>& fields_of) const {
  const Discretization& m = *mesh_;
  const System& system = *m.system;
  const ReferenceElement& reference = m.reference;
  const int dimension = reference.dimension(), nodes = m.nodes(), fields = m.fields();
  const auto at = [fields](int node, int field) {
    return static_cast<std::size_t>(node) * static_cast<std::size_t>(fields) + static_cast<std::size_t>(field);
  };
  const std::vector<double> own = fields_of(element);
  std::vector<Eigen::MatrixXd> along(static_cast<std::size_t>(dimension), Eigen::MatrixXd(nodes, fields));
  Eigen::MatrixXd rate = Eigen::MatrixXd::Zero(nodes, fields);

  Names names(m.parameters.begin(), m.parameters.end());
  add_region(names, m.region[element], "");
  for (int n = 0; n < nodes; ++n) {
    for (int f = 0; f < fields; ++f) names[system.fields[static_cast<std::size_t>(f)]] = own[at(n, f)];
    for (const Named& one : volume_let_) names[one.name] = value(one.tree, names);
    for (std::size_t d = 0; d < along.size(); ++d)
      for (int f = 0; f < fields; ++f) along[d](n, f) = value(flux_[d][static_cast<std::size_t>(f)], names);
    for (const auto& [f, tree] : source_) rate(n, static_cast<Eigen::Index>(f)) += value(tree, names);
  }
  const std::size_t square = m.geometry.metric.size() / m.size();
  for (int i = 0; i < dimension; ++i)
    for (int d = 0; d < dimension; ++d)
      rate -= m.geometry.metric[element * square + static_cast<std::size_t>(i * dimension + d)] *
              reference.derivative(i) * along[static_cast<std::size_t>(d)];

  const auto permutations = orientation_nodes(reference.type(), reference.order());
  for (int face = 0; face < m.faces(); ++face) {
    const std::size_t side = element * static_cast<std::size_t>(m.faces()) + static_cast<std::size_t>(face);
    const std::int32_t other = m.connectivity.neighbour[side];
    if (other < 0) throw UsageError("the host works out rates of inner elements alone");
    const std::vector<double> outer = fields_of(static_cast<std::size_t>(other));
    Names there(m.parameters.begin(), m.parameters.end());
    add_region(there, m.region[element], "_in");
    add_region(there, m.region[static_cast<std::size_t>(other)], "_out");
    constexpr const char* normals[] = {"nx", "ny", "nz"};
    for (int d = 0; d < dimension; ++d)
      there[normals[d]] = m.geometry.normal[side * static_cast<std::size_t>(dimension) + static_cast<std::size_t>(d)];
    const std::vector<int>& permutation = permutations[static_cast<std::size_t>(m.connectivity.orientation[side])];
    const std::vector<int>& other_nodes = reference.face_nodes(m.connectivity.neighbour_face[side]);
    for (int k = 0; k < reference.nodes_per_face(); ++k) {
      const int node = reference.face_nodes(face)[static_cast<std::size_t>(k)];
      const int met = other_nodes[static_cast<std::size_t>(permutation[static_cast<std::size_t>(k)])];
      for (int f = 0; f < fields; ++f) {
        const std::string& name = system.fields[static_cast<std::size_t>(f)];
        there[name + "_in"] = own[at(node, f)];
        there[name + "_out"] = outer[at(met, f)];
        there["jump_" + name] = outer[at(met, f)] - own[at(node, f)];
      }
      for (const Named& one : let_) there[one.name] = value(one.tree, there);
      for (int f = 0; f < fields; ++f)
        rate.col(f) += reference.lift().col(face * reference.nodes_per_face() + k) * m.geometry.face_scale[side] *
                       value(penalty_[static_cast<std::size_t>(f)], there);
    }
  }
  std::vector<double> result(own.size());
  for (int n = 0; n < nodes; ++n)
    for (int f = 0; f < fields; ++f) result[at(n, f)] = rate(n, f);
  return result;
}

}  // namespace rtcg::dgfem
