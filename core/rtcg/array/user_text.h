// C text that users give for kernels generated round it (Elementwise, Reduction ...): parameters are read, element
// accesses `x[i]` become names of the same length so that the compiler's columns stay true, and its errors are shown in
// the text as the user wrote it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rtcg/array/dtype.h"
#include "rtcg/compile/compiler.h"

namespace rtcg {

/// A parameter as the user declares it: "const T* x".
struct UserParameter {
  std::string declaration, type, name;
  Dtype dtype = Dtype::unknown;  ///< unknown where `type` is a name that a call binds, such as T
  bool is_pointer = false, is_const = false;
};

/// UsageError with line and caret for what is no list of scalars and pointers, for `i` and `n`, which generated kernels
/// define, and for a name that stands twice. `label` names the text in messages.
std::vector<UserParameter> user_parameters(const std::string& label, const std::string& text);

/// The dtype of a scalar type's name in kernel texts ("float", "unsigned int", "cfloat_t"); unknown for another name.
Dtype user_dtype(std::string_view type);

/// A text with its name; `code` has its comments blanked and element accesses renamed, and the same columns.
struct UserPiece {
  std::string label, text, code;

  /// UsageError for an empty text, for brackets that do not pair, and for variables `i` and `n` of its own.
  UserPiece(std::string label, std::string text);
  /// Of the variable's first occurrence, npos if there is none.
  std::size_t position_of(std::string_view name) const;
  bool mentions(std::string_view name) const { return position_of(name) != std::string::npos; }
  /// Whether `name` occurs otherwise than as `name[i]`: then it has to stay a pointer.
  bool uses_as_pointer(std::string_view name) const;
  /// Whether the first thing done with `name[i]` is to assign to it, on every path: its old value does not matter.
  bool assigns_first(std::string_view name) const;
  /// `name[i]` becomes `replacement`, of at most as many letters as name has and three.
  void rename_elements(std::string_view name, std::string_view replacement);
  /// The code between #line directives, so that errors point into it; `after` closes it on its last line.
  std::string emitted(std::string_view after = "") const;
};

/// What stands for x[i] in all the pieces: a name as long as "x[i]" that none of them has.
std::string element_name(std::string_view pointer, std::span<const UserPiece> pieces);

/// Four bytes that stand for these texts wherever they occur in the process.
std::string definition_key(std::span<const std::string> texts);

/// UsageError that shows the line of `text` with a caret under position `at`.
[[noreturn]] void throw_user_error(const std::string& label, std::string_view text, std::size_t at,
                                   const std::string& message);

/// compile(); a CompileError shows the users' texts as they were written.
Module compile_user_text(const Device& device, const Source& source, std::span<const UserPiece> pieces,
                         const std::map<std::string, std::string>& elements);

}  // namespace rtcg
