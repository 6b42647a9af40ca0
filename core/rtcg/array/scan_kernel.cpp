#include "rtcg/array/scan_kernel.h"

#include <fmt/format.h>

#include "rtcg/array/evaluate.h"
#include "rtcg/array/phases.h"
#include "rtcg/array/scan_skeleton.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

enum Piece : std::size_t { input, combine, neutral, output, others };

std::vector<UserPiece> pieces_of(const ScanDefinition& d) {
  std::vector<UserPiece> pieces;
  pieces.emplace_back(d.name + ".input", d.input);
  pieces.emplace_back(d.name + ".combine", d.combine);
  pieces.emplace_back(d.name + ".neutral", d.neutral);
  pieces.emplace_back(d.name + ".output", d.output);
  if (!d.segment_start.empty()) pieces.emplace_back(d.name + ".segment_start", d.segment_start);
  if (!d.preamble.empty()) pieces.emplace_back(d.name + ".preamble", d.preamble);
  return pieces;
}

std::string zero(Dtype type) {
  return is_complex(type) ? fmt::format("{}_new(0, 0)", type == Dtype::c128 ? "cdouble" : "cfloat") : "0";
}

}  // namespace

struct Scan::State {
  ScanDefinition definition;
  std::string key;
  std::vector<UserPiece> pieces;
  std::vector<bool> output_reads;  ///< per parameter: whether the output's text has its element
  UserParameters parameters;

  explicit State(const ScanDefinition& d)
      : definition(d), pieces(pieces_of(d)), parameters(d.name, d.arguments, pieces, true) {
    for (const auto& parameter : parameters.list())
      output_reads.push_back(!parameter.element.empty() && pieces[output].mentions(parameter.element));
  }
  ScanText text(const UserCall& call) const;
  std::string functions(const UserCall& call, const std::string& type, bool is_struct) const;
};

Scan::Scan(const ScanDefinition& definition) {
  auto state = std::make_shared<State>(definition);
  if (const std::size_t at = state->pieces[output].position_of("return"); at != std::string::npos)
    throw_user_error(state->pieces[output].label, definition.output, at,
                     "'return' in a scan's output; use if and else");
  bool writes = false;
  for (const auto& parameter : state->parameters.list())
    writes = writes || (parameter.is_pointer && !parameter.is_const);
  if (!writes) throw UsageError(fmt::format("{}: no pointer without const; nothing would be written", definition.name));
  for (const std::string* part :
       {&definition.name, &definition.value, &definition.input, &definition.combine, &definition.neutral,
        &definition.output, &definition.arguments, &definition.segment_start, &definition.preamble})
    state->key += fmt::format("{}:{}", part->size(), *part);
  state_ = std::move(state);
}

/// The texts as functions; results are read and written through addresses.
std::string Scan::State::functions(const UserCall& call, const std::string& type, bool is_struct) const {
  const std::string cast = is_struct ? "" : fmt::format("({})", type);
  std::string before, after;
  std::size_t r = 0;
  for (const auto& parameter : parameters.list())
    if (parameter.use == UserParameters::Use::result) {
      before += fmt::format("{} {}{};\n", compute_name(call.results()[r].dtype()), parameter.element,
                            parameter.is_read ? fmt::format(" = *rtcg_result{}", r) : "");
      after += fmt::format("*rtcg_result{} = {};\n", r++, parameter.element);
    }
  std::string text = parameters.typedefs(call.types());
  if (!definition.preamble.empty()) text += pieces.back().emitted();
  const std::string list = call.function_parameters();
  text +=
      fmt::format("static inline {} user_neutral_(void) {{ return {}({}", type, cast, pieces[neutral].emitted("); }"));
  text += fmt::format("static inline {0} user_combine_(const {0} a, const {0} b) {{ return {1}({2}", type, cast,
                      pieces[combine].emitted("); }"));
  text += fmt::format("static inline {} user_input_({}) {{\n{}return {}({}", type, list, before, cast,
                      pieces[input].emitted("); }"));
  if (!definition.segment_start.empty())
    text += fmt::format("static inline int user_start_({}) {{\n{}return ({}", list, before,
                        pieces[others].emitted(") != 0; }"));
  text += fmt::format(
      "static inline void user_output_({0}, const {1} item, const {1} prev_item, const {1} last_item) "
      "{{\n{2}{3}{4}}}\n",
      list, type, before, pieces[output].emitted(";"), after);
  return text;
}

ScanText Scan::State::text(const UserCall& call) const {
  ScanText text;
  const bool is_struct = definition.value_bytes != 0;
  if (is_struct) {
    text.value_type = definition.value;
    text.value_bytes = definition.value_bytes;
  } else {
    const Dtype type = parameters.type_of(definition.value, call.types());
    text.value_type = compute_name(type);
    text.value_bytes = type == Dtype::f16 ? sizeof(float) : size_of(type);
  }
  text.functions = functions(call, text.value_type, is_struct);
  text.combine = "user_combine_(a, b)";
  text.neutral = "user_neutral_()";
  text.backward = definition.backward;
  text.parameters = call.pointer_parameters();

  // What the functions are given: for the input what was loaded, for the output what it needs of that.
  std::vector<std::string> loaded, kept, addresses;
  std::string declare, keep;
  std::size_t root = 0, result = 0;
  for (std::size_t p = 0; p < parameters.list().size(); ++p) {
    const auto& parameter = parameters.list()[p];
    const std::string place = fmt::format("${}", root);
    std::string value = place;
    if (parameter.use == UserParameters::Use::element ||
        (parameter.use == UserParameters::Use::result && parameter.is_read)) {
      const Dtype type = call.roots()[root]->dtype;
      value = zero(type);
      if (output_reads[p]) {
        value = fmt::format("carried{}", root);
        text.carried.push_back({compute_name(type), value, place});
      }
    }
    if (parameter.use == UserParameters::Use::result) {
      const char* type = compute_name(call.results()[result].dtype());
      declare += fmt::format("{} user{}_{};\n", type, result, parameter.is_read ? " = " + value : "");
      keep += fmt::format("out{0}_[k] = user{0}_;\n", result);
      addresses.push_back(fmt::format("&user{}_", result++));
    }
    if (parameter.use == UserParameters::Use::pointer || !parameter.is_read) continue;
    loaded.push_back(place), kept.push_back(value), ++root;
  }
  const std::string index = "(stride_t)i, (stride_t)N";
  // Results that the input reads arrive in variables that it may not change for the output.
  std::vector<std::string> sources;
  for (std::size_t r = 0; r < addresses.size(); ++r) sources.push_back(fmt::format("&read{}_", r));
  text.value = fmt::format("user_input_({}{})", index, call.function_arguments(loaded, sources));
  if (!definition.segment_start.empty())
    text.segment_start = fmt::format("user_start_({}{})", index, call.function_arguments(loaded, sources));
  text.output = fmt::format("{{ {}user_output_({}{}, item, prev_item, last_item);\n{} }}", declare, index,
                            call.function_arguments(kept, addresses), keep);
  return text;
}

void Scan::run(std::span<const UserArgument> arguments) const {
  const State& state = *state_;
  const UserCall call(state.parameters, arguments);
  const Stream& stream = call.stream();
  if (element_count(call.shape()) == 0) return;
  std::vector<NodePtr> nodes;
  for (const UserArgument& argument : arguments)
    if (argument.node()) nodes.push_back(argument.node());
  order_streams(stream, nodes, false);
  std::vector<NodePtr> roots(call.roots().begin(), call.roots().end());
  for (NodePtr& root : roots) root = without_phases(stream, root);
  const LoopBody body(stream.device(), roots, call.shape(), call.results());
  if (!body.fits())
    throw UsageError(fmt::format("{}: more operands, or operands of more dimensions, than one kernel takes",
                                 state.parameters.name()));
  std::string key = state.key;
  call.append_key(key);
  key += body.key();
  const ScanText text = state.text(call);
  ArgumentList loaded, pointers;
  body.append_arguments(loaded);
  call.append_pointers(pointers);
  ScanBody scanned;
  scanned.count = static_cast<std::size_t>(body.count());
  scanned.lanes = body.lanes();
  scanned.key = key;
  scanned.arguments = loaded.arguments();
  scanned.text = [&] {
    BodyText body_text = body.text();
    // Where the results come from for the input: what was loaded of those that it reads.
    std::size_t root = 0, result = 0;
    for (const auto& parameter : state.parameters.list()) {
      if (parameter.use == UserParameters::Use::result)
        body_text.compute +=
            fmt::format("{} read{}_ = {};\n", compute_name(call.results()[result].dtype()), result,
                        parameter.is_read ? body_text.results[root] : zero(call.results()[result].dtype())),
            ++result;
      root += parameter.use != UserParameters::Use::pointer && parameter.is_read;
    }
    return body_text;
  };
  scanned.compile = [&](const Source& source) {
    compile_user_text(stream.device(), source, state.pieces, state.parameters.elements());
  };
  run_scan(stream, scan_loop(stream.device()), text, scanned, pointers.arguments());
  order_streams(stream, nodes, true);
}

}  // namespace rtcg
