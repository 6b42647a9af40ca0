#include "rtcg/array/user_call.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rtcg/array/evaluate.h"
#include "rtcg/array/phases.h"
#include "rtcg/error.h"

namespace rtcg {

UserParameters::UserParameters(std::string name, const std::string& declarations, std::vector<UserPiece>& pieces,
                               bool writes)
    : name_(std::move(name)) {
  for (const UserParameter& declared : user_parameters(name_ + ".arguments", declarations)) {
    Parameter parameter{declared};
    if (parameter.is_pointer) {
      const bool everywhere_element = std::none_of(
          pieces.begin(), pieces.end(), [&](const UserPiece& piece) { return piece.uses_as_pointer(parameter.name); });
      if (!writes && !parameter.is_const)
        throw UsageError(fmt::format("{}: {} is only read; declare it const {}", name_, parameter.declaration,
                                     parameter.declaration));
      parameter.use = !everywhere_element ? Use::pointer : parameter.is_const ? Use::element : Use::result;
      if (everywhere_element) {
        parameter.element = element_name(parameter.name, pieces);
        parameter.is_read = std::any_of(pieces.begin(), pieces.end(), [&](const UserPiece& piece) {
          return piece.mentions(parameter.name) && !piece.assigns_first(parameter.name);
        });
        for (UserPiece& piece : pieces) piece.rename_elements(parameter.name, parameter.element);
      }
    }
    if (parameter.dtype == Dtype::unknown &&
        std::find(type_names_.begin(), type_names_.end(), parameter.type) == type_names_.end())
      type_names_.push_back(parameter.type);
    if (type_names_.size() > most_types)
      throw UsageError(fmt::format("{}: more than {} names of types", name_, most_types));
    list_.push_back(std::move(parameter));
  }
  // Two arguments of the kernel for each, and the skeleton's own.
  if (list_.size() > most_parameters)
    throw UsageError(
        fmt::format("{}: {} parameters; a generated kernel takes {}", name_, list_.size(), most_parameters));
}

std::map<std::string, std::string> UserParameters::elements() const {
  std::map<std::string, std::string> names;
  for (const Parameter& parameter : list_)
    if (!parameter.element.empty()) names.emplace(parameter.element, parameter.name + "[i]");
  return names;
}

std::string UserParameters::typedefs(std::span<const Dtype> types) const {
  std::string text;
  for (std::size_t k = 0; k < types.size(); ++k)
    text += fmt::format("typedef {} {};\n", compute_name(types[k]), type_names_[k]);
  return text;
}

Dtype UserParameters::type_of(const std::string& type, std::span<const Dtype> types) const {
  for (std::size_t k = 0; k < type_names_.size(); ++k)
    if (type_names_[k] == type) return types[k];
  const Dtype known = user_dtype(type);
  if (known == Dtype::unknown)
    throw UsageError(fmt::format("{}: unknown type '{}'; the arguments name {}", name_, type,
                                 type_names_.empty() ? "none" : fmt::format("{}", fmt::join(type_names_, ", "))));
  return known;
}

UserCall::UserCall(const UserParameters& parameters, std::span<const UserArgument> arguments)
    : parameters_(parameters), arguments_(arguments) {
  const auto& list = parameters_.list();
  if (arguments.size() != list.size()) {
    std::vector<std::string> declarations;
    for (const auto& parameter : list) declarations.push_back(parameter.declaration);
    throw UsageError(fmt::format("{}: {} arguments for {} parameters ({})", parameters_.name(), arguments.size(),
                                 list.size(), fmt::join(declarations, ", ")));
  }
  bind_types(arguments);
  roots_.reserve(list.size());
  bool has_shape = false;
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (!list[k].is_pointer) continue;
    const Shape& shape = arguments[k].node()->shape;
    if (list[k].use == UserParameters::Use::pointer) continue;
    if (has_shape && shape == shape_) continue;
    try {
      shape_ = has_shape ? broadcast(shape_, shape) : shape;
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}: {}", parameters_.name(), list[k].declaration, error.what()));
    }
    has_shape = true;
  }
  for (std::size_t k = 0; k < list.size() && !has_shape; ++k)
    if (list[k].is_pointer) shape_ = arguments[k].node()->shape, has_shape = true;
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k].is_pointer)
      bind_pointer(list[k], arguments[k], k);
    else
      roots_.push_back(std::make_shared<ScalarNode>(arguments[k].scalar().as(dtype_of(list[k])), false));
  }
}

void UserCall::bind_types(std::span<const UserArgument> arguments) {
  const auto& list = parameters_.list();
  std::array<const std::string*, UserParameters::most_types> bound_by{};
  // Arrays decide; a scalar is converted to what they say.
  for (const bool pointers : {true, false})
    for (std::size_t k = 0; k < list.size(); ++k) {
      const auto& parameter = list[k];
      const bool is_array = arguments[k].node() != nullptr;
      if (parameter.is_pointer != is_array)
        throw UsageError(fmt::format("{}: argument {} is {}; {} takes {}", parameters_.name(), k + 1,
                                     is_array ? "an array" : "a scalar", parameter.declaration,
                                     parameter.is_pointer ? "an array" : "a scalar"));
      if (parameter.is_pointer != pointers) continue;
      const Dtype given = is_array ? arguments[k].node()->dtype : arguments[k].scalar().dtype();
      const std::string* because = nullptr;
      Dtype expected = parameter.dtype;
      if (expected == Dtype::unknown) {
        const auto place = std::find(parameters_.type_names().begin(), parameters_.type_names().end(), parameter.type);
        const auto t = static_cast<std::size_t>(place - parameters_.type_names().begin());
        if (types_[t] == Dtype::unknown) types_[t] = given, bound_by[t] = &parameter.name;
        expected = types_[t], because = bound_by[t];
      }
      if (is_array && given != expected)
        throw UsageError(fmt::format("{}: {} is given {}; {} is {}{}", parameters_.name(), parameter.declaration,
                                     dtype_name(given), parameter.type, dtype_name(expected),
                                     because != nullptr ? fmt::format(" (from {})", *because) : ""));
      if (!is_array && is_complex(given) && !is_complex(expected))
        throw UsageError(fmt::format("{}: {} is given a complex number; {} is {}", parameters_.name(),
                                     parameter.declaration, parameter.type, dtype_name(expected)));
    }
}

Dtype UserCall::dtype_of(const UserParameters::Parameter& parameter) const {
  return parameter.dtype != Dtype::unknown ? parameter.dtype : parameters_.type_of(parameter.type, types());
}

void UserCall::bind_pointer(const UserParameters::Parameter& parameter, const UserArgument& argument,
                            std::size_t number) {
  NodePtr node = argument.node();
  if (!stream_) {
    const Expression expressions[] = {Expression(node)};
    stream_ = stream_of(expressions);
    if (!stream_)
      throw UsageError(
          fmt::format("{}: argument {} is an expression without any array", parameters_.name(), number + 1));
  }
  const bool is_written = !parameter.is_const;
  if (is_written && node->op != Op::array)
    throw UsageError(fmt::format("{}: {} is written to; it takes an Array, not an expression", parameters_.name(),
                                 parameter.declaration));
  if (parameter.use == UserParameters::Use::pointer) {
    const Array array = node->op == Op::array ? as_array(node) : Expression(node).evaluate(*stream_);
    if (!array.is_contiguous())
      throw UsageError(fmt::format("{}: {} is used otherwise than as {}[i] and must be contiguous; pass a copy()",
                                   parameters_.name(), parameter.declaration, parameter.name));
    pointers_.push_back(array);
    return;
  }
  if (parameter.use == UserParameters::Use::element) {
    roots_.push_back(std::move(node));
    return;
  }
  const Array array = as_array(node);
  if (!(array.shape() == shape_))
    throw UsageError(fmt::format("{}: {} has shape {}; the operands' is {}", parameters_.name(), parameter.declaration,
                                 to_string(array.shape()), to_string(shape_)));
  for (int d = 0; d < shape_.size(); ++d)
    if (array.strides()[d] == 0 && shape_[d] > 1)
      throw UsageError(fmt::format("{}: {} is a broadcast view; several elements are one in memory", parameters_.name(),
                                   parameter.declaration));
  results_.push_back(array);
  if (parameter.is_read) roots_.push_back(std::move(node));
}

void UserCall::prepare() {
  std::vector<NodePtr> nodes;
  for (const UserArgument& argument : arguments_)
    if (argument.node() && argument.node()->stream != stream_->native()) nodes.push_back(argument.node());
  if (!nodes.empty()) order_streams(*stream_, nodes, false);
  for (NodePtr& root : roots_)
    if (root->has_phases) root = without_phases(*stream_, root);
}

void UserCall::finish() const {
  std::vector<NodePtr> nodes;
  for (const UserArgument& argument : arguments_)
    if (argument.node() && argument.node()->stream != stream_->native()) nodes.push_back(argument.node());
  if (!nodes.empty()) order_streams(*stream_, nodes, true);
}

void UserCall::append_key(std::string& key) const {
  for (const Dtype type : types()) key.push_back(static_cast<char>(type));
}

void UserCall::append_pointers(ArgumentList& list) const {
  for (const Array& array : pointers_) {
    list.buffer(array.buffer(), array.dtype());
    list.value(static_cast<std::int64_t>(array.offset()));
  }
}

std::string UserCall::pointer_parameters() const {
  std::string text;
  std::size_t k = 0;
  for (const auto& parameter : parameters_.list())
    if (parameter.use == UserParameters::Use::pointer) {
      text += fmt::format("global {}{}* pointer{}_, const long start{}_, ", parameter.is_const ? "const " : "",
                          storage_name(pointers_[k].dtype()), k, k);
      ++k;
    }
  return text;
}

std::string UserCall::function_parameters() const {
  std::string text = "const stride_t i, const stride_t n";
  std::size_t pointer = 0, result = 0;
  for (const auto& parameter : parameters_.list()) {
    const Dtype type = dtype_of(parameter);
    switch (parameter.use) {
      case UserParameters::Use::scalar:
        text += fmt::format(", {} {}", compute_name(type), parameter.name);
        break;
      case UserParameters::Use::element:
        text += fmt::format(", const {} {}", compute_name(type), parameter.element);
        break;
      case UserParameters::Use::result:
        text += fmt::format(", {}* rtcg_result{}", compute_name(type), result++);
        break;
      case UserParameters::Use::pointer:
        text += fmt::format(", global {}{}* {}", parameter.is_const ? "const " : "",
                            storage_name(pointers_[pointer++].dtype()), parameter.name);
        break;
    }
  }
  return text;
}

std::string UserCall::function_arguments(std::span<const std::string> values,
                                         std::span<const std::string> results) const {
  std::string text;
  std::size_t root = 0, pointer = 0, result = 0;
  for (const auto& parameter : parameters_.list()) switch (parameter.use) {
      case UserParameters::Use::scalar:
      case UserParameters::Use::element:
        text += fmt::format(", {}", values[root++]);
        break;
      case UserParameters::Use::result:
        text += fmt::format(", {}", results[result++]);
        root += parameter.is_read;
        break;
      case UserParameters::Use::pointer:
        text += fmt::format(", pointer{}_ + start{}_", pointer, pointer);
        ++pointer;
        break;
    }
  return text;
}

}  // namespace rtcg
