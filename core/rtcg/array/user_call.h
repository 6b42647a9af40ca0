// Calls of kernels generated round users' C text: what the parameters are, how the texts use them, and the arguments of
// one call bound to them.
//
// A pointer that all texts use only as `x[i]` is an element: its array may have any strides and broadcasts with the
// others; the kernel loads it as fast as any operand. A pointer used otherwise (`x[i - 1]`, `table[k]`) stays a pointer
// to the array's first element; the array then has to be contiguous and takes no part in broadcasting.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "rtcg/array/expression.h"
#include "rtcg/array/loop_body.h"
#include "rtcg/array/user_text.h"

namespace rtcg {

/// An argument of a generated kernel: an Array, an Expression where the parameter is only read, or a scalar.
class UserArgument {
 public:
  UserArgument(const Array& array) : UserArgument(Expression(array)) {}  // NOLINT(google-explicit-constructor)
  UserArgument(const Expression& value) : node_(value.node()) {}         // NOLINT(google-explicit-constructor)
  template <class T>
  requires(scalar_type<T>() != ScalarType::unknown) UserArgument(T value)  // NOLINT(google-explicit-constructor)
      : scalar_(value) {}
  const NodePtr& node() const { return node_; }  ///< none for a scalar
  const Scalar& scalar() const { return scalar_; }

 private:
  NodePtr node_;
  Scalar scalar_;
};

class UserParameters {
 public:
  /// `pieces` are rewritten: element accesses get names of their own. `writes`: pointers without const are results.
  UserParameters(std::string name, const std::string& declarations, std::vector<UserPiece>& pieces, bool writes);

  static constexpr std::size_t most_types = 8, most_parameters = 16;

  enum class Use : std::uint8_t { scalar, element, result, pointer };
  struct Parameter : UserParameter {
    Use use = Use::scalar;
    bool is_read = true;       ///< of a result: false where its old value does not matter
    std::string element = {};  ///< what stands for x[i] in the texts
  };
  const std::string& name() const { return name_; }
  const std::vector<Parameter>& list() const { return list_; }
  /// Names of types that a call binds.
  const std::vector<std::string>& type_names() const { return type_names_; }
  /// Names in the texts to what the user wrote, for messages.
  std::map<std::string, std::string> elements() const;
  /// "typedef float T;" ... for these types of the names.
  std::string typedefs(std::span<const Dtype> types) const;
  /// The dtype of a type that the user names, "T" or "float"; UsageError that says which there are.
  Dtype type_of(const std::string& type, std::span<const Dtype> types) const;

 private:
  std::string name_;
  std::vector<Parameter> list_;
  std::vector<std::string> type_names_;
};

/// The arguments of one call, converted and checked: UsageError naming the parameter.
class UserCall {
 public:
  UserCall(const UserParameters& parameters, std::span<const UserArgument> arguments);

  /// Runs the phases below expressions and waits for other streams; `finish` lets those see what was written.
  void prepare();
  void finish() const;

  const Stream& stream() const { return *stream_; }
  const Shape& shape() const { return shape_; }
  std::span<const Dtype> types() const {
    return {types_.data(), parameters_.type_names().size()};
  }                                                          ///< of type_names()
  std::span<const NodePtr> roots() const { return roots_; }  ///< elements that are read, and scalars, in order
  std::span<const Array> results() const { return results_; }
  void append_key(std::string& key) const;  ///< what the roots do not say
  void append_pointers(ArgumentList& list) const;

  /// Of the kernel: parameters for the pointers; of the user's function: its parameters and the arguments for them.
  std::string pointer_parameters() const;
  std::string function_parameters() const;
  /// `values`: the body's results, one for each root; `results`: addresses of what the function writes.
  std::string function_arguments(std::span<const std::string> values, std::span<const std::string> results) const;

 private:
  void bind_types(std::span<const UserArgument> arguments);
  void bind_pointer(const UserParameters::Parameter& parameter, const UserArgument& argument, std::size_t number);
  Dtype dtype_of(const UserParameters::Parameter& parameter) const;

  const UserParameters& parameters_;
  std::optional<Stream> stream_;
  Shape shape_;
  std::array<Dtype, UserParameters::most_types> types_{};
  std::span<const UserArgument> arguments_;
  std::vector<NodePtr> roots_;
  std::vector<Array> results_, pointers_;
};

}  // namespace rtcg
