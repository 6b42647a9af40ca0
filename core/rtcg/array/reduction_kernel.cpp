#include "rtcg/array/reduction_kernel.h"

#include <algorithm>

#include <fmt/format.h>

#include "rtcg/array/reduce_axes.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

constexpr std::size_t pieces_of_result = 4;  ///< neutral, combine, map, finish

std::vector<ReductionResult> results_of(const ReductionText& text) {
  std::vector<ReductionResult> all{{text.result, text.neutral, text.combine, text.map, text.finish, text.accumulator}};
  all.insert(all.end(), text.others.begin(), text.others.end());
  return all;
}

std::vector<UserPiece> pieces_of(const ReductionText& text) {
  std::vector<UserPiece> pieces;
  const std::vector<ReductionResult> results = results_of(text);
  for (std::size_t r = 0; r < results.size(); ++r) {
    const std::string number = results.size() > 1 ? fmt::format("[{}]", r) : "";
    const ReductionResult& result = results[r];
    const std::pair<const char*, const std::string*> parts[] = {
        {"neutral", &result.neutral}, {"combine", &result.combine}, {"map", &result.map}, {"finish", &result.finish}};
    for (const auto& [part, piece] : parts)
      pieces.emplace_back(fmt::format("{}{}.{}", text.name, number, part), *piece);
  }
  if (!text.preamble.empty()) pieces.emplace_back(text.name + ".preamble", text.preamble);
  return pieces;
}

}  // namespace

struct Reduction::State {
  std::string key;
  std::vector<ReductionResult> results;
  std::vector<UserPiece> pieces;
  UserParameters parameters;

  explicit State(const ReductionText& text)
      : results(results_of(text)), pieces(pieces_of(text)), parameters(text.name, text.arguments, pieces, false) {}
  Dtype accumulator(std::size_t r, std::span<const Dtype> types) const {
    const Dtype type =
        parameters.type_of(results[r].accumulator.empty() ? results[r].result : results[r].accumulator, types);
    return type == Dtype::f16 ? Dtype::f32 : type;
  }
  ReduceText text(BodyText& body, const std::string& index, const UserCall& call) const;
};

Reduction::Reduction(const ReductionText& text) {
  auto state = std::make_shared<State>(text);
  std::vector<std::string> texts{text.name, text.arguments, text.preamble};
  for (const ReductionResult& result : state->results)
    texts.insert(texts.end(),
                 {result.result, result.neutral, result.combine, result.map, result.finish, result.accumulator});
  state->key = definition_key(texts);
  const auto& list = state->parameters.list();
  if (std::none_of(list.begin(), list.end(), [](const auto& parameter) { return parameter.is_pointer; }))
    throw UsageError(
        fmt::format("{}: no pointer among the arguments ({}); there is nothing to reduce", text.name, text.arguments));
  state_ = std::move(state);
}

ReduceText Reduction::State::text(BodyText& body, const std::string& index, const UserCall& call) const {
  body.parameters += call.pointer_parameters();
  ReduceText text;
  text.functions = parameters.typedefs(call.types());
  if (pieces.size() > results.size() * pieces_of_result) text.functions += pieces.back().emitted();
  const std::string element = fmt::format("(stride_t)({}), (stride_t)(outer * length * inner){}", index,
                                          call.function_arguments(body.results, {}));
  for (std::size_t r = 0; r < results.size(); ++r) {
    const UserPiece* part = &pieces[r * pieces_of_result];
    const Dtype type = accumulator(r, call.types()), result = parameters.type_of(results[r].result, call.types());
    const std::string name = compute_name(type);
    text.functions += fmt::format("static inline {} user_neutral{}_(void) {{ return ({})({}); }}\n", name, r, name,
                                  part[0].emitted(""));
    text.functions += fmt::format("static inline {} user_combine{}_({} a, {} b) {{ return ({})({}", name, r, name, name,
                                  name, part[1].emitted("); }"));
    text.functions += fmt::format("static inline {} user_map{}_({}) {{ return ({})({}", name, r,
                                  call.function_parameters(), name, part[2].emitted("); }"));
    text.functions += fmt::format("static inline {} user_finish{}_({} a, stride_t n) {{ return ({})({}",
                                  compute_name(result), r, name, compute_name(result), part[3].emitted("); }"));
    const std::string field = fmt::format("v{}", r);
    text.fields.push_back(
        {type, field, fmt::format("user_neutral{}_()", r), fmt::format("user_map{}_({})", r, element)});
    text.combine += fmt::format("a.{} = user_combine{}_(a.{}, b.{});\n", field, r, field, field);
    text.outputs.push_back({result, fmt::format("user_finish{}_(a.{}, (stride_t)n)", r, field)});
  }
  return text;
}

std::vector<Array> Reduction::run(std::span<const UserArgument> arguments, const Axes& axes) const {
  const State& state = *state_;
  UserCall call(state.parameters, arguments);
  const Stream& stream = call.stream();
  call.prepare();
  ReduceOperation operation;
  operation.key = state.key;
  call.append_key(operation.key);
  for (std::size_t r = 0; r < state.results.size(); ++r) {
    operation.fields.push_back(state.accumulator(r, call.types()));
    operation.results.push_back(state.parameters.type_of(state.results[r].result, call.types()));
  }
  operation.text = [&](BodyText& body, const std::string& index) { return state.text(body, index, call); };
  // Elements reached through a pointer lie where the index says, in whatever order the loop runs.
  operation.order = ReduceOperation::Order::indexed;
  operation.append_arguments = [&](ArgumentList& list) { call.append_pointers(list); };
  operation.compile = [&](const Device& device, const Source& source) {
    compile_user_text(device, source, state.pieces, state.parameters.elements());
  };
  const std::vector<bool> reduced = axes.of(call.shape().size());
  std::vector<Array> results = reduce_axes(stream, call.roots(), call.shape(), reduced, operation);
  call.finish();
  return results;
}

Array Reduction::only(std::vector<Array> results) const {
  if (results.size() != 1)
    throw UsageError(fmt::format("{}: it has {} results; call all()", state_->parameters.name(), results.size()));
  return std::move(results[0]);
}

}  // namespace rtcg
