#include "dgfem/case/case_file.h"

#include <fmt/format.h>

#include <cmath>

#include "dgfem/mesh/connectivity.h"
#include "dgfem/mesh/read_mesh.h"
#include "dgfem/system_file.h"
#include "rtcg/io/toml_table.h"

namespace rtcg::dgfem {

namespace {

namespace fs = std::filesystem;

class Reader {
 public:
  Reader(const TomlTable& table, const fs::path& file) : table_(table), file_(file) {}

  Case run() {
    table_.allow({"mesh", "order", "precision", "final_time", "equation", "materials", "boundaries", "pml", "limiter",
                  "initial", "exact", "sources", "time", "probes", "planes", "output"});
    case_.name = file_.stem().string();
    read_mesh_source();
    if (const auto order = table_.whole("order", 1, 10)) case_.problem.order = static_cast<int>(*order);
    read_precision();
    case_.final_time = positive(table_, "final_time");
    read_equation();
    read_materials();
    read_boundaries();
    read_pml();
    read_limiter();
    if (const auto initial = table_.inner("initial")) case_.problem.initial = formulas(*initial);
    if (const auto exact = table_.inner("exact")) case_.problem.exact = formulas(*exact);
    read_sources();
    read_time();
    read_probes();
    read_planes();
    read_output();
    return std::move(case_);
  }

 private:
  double positive(const TomlTable& table, std::string_view key) {
    const auto value = table.real(key);
    if (!value || !(*value > 0) || !std::isfinite(*value)) table.fail(key, "a number above 0 is needed");
    return *value;
  }
  double positive_or(const TomlTable& table, std::string_view key, double otherwise) {
    return table.has(key) ? positive(table, key) : otherwise;
  }

  /// Formulas by name; that the names are fields is checked with the system.
  FieldFormulas formulas(const TomlTable& table, std::string_view besides = {}) {
    FieldFormulas found;
    for (const std::string& name : table.keys()) {
      if (name == besides) continue;
      const std::string text = formula(table, name);
      try {
        read_formula(text);
      } catch (const InputError& error) {
        table.fail(name, error.what());
      }
      found[name] = text;
    }
    return found;
  }
  /// Numbers may stand without quotes.
  static std::string formula(const TomlTable& table, const std::string& key) {
    if (const auto node = table.table()[key]; node.is_number()) return fmt::format("{:.17g}", *node.value<double>());
    return *table.text(key);
  }

  void read_mesh_source() {
    if (table_.table()["mesh"].is_string()) {
      case_.mesh.file = file_.parent_path() / *table_.text("mesh");
      return;
    }
    const auto mesh = table_.inner("mesh");
    if (!mesh) table_.fail("mesh", "a file or a table with \"box\" is needed");
    mesh->allow({"file", "box", "low", "high", "periodic"});
    if (const auto file = mesh->text("file")) case_.mesh.file = file_.parent_path() / *file;
    if (mesh->has("box") == mesh->has("file")) mesh->fail("", "either \"file\" or \"box\" is needed");
    if (mesh->has("box"))
      read_box(*mesh);
    else if (const auto pairs = mesh->texts("periodic")) {
      if (pairs->size() % 2 != 0) mesh->fail("periodic", "boundaries are needed in pairs");
      for (std::size_t i = 0; i < pairs->size(); i += 2) case_.mesh.periodic.emplace_back((*pairs)[i], (*pairs)[i + 1]);
    }
  }

  void read_box(const TomlTable& mesh) {
    const std::vector<double> cells = *mesh.reals("box");
    if (cells.size() != 2 && cells.size() != 3)
      mesh.fail("box", "the cells along 2 or 3 axes are needed, such as [8, 8]");
    Box box;
    box.type = cells.size() == 2 ? ElementType::triangle : ElementType::tetrahedron;
    const auto corner = [&](std::string_view key, Point& point) {
      const auto values = mesh.reals(key);
      if (!values) return;
      if (values->size() != cells.size()) mesh.fail(key, fmt::format("{} coordinates are needed", cells.size()));
      std::copy(values->begin(), values->end(), point.begin());
    };
    for (std::size_t d = 0; d < cells.size(); ++d) {
      if (!(cells[d] >= 1 && cells[d] <= 1e6) || cells[d] != std::floor(cells[d]))
        mesh.fail("box", "whole numbers of cells are needed");
      box.cells[d] = static_cast<std::int32_t>(cells[d]);
    }
    corner("low", box.low);
    corner("high", box.high);
    if (const auto axes = mesh.texts("periodic"))
      for (const std::string& axis : *axes) {
        if (axis.size() != 1 || axis[0] < 'x' || axis[0] >= static_cast<char>('x' + cells.size()))
          mesh.fail("periodic", "of a box, axes are needed, such as [\"x\", \"y\"]");
        box.periodic[static_cast<std::size_t>(axis[0] - 'x')] = true;
      }
    case_.mesh.box = box;
  }

  void read_precision() {
    const auto text = table_.text("precision");
    if (!text || *text == "double") return;
    if (*text != "single") table_.fail("precision", "\"single\" or \"double\" is needed");
    case_.precision = ScalarType::f32;
  }

  void read_equation() {
    const auto equation = table_.inner("equation");
    if (!equation) table_.fail("equation", "a table with \"system\" is needed");
    const auto system = equation->text("system");
    if (!system) equation->fail("system", "a shipped system or a system's file is needed");
    if (system->ends_with(".toml"))
      case_.problem.system = std::make_shared<System>(read_system_file(file_.parent_path() / *system));
    else
      case_.system = *system;
    for (const std::string& name : equation->keys())
      if (name != "system") case_.problem.parameters[name] = *equation->real(name);
  }

  void read_materials() {
    const auto materials = table_.inner("materials");
    if (!materials) return;
    for (const std::string& region : materials->keys()) {
      const TomlTable values = *materials->inner(region);
      for (const std::string& name : values.keys()) case_.problem.materials[region][name] = *values.real(name);
    }
  }

  void read_boundaries() {
    const auto boundaries = table_.inner("boundaries");
    if (!boundaries) return;
    for (const std::string& name : boundaries->keys()) {
      BoundaryCondition& condition = case_.problem.boundaries[name];
      if (boundaries->table()[name].is_string()) {
        condition.kind = *boundaries->text(name);
        continue;
      }
      const TomlTable table = *boundaries->inner(name);
      const auto kind = table.text("kind");
      if (!kind) table.fail("kind", "the kind of boundary is needed");
      condition = {*kind, formulas(table, "kind")};
    }
  }

  void read_pml() {
    const auto table = table_.inner("pml");
    if (!table) return;
    table->allow({"regions", "exponent", "reflection"});
    Pml pml;
    const auto regions = table->texts("regions");
    if (!regions || regions->empty()) table->fail("regions", "the names of the absorbing regions are needed");
    pml.regions = *regions;
    pml.exponent = positive_or(*table, "exponent", pml.exponent);
    pml.reflection = positive_or(*table, "reflection", pml.reflection);
    case_.problem.pml = pml;
  }

  void read_limiter() {
    const auto table = table_.inner("limiter");
    if (!table) return;
    table->allow({"threshold"});
    LimiterSettings limiter;
    limiter.threshold = positive_or(*table, "threshold", limiter.threshold);
    case_.problem.limiter = limiter;
  }

  /// The tables of a list of tables.
  template <class Read>
  void each(std::string_view key, const Read& read) {
    if (!table_.has(key)) return;
    const toml::array* const list = table_.table()[key].as_array();
    if (!list) table_.fail(key, fmt::format("tables are needed, each under [[{}]]", key));
    std::size_t i = 0;
    for (const toml::node& node : *list) {
      const toml::table* const one = node.as_table();
      if (!one) table_.fail(key, fmt::format("tables are needed, each under [[{}]]", key));
      read(TomlTable(*one, file_.string(), fmt::format("{}[{}]", key, i++)));
    }
  }

  void read_sources() {
    each("sources", [&](const TomlTable& table) {
      SourceTerm source;
      if (const auto region = table.text("region")) source.region = *region;
      source.rate = formulas(table, "region");
      case_.problem.sources.push_back(std::move(source));
    });
  }

  void read_time() {
    const auto time = table_.inner("time");
    if (!time) return;
    time->allow({"scheme", "cfl", "step"});
    case_.scheme = time->text("scheme").value_or(case_.scheme);
    try {
      time_scheme(case_.scheme);
    } catch (const InputError& error) {
      time->fail("scheme", error.what());
    }
    case_.cfl = positive_or(*time, "cfl", case_.cfl);
    if (time->has("step")) case_.step = positive(*time, "step");
  }

  void read_probes() {
    each("probes", [&](const TomlTable& table) {
      table.allow({"name", "at"});
      Probe probe;
      const auto name = table.text("name");
      const auto at = table.reals("at");
      if (!name || name->empty()) table.fail("name", "a name is needed");
      if (!at || at->size() < 2 || at->size() > 3) table.fail("at", "2 or 3 coordinates are needed");
      probe.name = *name;
      std::copy(at->begin(), at->end(), probe.at.begin());
      case_.probes.push_back(std::move(probe));
    });
  }

  void read_planes() {
    each("planes", [&](const TomlTable& table) {
      table.allow({"name", "normal", "at", "points"});
      Plane plane;
      const auto name = table.text("name");
      if (!name || name->empty()) table.fail("name", "a name is needed");
      plane.name = *name;
      if (const auto normal = table.text("normal")) {
        if (*normal != "x" && *normal != "y" && *normal != "z") table.fail("normal", "\"x\", \"y\" or \"z\" is needed");
        plane.normal = normal->front() - 'x';
      }
      plane.at = table.real("at").value_or(0);
      if (const auto points = table.reals("points")) {
        if (points->size() != 2 || !((*points)[0] >= 2 && (*points)[1] >= 2 && (*points)[0] * (*points)[1] <= 1e8))
          table.fail("points", "two numbers of points, 2 or more each, are needed");
        plane.points = {static_cast<std::size_t>((*points)[0]), static_cast<std::size_t>((*points)[1])};
      }
      case_.planes.push_back(std::move(plane));
    });
  }

  void read_output() {
    const auto output = table_.inner("output");
    if (!output) return;
    output->allow({"every", "vtk", "sample_every", "checkpoint_every", "keep", "frequencies"});
    OutputSettings& settings = case_.output;
    settings.every = positive_or(*output, "every", 0);
    settings.sample_every = positive_or(*output, "sample_every", 0);
    settings.checkpoint_every = positive_or(*output, "checkpoint_every", 0);
    if (const auto keep = output->whole("keep", 1, 1000)) settings.keep = static_cast<int>(*keep);
    if (const auto frequencies = output->reals("frequencies")) case_.frequencies = *frequencies;
    if (const auto vtk = output->text("vtk")) {
      if (*vtk == "none") {
        settings.cells.reset();
      } else {
        try {
          settings.cells = parse_field_cells(*vtk);
        } catch (const UsageError&) {
          output->fail("vtk", "\"lagrange\", \"subdivide\" or \"none\" is needed");
        }
      }
    }
  }

  const TomlTable& table_;
  fs::path file_;
  Case case_;
};

}  // namespace

Mesh MeshSource::read(int refinement) const {
  if (box) {
    Box finer = *box;
    for (auto& cells : finer.cells) cells *= refinement;
    return box_mesh(finer);
  }
  if (refinement != 1) throw UsageError(fmt::format("{}: only a box can be refined", file.string()));
  Mesh mesh = read_mesh(file);
  for (const auto& [here, there] : periodic) add_periodic(mesh, here, there);
  return mesh;
}

std::string MeshSource::text() const {
  if (!box) return file.string();
  return box->type == ElementType::triangle
             ? fmt::format("box {} x {}", box->cells[0], box->cells[1])
             : fmt::format("box {} x {} x {}", box->cells[0], box->cells[1], box->cells[2]);
}

Problem Case::load(int refinement) const {
  return load(mesh.read(refinement));
}

Problem Case::load(Mesh read) const {
  Problem loaded = problem;
  if (!loaded.system) loaded.system = shipped_system(system, read.dimension());
  loaded.mesh = std::move(read);
  return loaded;
}

SolverOptions Case::solver_options() const {
  SolverOptions options;
  options.precision = precision;
  options.scheme = time_scheme(scheme);
  options.cfl = cfl;
  options.step = step;
  return options;
}

Case read_case(const fs::path& file) {
  const std::string text = read_text(file.string());
  const toml::table table = parse_toml(text, file.string());
  return Reader(TomlTable(table, file.string()), file).run();
}

}  // namespace rtcg::dgfem
