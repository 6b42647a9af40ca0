#include "dgfem/system_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "dgfem/formula_value.h"
#include "rtcg/array/formula.h"
#include "rtcg/compile/source.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

using Scope = std::map<std::string, std::string, std::less<>>;  ///< a name in formulas -> C text of its value

/// Collects the functions that formulas become and the text that calls them.
class Writer {
 public:
  explicit Writer(ScalarType real) : real_(real) {}

  std::string literal(double value) const {
    const std::string text = std::isfinite(value) ? Source::literal(value) : value > 0 ? "INFINITY" : "NAN";
    return fmt::format("(real){}", std::signbit(value) ? "(" + text + ")" : text);
  }

  /// C text of the formula's value; `what` names the formula in messages.
  std::string value(const std::string& formula, const Scope& scope, const std::string& what) {
    const FormulaTree tree = read(formula, what);
    if (tree.nodes.size() == 1 && tree.nodes.front().kind == FormulaNode::Kind::literal)
      return literal(tree.nodes.front().value.to_double());
    std::vector<std::string> names, arguments;
    for (const std::string& name : tree.names) {
      const auto known = scope.find(name);
      if (known != scope.end()) {
        names.push_back(name);
        arguments.push_back(known->second);
      } else if (!formula_constant(name)) {
        refuse(tree, name, scope, what);
      }
    }
    if (names.empty()) return literal(formula_value(tree, [](std::string_view) { return std::nullopt; }));
    const std::vector<Dtype> types(names.size(), real_);
    const std::string text = Formula(formula, names).function("", types, real_)->text;
    const std::size_t name_at = text.find('(');
    std::string& function = functions_of_[text.substr(name_at)];
    if (function.empty()) {
      function = fmt::format("dg_formula_{}_{}", prefix_, functions_of_.size());
      functions_ += text.substr(0, name_at) + function + text.substr(name_at) + "\n";
    }
    return fmt::format("{}({})", function, fmt::join(arguments, ", "));
  }

  /// `const real v_name = ...;` for each definition, which later ones and the caller then know.
  std::string definitions(const std::vector<Definition>& list, Scope& scope, const std::string& what) {
    std::string text;
    for (const Definition& one : list) {
      text += fmt::format("  const real v_{} = {};\n", one.name, value(one.text, scope, what + " " + one.name));
      scope[one.name] = "v_" + one.name;
    }
    return text;
  }

  void prefix(std::string text) { prefix_ = std::move(text); }
  std::string finish(const std::string& text) const {
    const std::string both = functions_ + text;
    return operation_helpers(both) + both;
  }

 private:
  static FormulaTree read(const std::string& formula, const std::string& what) {
    try {
      return read_formula(formula);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", what, error.what()));
    }
  }
  [[noreturn]] static void refuse(const FormulaTree& tree, const std::string& name, const Scope& scope,
                                  const std::string& what) {
    std::vector<std::string> known;
    for (const auto& [one, text] : scope) known.push_back(one);
    std::uint32_t at = 0;
    for (const FormulaNode& node : tree.nodes)
      if (node.kind == FormulaNode::Kind::name && tree.names[node.name] == name) at = node.at;
    try {
      tree.fail(at, fmt::format("'{}' means nothing here; there are {}", name, fmt::join(known, ", ")));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", what, error.what()));
    }
  }

  ScalarType real_;
  std::string functions_, prefix_ = "f";
  std::map<std::string, std::string> functions_of_;  ///< parameters and body -> name
};

/// What a formula that is linear in the fields multiplies each field by, in every region: its value for a unit field.
std::vector<std::vector<double>> field_factors(const System& system, const std::string& formula,
                                               const std::map<std::string, double>& parameters,
                                               std::span<const std::vector<double>> regions) {
  const FormulaTree tree = read_formula(formula);
  std::vector<std::vector<double>> factors(system.fields.size());
  for (std::size_t g = 0; g < system.fields.size(); ++g)
    for (const std::vector<double>& region : regions) {
      std::map<std::string, double, std::less<>> known(parameters.begin(), parameters.end());
      for (std::size_t i = 0; i < system.fields.size(); ++i) known[system.fields[i]] = i == g ? 1 : 0;
      for (std::size_t i = 0; i < system.materials.size(); ++i) known[system.materials[i].name] = region[i];
      for (std::size_t i = 0; i < system.constants.size(); ++i)
        known[system.constants[i].name] = region[system.materials.size() + i];
      const auto value_of = [&](std::string_view name) -> std::optional<double> {
        const auto found = known.find(name);
        return found == known.end() ? std::nullopt : std::optional(found->second);
      };
      for (const Definition& one : system.volume_let) known[one.name] = formula_value(read_formula(one.text), value_of);
      factors[g].push_back(formula_value(tree, value_of));
    }
  return factors;
}

bool is_zero(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == 0; });
}

class Generator {
 public:
  Generator(const System& system, std::span<const BoundaryCondition> conditions,
            const std::map<std::string, double>& parameters, std::span<const std::vector<double>> regions,
            ScalarType real)
      : system_(system), conditions_(conditions), parameters_(parameters), regions_(regions), writer_(real) {
    result_.rows.assign(regions.begin(), regions.end());
    is_uniform_ = regions.size() == 1;
  }

  SystemText run() {
    std::string text = system_.is_linear() ? volume() : std::string();
    text += flux();
    text += source();
    text += boundary();
    text += penalty();
    const std::size_t row = result_.rows.front().size();
    result_.functions = fmt::format(
        "#define DG_FIELDS {}\n#define DG_DIMENSION {}\n#define DG_MATERIALS {}\n#define DG_LINEAR {}\n"
        "#define DG_HAS_SOURCE {}\n#define DG_BOUNDARY_USES_PLACE {}\n",
        system_.fields.size(), system_.dimension, std::max<std::size_t>(row, 1), system_.is_linear() ? 1 : 0,
        has_source_ ? 1 : 0, uses_place_ ? 1 : 0);
    result_.functions += writer_.finish(text);
    for (auto& values : result_.rows)
      if (values.empty()) values.push_back(0);
    return std::move(result_);
  }

 private:
  /// Value i of a region's row, as text.
  std::string row_value(std::size_t i, const std::string& argument) const {
    return is_uniform_ ? writer_.literal(result_.rows.front()[i]) : fmt::format("{}[{}]", argument, i);
  }
  void add_materials(Scope& scope, const std::string& argument, const std::string& suffix) const {
    for (std::size_t i = 0; i < system_.materials.size(); ++i)
      scope[system_.materials[i].name + suffix] = row_value(i, argument);
    for (std::size_t i = 0; i < system_.constants.size(); ++i)
      scope[system_.constants[i].name + suffix] = row_value(system_.materials.size() + i, argument);
  }
  void add_parameters(Scope& scope) const {
    for (const auto& [name, value] : parameters_) scope[name] = writer_.literal(value);
  }
  void add_fields(Scope& scope, const std::string& argument, const std::string& suffix) const {
    for (std::size_t f = 0; f < system_.fields.size(); ++f)
      scope[system_.fields[f] + suffix] = fmt::format("{}[{}]", argument, f);
  }
  void add_normal(Scope& scope) const {
    for (int d = 0; d < system_.dimension; ++d) scope[std::string("n") + "xyz"[d]] = fmt::format("normal[{}]", d);
  }
  Scope volume_scope() const {
    Scope scope;
    add_fields(scope, "q", "");
    add_materials(scope, "material", "");
    add_parameters(scope);
    return scope;
  }
  std::string name(const std::string& what) const { return fmt::format("system '{}', {}", system_.name, what); }

  std::string volume() {
    std::string text = "static inline void dg_volume(const real* derivative, const real* material, real* rate) {\n";
    for (std::size_t f = 0; f < system_.fields.size(); ++f) {
      std::string sum;
      for (std::size_t d = 0; d < system_.flux.size(); ++d) {
        const auto factors = field_factors(system_, system_.flux[d][f], parameters_, regions_);
        for (std::size_t g = 0; g < factors.size(); ++g)
          if (!is_zero(factors[g]))
            sum += term(factors[g], fmt::format("derivative[{}]", d * system_.fields.size() + g));
      }
      text += fmt::format("  rate[{}] = {};\n", f, sum.empty() ? "0" : sum);
    }
    return text + "}\n";
  }

  /// " - factor * operand": what differs in sign only between coefficients shares its place in the rows.
  std::string term(std::vector<double> factor, const std::string& operand) {
    const char* sign = factor.front() < 0 ? " + " : " - ";
    if (factor.front() < 0)
      for (double& v : factor) v = -v;
    if (std::all_of(factor.begin(), factor.end(), [](double v) { return v == 1; })) return sign + operand;
    if (is_uniform_) return sign + writer_.literal(factor.front()) + " * " + operand;
    auto found = std::find_if(coefficients_.begin(), coefficients_.end(),
                              [&](const auto& pair) { return pair.first == factor; });
    if (found == coefficients_.end()) {
      coefficients_.emplace_back(factor, result_.rows.front().size());
      for (std::size_t r = 0; r < factor.size(); ++r) result_.rows[r].push_back(factor[r]);
      found = coefficients_.end() - 1;
    }
    return fmt::format("{}material[{}] * {}", sign, found->second, operand);
  }

  std::string flux() {
    writer_.prefix("flux");
    Scope scope = volume_scope();
    std::string text = "static inline void dg_flux(const real* q, const real* material, real* flux) {\n" +
                       writer_.definitions(system_.volume_let, scope, name("volume let"));
    for (std::size_t d = 0; d < system_.flux.size(); ++d)
      for (std::size_t f = 0; f < system_.fields.size(); ++f)
        text += fmt::format("  flux[{}] = {};\n", d * system_.fields.size() + f,
                            writer_.value(system_.flux[d][f], scope,
                                          name(fmt::format("flux of {} along {}", system_.fields[f], "xyz"[d]))));
    return text + "}\n";
  }

  std::string source() {
    writer_.prefix("source");
    std::string body;
    Scope scope = volume_scope();
    const std::string definitions = writer_.definitions(system_.volume_let, scope, name("volume let"));
    for (std::size_t f = 0; f < system_.source.size(); ++f)
      if (matters(system_.source[f]))
        body += fmt::format("  rate[{}] += {};\n", f,
                            writer_.value(system_.source[f], scope, name("source of " + system_.fields[f])));
    has_source_ = !body.empty();
    return "static inline void dg_source(const real* q, const real* material, real* rate) {\n" +
           (has_source_ ? definitions + body : std::string()) + "}\n";
  }

  /// Not where a material without loss makes it vanish.
  bool matters(const std::string& source) const {
    if (source.empty()) return false;
    const Dependence dependence = system_.dependence(source);
    if (dependence == Dependence::other) return true;
    const auto factors = field_factors(system_, source, parameters_, regions_);
    return dependence == Dependence::none || !std::all_of(factors.begin(), factors.end(), is_zero);
  }

  const BoundaryKind& kind_of(const BoundaryCondition& condition) const {
    if (const BoundaryKind* kind = system_.boundary(condition.kind)) return *kind;
    std::vector<std::string> known;
    for (const BoundaryKind& kind : system_.boundaries) known.push_back(kind.name);
    throw InputError(fmt::format("the system '{}' has no boundary of kind '{}': it has {}", system_.name,
                                 condition.kind, fmt::join(known, ", ")));
  }

  std::string boundary() {
    writer_.prefix("boundary");
    std::string text =
        "static inline void dg_boundary(int condition, const real* in, const real* normal, const real* x, real t, "
        "const real* material, real* out) {\n  switch (condition) {\n";
    for (std::size_t c = 0; c < conditions_.size(); ++c) {
      const BoundaryCondition& condition = conditions_[c];
      const BoundaryKind& kind = kind_of(condition);
      for (const auto& [given, formula] : condition.formulas)
        if (std::find(kind.given.begin(), kind.given.end(), given) == kind.given.end())
          throw InputError(
              fmt::format("a boundary of kind '{}' takes no '{}': it takes {}", kind.name, given,
                          kind.given.empty() ? "nothing" : fmt::format("{}", fmt::join(kind.given, ", "))));
      Scope place;
      for (int d = 0; d < 3; ++d) place[std::string(1, "xyz"[d])] = fmt::format("x[{}]", d);
      place["t"] = "t";
      add_parameters(place);
      Scope scope = place;
      add_fields(scope, "in", "_in");
      add_materials(scope, "material", "_in");
      add_materials(scope, "material", "");
      add_normal(scope);
      text += fmt::format("  case {}: {{\n", c);
      for (const std::string& given : kind.given) {
        const auto formula = condition.formulas.find(given);
        if (formula == condition.formulas.end())
          throw InputError(fmt::format("a boundary of kind '{}' needs a formula for '{}'; it takes {}", kind.name,
                                       given, fmt::join(kind.given, ", ")));
        uses_place_ = true;
        text += fmt::format("  const real g_{} = {};\n", given,
                            writer_.value(formula->second, place, fmt::format("boundary '{}', {}", kind.name, given)));
        scope[given] = "g_" + given;
      }
      text += writer_.definitions(kind.let, scope, name("boundary " + kind.name + ","));
      for (std::size_t f = 0; f < system_.fields.size(); ++f)
        text +=
            fmt::format("  out[{}] = {};\n", f,
                        writer_.value(kind.outer[f], scope, name("boundary " + kind.name + ", " + system_.fields[f])));
      text += "  } break;\n";
    }
    text += "  default:\n";
    for (std::size_t f = 0; f < system_.fields.size(); ++f) text += fmt::format("    out[{0}] = in[{0}];\n", f);
    return text + "  }\n}\n";
  }

  std::string penalty() {
    writer_.prefix("penalty");
    Scope scope;
    add_parameters(scope);
    std::string text =
        "static inline void dg_penalty(int condition, const real* in, const real* out, const real* normal, const real* "
        "material_in, const real* material_out, real* lifted) {\n";
    for (const auto& [parameter, value] : parameters_) {
      std::string chosen;
      for (std::size_t c = 0; c < conditions_.size(); ++c) {
        const auto& changed = kind_of(conditions_[c]).parameters;
        if (const auto found = changed.find(parameter); found != changed.end() && found->second != value)
          chosen += fmt::format("condition == {} ? {} : ", c, writer_.literal(found->second));
      }
      if (chosen.empty()) continue;
      text += fmt::format("  const real p_{} = {}{};\n", parameter, chosen, writer_.literal(value));
      scope[parameter] = "p_" + parameter;
    }
    add_fields(scope, "in", "_in");
    add_fields(scope, "out", "_out");
    add_materials(scope, "material_in", "_in");
    add_materials(scope, "material_out", "_out");
    add_normal(scope);
    for (std::size_t f = 0; f < system_.fields.size(); ++f) {
      text += fmt::format("  const real jump_{0} = out[{0}] - in[{0}];\n", f);
      scope["jump_" + system_.fields[f]] = fmt::format("jump_{}", f);
    }
    text += writer_.definitions(system_.let, scope, name("let"));
    for (std::size_t f = 0; f < system_.fields.size(); ++f)
      text += fmt::format("  lifted[{}] = {};\n", f,
                          writer_.value(system_.penalty[f], scope, name("penalty of " + system_.fields[f])));
    return text + "}\n";
  }

  const System& system_;
  std::span<const BoundaryCondition> conditions_;
  const std::map<std::string, double>& parameters_;
  std::span<const std::vector<double>> regions_;
  Writer writer_;
  SystemText result_;
  std::vector<std::pair<std::vector<double>, std::size_t>> coefficients_;  ///< values by region, place in the rows
  bool is_uniform_ = false, uses_place_ = false, has_source_ = false;
};

}  // namespace

SystemText system_text(const System& system, std::span<const BoundaryCondition> conditions,
                       const std::map<std::string, double>& parameters, std::span<const std::vector<double>> regions,
                       ScalarType real) {
  return Generator(system, conditions, parameters, regions, real).run();
}

std::string field_function(const std::string& name, const System& system,
                           const std::map<std::string, std::string>& formulas,
                           const std::map<std::string, double>& parameters, ScalarType real) {
  for (const auto& [field, formula] : formulas)
    if (system.field(field) < 0)
      throw InputError(fmt::format("the system '{}' has no field '{}': it has {}", system.name, field,
                                   fmt::join(system.fields, ", ")));
  Writer writer(real);
  writer.prefix(name);
  Scope scope;
  for (int d = 0; d < 3; ++d) scope[std::string(1, "xyz"[d])] = fmt::format("x[{}]", d);
  scope["t"] = "t";
  for (const auto& [parameter, value] : parameters) scope[parameter] = writer.literal(value);
  std::string text = fmt::format("static inline void {}(const real* x, real t, real* values) {{\n", name);
  for (std::size_t f = 0; f < system.fields.size(); ++f) {
    const auto formula = formulas.find(system.fields[f]);
    text += fmt::format("  values[{}] = {};\n", f,
                        formula == formulas.end() ? "0" : writer.value(formula->second, scope, system.fields[f]));
  }
  return writer.finish(text + "}\n");
}

std::string measure_function(const std::string& name, const System& system, std::span<const Definition> formulas,
                             const std::map<std::string, double>& parameters, ScalarType real) {
  Writer writer(real);
  writer.prefix(name);
  Scope scope;
  for (const auto& [parameter, value] : parameters) scope[parameter] = writer.literal(value);
  for (std::size_t f = 0; f < system.fields.size(); ++f) scope[system.fields[f]] = fmt::format("q[{}]", f);
  for (std::size_t i = 0; i < system.materials.size(); ++i)
    scope[system.materials[i].name] = fmt::format("material[{}]", i);
  for (std::size_t i = 0; i < system.constants.size(); ++i)
    scope[system.constants[i].name] = fmt::format("material[{}]", system.materials.size() + i);
  for (int d = 0; d < 3; ++d) scope.emplace(std::string(1, "xyz"[d]), fmt::format("x[{}]", d));
  scope.emplace("t", "t");
  std::string text = fmt::format(
      "static inline void {}(const real* q, const real* x, real t, const real* material, real* values) {{\n", name);
  text += writer.definitions(system.volume_let, scope, fmt::format("system '{}', volume let", system.name));
  for (std::size_t k = 0; k < formulas.size(); ++k)
    text += fmt::format("  values[{}] = {};\n", k, writer.value(formulas[k].text, scope, formulas[k].name));
  return writer.finish(text + "}\n");
}

}  // namespace rtcg::dgfem
