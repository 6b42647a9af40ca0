#include "dgfem/system_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "rtcg/array/formula.h"
#include "rtcg/io/toml_table.h"
#include "rtcg_dgfem_systems.h"

namespace rtcg::dgfem {

namespace {

/// State and traces of an element have to fit a processor's registers and local memory.
constexpr std::size_t most_fields = 16;

/// A word that formulas take for a value, not for a number, a type or a constant.
bool is_name(const std::string& text) {
  try {
    const FormulaTree tree = read_formula(text);
    return tree.parameters.empty() && tree.nodes.size() == 1 && tree.nodes.front().kind == FormulaNode::Kind::name &&
           tree.names.front() == text && !formula_constant(text) && dtype_of_c(text) == Dtype::unknown;
  } catch (const InputError&) {
    return false;
  }
}

/// The names that mean something in a formula.
using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Reader {
 public:
  Reader(const TomlTable& table) : table_(table) {}

  System run() {
    table_.allow({"name", "dimension", "fields", "vectors", "materials", "constants", "parameters", "let", "flux",
                  "source", "surface", "speed", "energy", "boundaries", "pml"});
    system_.name = required_text("name");
    const auto dimension = table_.whole("dimension", 2, 3);
    if (!dimension) table_.fail("dimension", "2 or 3 is needed");
    system_.dimension = static_cast<int>(*dimension);
    read_fields();
    read_vectors();
    system_.materials = quantities("materials");
    Names material_names;
    for (const Quantity& one : system_.materials) material_names.push_back(one.name);
    system_.constants = definitions(table_, "constants", material_names, true);
    material_names_ = material_names;
    system_.parameters = quantities("parameters");
    for (const Quantity& one : system_.parameters) parameter_names_.push_back(one.name);
    read_volume();
    read_surface();
    read_boundaries();
    read_pml();
    return std::move(system_);
  }

 private:
  std::string required_text(std::string_view key) {
    const auto text = table_.text(key);
    if (!text || text->empty()) table_.fail(key, "a text is needed");
    return *text;
  }

  void check_name(const TomlTable& table, std::string_view key, const std::string& name) {
    if (!is_name(name))
      table.fail(key, fmt::format("\"{}\" cannot be a name: letters, digits and _ make one that is no number, type or "
                                  "constant of C",
                                  name));
  }

  /// Of a name that every formula knows.
  void claim(const TomlTable& table, std::string_view key, const std::string& name) {
    check_name(table, key, name);
    static const std::set<std::string, std::less<>> words{"x", "y", "z", "t", "nx", "ny", "nz"};
    if (words.contains(name) || name.ends_with("_in") || name.ends_with("_out") || name.starts_with("jump_"))
      table.fail(key, fmt::format("\"{}\" has a meaning in the formulas of faces; another name is needed", name));
    if (!names_.insert(name).second) table.fail(key, fmt::format("\"{}\" is there already", name));
  }

  void check_formula(const TomlTable& table, std::string_view key, const std::string& formula, const Names& known) {
    try {
      const std::vector<Dtype> types(known.size(), Dtype::f64);
      Formula(formula, known).function("check", types, Dtype::f64);
    } catch (const InputError& error) {
      table.fail(key, error.what());
    }
  }

  void read_fields() {
    const auto fields = table_.texts("fields");
    if (!fields || fields->empty()) table_.fail("fields", "a list of names is needed");
    if (fields->size() > most_fields) table_.fail("fields", fmt::format("at most {} fields are possible", most_fields));
    for (const std::string& name : *fields) claim(table_, "fields", name);
    system_.fields = *fields;
  }

  void read_vectors() {
    const auto vectors = table_.inner("vectors");
    if (!vectors) return;
    for (const std::string& name : vectors->keys()) {
      VectorField vector{name, {}};
      const std::vector<std::string> parts = *vectors->texts(name);
      for (const std::string& part : parts) {
        if (system_.field(part) < 0)
          vectors->fail(name,
                        fmt::format("there is no field \"{}\"; there are {}", part, fmt::join(system_.fields, ", ")));
        vector.fields.push_back(system_.field(part));
      }
      if (parts.size() != static_cast<std::size_t>(system_.dimension) && parts.size() != 3)
        vectors->fail(name, fmt::format("{} components are needed", system_.dimension));
      system_.vectors.push_back(std::move(vector));
    }
  }

  std::vector<Quantity> quantities(std::string_view key) {
    std::vector<Quantity> list;
    if (const auto inner = table_.inner(key))
      for (const std::string& name : inner->keys()) {
        claim(*inner, name, name);
        list.push_back({name, *inner->real(name)});
      }
    return list;
  }

  /// "name = formula" each; one knows those before it, and `known` all in the end.
  std::vector<Definition> definitions(const TomlTable& table, std::string_view key, Names& known, bool is_global) {
    std::vector<Definition> list;
    const auto texts = table.texts(key);
    if (!texts) return list;
    for (const std::string& text : *texts) {
      const std::size_t equals = text.find('=');
      const std::size_t last =
          equals == std::string::npos || equals == 0 ? std::string::npos : text.find_last_not_of(' ', equals - 1);
      if (last == std::string::npos) table.fail(key, fmt::format("\"{}\" is not of the form \"name = formula\"", text));
      Definition one{text.substr(0, last + 1),
                     text.substr(std::min(text.size(), text.find_first_not_of(' ', equals + 1)))};
      if (is_global) {
        claim(table, key, one.name);
      } else {
        check_name(table, key, one.name);
        if (contains(known, one.name)) table.fail(key, fmt::format("\"{}\" is there already", one.name));
      }
      check_formula(table, key, one.text, known);
      known.push_back(one.name);
      list.push_back(std::move(one));
    }
    return list;
  }

  void allow_fields(const TomlTable& table) {
    const std::vector<std::string_view> names(system_.fields.begin(), system_.fields.end());
    table.allow(names);
  }

  /// A formula for each field, "" where there is none.
  std::vector<std::string> by_field(const std::optional<TomlTable>& table, const Names& known) {
    std::vector<std::string> list(system_.fields.size());
    if (!table) return list;
    allow_fields(*table);
    for (std::size_t f = 0; f < list.size(); ++f)
      if (const auto text = table->text(system_.fields[f])) {
        check_formula(*table, system_.fields[f], *text, known);
        list[f] = *text;
      }
    return list;
  }

  void read_volume() {
    Names known = system_.fields;
    known.insert(known.end(), material_names_.begin(), material_names_.end());
    known.insert(known.end(), parameter_names_.begin(), parameter_names_.end());
    system_.volume_let = definitions(table_, "let", known, true);
    read_flux(known);
    system_.source = by_field(table_.inner("source"), known);
    system_.speed = required_text("speed");
    check_formula(table_, "speed", system_.speed, known);
    system_.energy = table_.text("energy").value_or("");
    if (!system_.energy.empty()) check_formula(table_, "energy", system_.energy, known);
  }

  void read_flux(const Names& known) {
    const auto flux = table_.inner("flux");
    if (!flux) table_.fail("flux", "a table with a list for each field is needed");
    allow_fields(*flux);
    system_.flux.assign(static_cast<std::size_t>(system_.dimension), std::vector<std::string>(system_.fields.size()));
    for (std::size_t f = 0; f < system_.fields.size(); ++f) {
      const auto along = flux->texts(system_.fields[f]);
      if (!along || along->size() != static_cast<std::size_t>(system_.dimension))
        flux->fail(system_.fields[f],
                   fmt::format("{} formulas are needed, the fluxes of {} along {}", system_.dimension,
                               system_.fields[f], system_.dimension == 2 ? "x, y" : "x, y, z"));
      for (std::size_t d = 0; d < along->size(); ++d) {
        check_formula(*flux, system_.fields[f], (*along)[d], known);
        system_.flux[d][f] = (*along)[d];
      }
    }
  }

  Names normal_names() const { return system_.dimension == 2 ? Names{"nx", "ny"} : Names{"nx", "ny", "nz"}; }

  void read_surface() {
    const auto surface = table_.inner("surface");
    if (!surface) table_.fail("surface", "a table with \"penalty\" is needed");
    surface->allow({"let", "penalty"});
    Names known = normal_names();
    for (const std::string& field : system_.fields)
      known.insert(known.end(), {field + "_in", field + "_out", "jump_" + field});
    for (const std::string& name : material_names_) known.insert(known.end(), {name + "_in", name + "_out"});
    known.insert(known.end(), parameter_names_.begin(), parameter_names_.end());
    system_.let = definitions(*surface, "let", known, false);
    const auto penalty = surface->inner("penalty");
    if (!penalty)
      surface->fail("penalty", "a formula for each field is needed: n.F(in) less the flux between the elements");
    for (const std::string& field : system_.fields)
      if (!penalty->has(field)) penalty->fail("", fmt::format("the formula for {} is missing", field));
    system_.penalty = by_field(penalty, known);
  }

  void read_pml() {
    const auto pml = table_.inner("pml");
    if (!pml) return;
    allow_fields(*pml);
    for (const std::string& field : system_.fields) {
      const auto axis = pml->text(field);
      if (!axis || (*axis != "x" && *axis != "y" && *axis != "z"))
        pml->fail(axis ? field : "",
                  fmt::format("the axis that {} points along is needed: \"x\", \"y\" or \"z\"", field));
      system_.pml_axes.push_back(axis->front() - 'x');
    }
  }

  void read_boundaries() {
    const auto boundaries = table_.inner("boundaries");
    if (!boundaries) return;
    for (const std::string& name : boundaries->keys()) {
      const TomlTable table = *boundaries->inner(name);
      table.allow({"given", "let", "outer", "parameters"});
      BoundaryKind kind;
      kind.name = name;
      Names known = normal_names();
      known.insert(known.end(), {"x", "y", "z", "t"});
      for (const std::string& field : system_.fields) known.push_back(field + "_in");
      for (const std::string& one : material_names_) known.insert(known.end(), {one, one + "_in"});
      known.insert(known.end(), parameter_names_.begin(), parameter_names_.end());
      kind.given = table.texts("given").value_or(Names{});
      for (const std::string& given : kind.given) {
        check_name(table, "given", given);
        if (contains(known, given)) table.fail("given", fmt::format("\"{}\" is there already", given));
        known.push_back(given);
      }
      kind.let = definitions(table, "let", known, false);
      kind.outer = by_field(table.inner("outer"), known);
      for (std::size_t f = 0; f < kind.outer.size(); ++f)
        if (kind.outer[f].empty()) kind.outer[f] = system_.fields[f] + "_in";
      if (const auto parameters = table.inner("parameters"))
        for (const std::string& parameter : parameters->keys()) {
          if (!contains(parameter_names_, parameter)) parameters->fail(parameter, "the system has no such parameter");
          kind.parameters[parameter] = *parameters->real(parameter);
        }
      system_.boundaries.push_back(std::move(kind));
    }
  }

  const TomlTable& table_;
  System system_;
  std::set<std::string> names_;
  Names material_names_, parameter_names_;  // constants of the materials among the former
};

/// Every shipped system, read once.
const std::vector<std::shared_ptr<const System>>& shipped() {
  static const std::vector<std::shared_ptr<const System>> all = [] {
    std::vector<std::shared_ptr<const System>> list;
    for (const std::string_view text : kernels::systems)
      list.push_back(std::make_shared<System>(read_system(text, "shipped system")));
    return list;
  }();
  return all;
}

}  // namespace

System read_system(std::string_view text, const std::string& source) {
  const toml::table table = parse_toml(text, source);
  return Reader(TomlTable(table, source)).run();
}

System read_system_file(const std::filesystem::path& file) {
  return read_system(read_text(file.string()), file.string());
}

std::vector<std::string> shipped_systems(int dimension) {
  std::vector<std::string> names;
  for (const auto& system : shipped())
    if (system->dimension == dimension) names.push_back(system->name);
  std::sort(names.begin(), names.end());
  return names;
}

std::shared_ptr<const System> shipped_system(std::string_view name, int dimension) {
  for (const auto& system : shipped())
    if (system->name == name && system->dimension == dimension) return system;
  throw InputError(fmt::format("there is no {}-dimensional system '{}'; there are {}", dimension, name,
                               fmt::join(shipped_systems(dimension), ", ")));
}

}  // namespace rtcg::dgfem
