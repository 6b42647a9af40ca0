#include "dgfem/system_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "rtcg/array/formula_tree.h"
#include "rtcg/io/toml_table.h"
#include "rtcg_dgfem_systems.h"

namespace rtcg::dgfem {

namespace {

/// State and traces of an element have to fit a processor's registers and local memory.
constexpr std::size_t most_fields = 16;

bool is_name(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

class Reader {
 public:
  Reader(const TomlTable& table) : table_(table) {}

  System run() {
    table_.allow({"name", "dimension", "fields", "vectors", "materials", "constants", "parameters", "let", "flux",
                  "source", "surface", "speed", "energy", "boundaries"});
    system_.name = required_text("name");
    const auto dimension = table_.whole("dimension", 2, 3);
    if (!dimension) table_.fail("dimension", "2 or 3 is needed");
    system_.dimension = static_cast<int>(*dimension);
    read_fields();
    read_vectors();
    system_.materials = quantities("materials");
    system_.parameters = quantities("parameters");
    system_.constants = definitions(table_, "constants");
    system_.volume_let = definitions(table_, "let");
    system_.speed = required_text("speed");
    system_.energy = table_.text("energy").value_or("");
    read_flux();
    system_.source = by_field(table_.inner("source"), "");
    read_surface();
    read_boundaries();
    return std::move(system_);
  }

 private:
  std::string required_text(std::string_view key) {
    const auto text = table_.text(key);
    if (!text || text->empty()) table_.fail(key, "a text is needed");
    return *text;
  }

  void claim(const TomlTable& table, std::string_view key, const std::string& name) {
    if (!is_name(name)) table.fail(key, fmt::format("\"{}\" is no name: letters, digits and _ make one", name));
    static const std::set<std::string, std::less<>> words{"x", "y", "z", "t", "nx", "ny", "nz"};
    if (words.contains(name) || name.ends_with("_in") || name.ends_with("_out") || name.starts_with("jump_"))
      table.fail(key, fmt::format("\"{}\" has a meaning in the formulas of faces; another name is needed", name));
    if (!names_.insert(name).second) table.fail(key, fmt::format("\"{}\" is there already", name));
  }

  void check_formula(const TomlTable& table, std::string_view key, const std::string& formula) {
    try {
      read_formula(formula);
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

  /// "name = formula" each, in order.
  std::vector<Definition> definitions(const TomlTable& table, std::string_view key, bool is_global = true) {
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
      if (is_global)
        claim(table, key, one.name);
      else if (!is_name(one.name))
        table.fail(key, fmt::format("\"{}\" is no name: letters, digits and _ make one", one.name));
      check_formula(table, key, one.text);
      list.push_back(std::move(one));
    }
    return list;
  }

  void allow_fields(const TomlTable& table) {
    const std::vector<std::string_view> names(system_.fields.begin(), system_.fields.end());
    table.allow(names);
  }

  /// One formula for each field; `absent` stands for the others ({} in it: the field).
  std::vector<std::string> by_field(const std::optional<TomlTable>& table, const std::string& absent) {
    std::vector<std::string> list;
    if (table) allow_fields(*table);
    for (const std::string& field : system_.fields) {
      const auto text = table ? table->text(field) : std::nullopt;
      if (text) check_formula(*table, field, *text);
      list.push_back(text ? *text : absent == "in" ? field + "_in" : absent);
    }
    return list;
  }

  void read_flux() {
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
        check_formula(*flux, system_.fields[f], (*along)[d]);
        system_.flux[d][f] = (*along)[d];
      }
    }
  }

  void read_surface() {
    const auto surface = table_.inner("surface");
    if (!surface) table_.fail("surface", "a table with \"penalty\" is needed");
    surface->allow({"let", "penalty"});
    system_.let = definitions(*surface, "let", false);
    const auto penalty = surface->inner("penalty");
    if (!penalty)
      surface->fail("penalty", "a formula for each field is needed: n.F(in) less the flux between the elements");
    for (const std::string& field : system_.fields)
      if (!penalty->has(field)) penalty->fail("", fmt::format("the formula for {} is missing", field));
    system_.penalty = by_field(penalty, "");
  }

  void read_boundaries() {
    const auto boundaries = table_.inner("boundaries");
    if (!boundaries) return;
    for (const std::string& name : boundaries->keys()) {
      const TomlTable table = *boundaries->inner(name);
      table.allow({"given", "let", "outer", "parameters"});
      BoundaryKind kind;
      kind.name = name;
      kind.given = table.texts("given").value_or(std::vector<std::string>{});
      kind.let = definitions(table, "let", false);
      kind.outer = by_field(table.inner("outer"), "in");
      if (const auto parameters = table.inner("parameters"))
        for (const std::string& parameter : parameters->keys()) {
          if (std::none_of(system_.parameters.begin(), system_.parameters.end(),
                           [&](const Quantity& one) { return one.name == parameter; }))
            parameters->fail(parameter, "the system has no such parameter");
          kind.parameters[parameter] = *parameters->real(parameter);
        }
      system_.boundaries.push_back(std::move(kind));
    }
  }

  const TomlTable& table_;
  System system_;
  std::set<std::string> names_;
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
