// Element types of arrays and NumPy's rules for combining them. A Dtype is the ScalarType of the kernel launch layer;
// `boolean` is stored as one byte 0 or 1, `f16` is stored as a half and computed in float.
#pragma once

#include <complex>
#include <string>
#include <string_view>

#include "rtcg/device/argument.h"

namespace rtcg {

using Dtype = ScalarType;

/// C++ types with a Dtype. (Not written with `!=` of Dtypes: an Expression, being made from these, has one, too.)
template <class T>
concept ScalarValue = static_cast<int>(scalar_type<T>()) != 0;

/// Ordered: a value of a later kind is not represented by an earlier one.
enum class DtypeKind : std::uint8_t { boolean, unsigned_integer, signed_integer, real, complex };

DtypeKind kind_of(Dtype type);
inline bool is_complex(Dtype type) {
  return kind_of(type) == DtypeKind::complex;
}
inline bool is_real(Dtype type) {
  return kind_of(type) == DtypeKind::real;
}
inline bool is_integer(Dtype type) {
  return kind_of(type) == DtypeKind::unsigned_integer || kind_of(type) == DtypeKind::signed_integer;
}

/// "float32", "uint8", "bool", "complex64": NumPy's names.
const char* dtype_name(Dtype type);
/// By NumPy's name or its short form ("f4", "<f4", "float32"). UsageError listing the names there are.
Dtype dtype_named(std::string_view name);

/// How kernel texts spell one element in memory ("uchar" for boolean, "half" for f16) ...
const char* storage_name(Dtype type);
/// ... and in a register ("uchar" for boolean, "float" for f16).
const char* compute_name(Dtype type);

/// numpy.promote_types: the smallest type to which both convert without losing their kind and, where there is one,
/// their range (int8 with uint8 is int16, int64 with uint64 is float64, int32 with float32 is float64).
Dtype promote(Dtype a, Dtype b);
/// A C++ scalar of kind `scalar` beside an array: the array's type unless its kind is too small for the scalar
/// (NEP 50). A real scalar with an integer array gives float64, a complex one complex128 or complex64.
Dtype promote_weak(Dtype array, DtypeKind scalar);
/// Result of a function on the reals (sqrt, sin ...): real and complex types stay, bool and integers up to 16 bits give
/// float32, wider ones float64. (NumPy gives float16 for 8 bits.)
Dtype floating(Dtype type);
/// The type of |z|, real(z): complex64 gives float32, complex128 float64; others stay.
Dtype real_of(Dtype type);
/// The complex type whose parts have this type: float64, and integers over 16 bits, give complex128.
Dtype complex_of(Dtype type);

/// One value of any dtype, as a kernel argument is passed.
class Scalar {
 public:
  Scalar() = default;
  /// Bool, integer, real or std::complex.
  template <ScalarValue T>
  Scalar(T value) : type_(scalar_type<T>()) {
    std::memcpy(bytes_, &value, sizeof(T));
  }
  /// size_of(type) bytes of an element in memory.
  static Scalar from_bytes(Dtype type, const void* bytes) {
    Scalar scalar;
    scalar.type_ = type;
    std::memcpy(scalar.bytes_, bytes, size_of(type));
    return scalar;
  }
  Dtype dtype() const { return type_; }
  const void* data() const { return bytes_; }
  /// Converted as C converts; complex to real drops the imaginary part, real to integer saturates, NaN gives 0.
  Scalar as(Dtype type) const;
  std::complex<double> to_complex() const;
  double to_double() const { return to_complex().real(); }

 private:
  Dtype type_ = Dtype::unknown;
  alignas(16) std::byte bytes_[16] = {};
};

}  // namespace rtcg
