#include "rtcg/array/elementwise_kernel.h"

#include <fmt/format.h>

#include "rtcg/array/elementwise_skeleton.h"
#include "rtcg/array/kernel_table.h"
#include "rtcg/error.h"

namespace rtcg {

struct Elementwise::State {
  std::string key;
  std::vector<UserPiece> pieces;  ///< the operation, then the preamble if there is one
  UserParameters parameters;

  State(const std::string& name, const std::string& arguments, std::vector<UserPiece> texts)
      : pieces(std::move(texts)), parameters(name, arguments, pieces, true) {}
  Source source(const Device& device, const LoopBody& body, const UserCall& call) const;
};

Elementwise::Elementwise(const std::string& arguments, const std::string& operation, const std::string& name,
                         const std::string& preamble) {
  std::vector<UserPiece> pieces{UserPiece(name, operation)};
  if (const std::size_t at = pieces[0].position_of("return"); at != std::string::npos)
    throw_user_error(name, operation, at, "'return' in an elementwise text; use if and else");
  if (!preamble.empty()) pieces.emplace_back(name + ".preamble", preamble);
  auto state = std::make_shared<State>(name, arguments, std::move(pieces));
  bool writes = false;
  for (const auto& parameter : state->parameters.list())
    writes = writes || (parameter.is_pointer && !parameter.is_const);
  if (!writes) throw UsageError(fmt::format("{}: no pointer without const; nothing would be written", name));
  const std::string texts[] = {name, arguments, operation, preamble};
  state->key = definition_key(texts);
  state_ = std::move(state);
}

Source Elementwise::State::source(const Device& device, const LoopBody& body, const UserCall& call) const {
  BodyText text = body.text();
  text.functions += parameters.typedefs(call.types());
  if (pieces.size() > 1) text.functions += pieces[1].emitted();
  text.functions += fmt::format("static inline void user_operation_({}) {{\n", call.function_parameters());
  std::string before, after, declare, keep;
  std::vector<std::string> addresses;
  std::size_t root = 0;
  for (const auto& parameter : parameters.list()) {
    if (parameter.use == UserParameters::Use::result) {
      const std::size_t r = addresses.size();
      const std::string type = compute_name(call.results()[r].dtype());
      before += fmt::format("{} {}{};\n", type, parameter.element,
                            parameter.is_read ? fmt::format(" = *rtcg_result{}", r) : "");
      after += fmt::format("*rtcg_result{} = {};\n", r, parameter.element);
      declare +=
          fmt::format("{} user{}_{};\n", type, r, parameter.is_read ? fmt::format(" = {}", text.results[root]) : "");
      keep += fmt::format("out{}_[k] = user{}_;\n", r, r);
      addresses.push_back(fmt::format("&user{}_", r));
    }
    root += parameter.use != UserParameters::Use::pointer && parameter.is_read;
  }
  text.functions += before + pieces[0].emitted(";") + after + "}\n";
  text.parameters += call.pointer_parameters();
  text.compute += declare + fmt::format("user_operation_((stride_t)i, (stride_t)n_{});\n",
                                        call.function_arguments(text.results, addresses));
  text.keep = keep;
  text.down_start.clear();  // the user's text may ask for i and n
  return elementwise_source(device, body, text);
}

void Elementwise::run(std::span<const UserArgument> arguments) const {
  const State& state = *state_;
  UserCall call(state.parameters, arguments);
  const Stream& stream = call.stream();
  if (element_count(call.shape()) == 0) return;
  call.prepare();
  const LoopBody body(stream.device(), call.roots(), call.shape(), call.results());
  if (!body.fits())
    throw UsageError(fmt::format("{}: more operands, or operands of more dimensions, than one kernel takes",
                                 state.parameters.name()));
  std::string key;
  key.reserve(256);
  key += state.key;
  call.append_key(key);
  key += body.key();
  const Kernel& kernel = cached_kernel(stream.device(), "user elementwise", key, [&] {
    const Source source = state.source(stream.device(), body, call);
    compile_user_text(stream.device(), source, state.pieces, state.parameters.elements());
    return std::pair(source, std::string("evaluate"));
  });
  ArgumentList list;
  body.append_arguments(list);
  call.append_pointers(list);
  list.value(static_cast<std::uint64_t>(body.count()));
  kernel.launch(stream, elementwise_grid(stream.device(), body.count(), body.lanes()), list.arguments());
  call.finish();
}

}  // namespace rtcg
