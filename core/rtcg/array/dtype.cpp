#include "rtcg/array/dtype.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "rtcg/error.h"

namespace rtcg {

namespace {

struct DtypeInfo {
  const char *name, *code;
  DtypeKind kind;
  const char *storage, *compute;
};

// In the order of ScalarType.
constexpr DtypeInfo infos[] = {
    {"unknown", "?", DtypeKind::boolean, "?", "?"},
    {"bool", "b1", DtypeKind::boolean, "uchar", "uchar"},
    {"int8", "i1", DtypeKind::signed_integer, "char", "char"},
    {"uint8", "u1", DtypeKind::unsigned_integer, "uchar", "uchar"},
    {"int16", "i2", DtypeKind::signed_integer, "short", "short"},
    {"uint16", "u2", DtypeKind::unsigned_integer, "ushort", "ushort"},
    {"int32", "i4", DtypeKind::signed_integer, "int", "int"},
    {"uint32", "u4", DtypeKind::unsigned_integer, "uint", "uint"},
    {"int64", "i8", DtypeKind::signed_integer, "long", "long"},
    {"uint64", "u8", DtypeKind::unsigned_integer, "ulong", "ulong"},
    {"float16", "f2", DtypeKind::real, "half", "float"},
    {"float32", "f4", DtypeKind::real, "float", "float"},
    {"float64", "f8", DtypeKind::real, "double", "double"},
    {"complex64", "c8", DtypeKind::complex, "cfloat_t", "cfloat_t"},
    {"complex128", "c16", DtypeKind::complex, "cdouble_t", "cdouble_t"},
};
constexpr int count = static_cast<int>(std::size(infos));

const DtypeInfo& info_of(Dtype type) {
  return infos[static_cast<std::size_t>(type)];
}

Dtype signed_of_bytes(std::size_t bytes) {
  return bytes == 1 ? Dtype::i8 : bytes == 2 ? Dtype::i16 : bytes == 4 ? Dtype::i32 : Dtype::i64;
}

/// The smallest real type that holds all values of a boolean or an integer, and float64 for 64 bits.
Dtype real_holding(Dtype type) {
  if (kind_of(type) == DtypeKind::boolean || size_of(type) == 1) return Dtype::f16;
  return size_of(type) == 2 ? Dtype::f32 : Dtype::f64;
}

Dtype larger(Dtype a, Dtype b) {
  return size_of(a) >= size_of(b) ? a : b;
}

Dtype promote_ordered(Dtype a, Dtype b) {  // kind_of(a) <= kind_of(b)
  const DtypeKind low = kind_of(a), high = kind_of(b);
  if (low == high) return larger(a, b);
  if (low == DtypeKind::boolean) return b;
  if (high == DtypeKind::signed_integer) {  // unsigned with signed
    if (size_of(b) > size_of(a)) return b;
    return size_of(a) == 8 ? Dtype::f64 : signed_of_bytes(2 * size_of(a));
  }
  const Dtype real = low == DtypeKind::real ? a : real_holding(a);
  if (high == DtypeKind::real) return larger(real, b);
  return real == Dtype::f64 ? Dtype::c128 : b;
}

template <class T>
T saturated(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

std::uint16_t half_bits(float value) {
  const _Float16 half = static_cast<_Float16>(value);
  std::uint16_t bits;
  std::memcpy(&bits, &half, 2);
  return bits;
}

template <class T>
T load(const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

}  // namespace

DtypeKind kind_of(Dtype type) {
  return info_of(type).kind;
}
const char* dtype_name(Dtype type) {
  return info_of(type).name;
}
const char* storage_name(Dtype type) {
  return info_of(type).storage;
}
const char* compute_name(Dtype type) {
  return info_of(type).compute;
}

Dtype dtype_named(std::string_view name) {
  std::string_view code = name;
  if (!code.empty() && (code[0] == '<' || code[0] == '|' || code[0] == '=')) code.remove_prefix(1);
  std::string names;
  for (int k = 1; k < count; ++k) {
    if (name == infos[k].name || code == infos[k].code) return static_cast<Dtype>(k);
    names += fmt::format("{}{}", k > 1 ? ", " : "", infos[k].name);
  }
  throw UsageError(fmt::format("\"{}\" is no element type; there are {}", name, names));
}

Dtype promote(Dtype a, Dtype b) {
  return kind_of(a) <= kind_of(b) ? promote_ordered(a, b) : promote_ordered(b, a);
}

Dtype promote_weak(Dtype array, DtypeKind scalar) {
  const DtypeKind kind = kind_of(array);
  if (kind >= scalar) return array;
  switch (scalar) {
    case DtypeKind::complex:
      return kind == DtypeKind::real ? complex_of(array) : Dtype::c128;
    case DtypeKind::real:
      return Dtype::f64;
    case DtypeKind::unsigned_integer:
    case DtypeKind::signed_integer:
      return kind == DtypeKind::boolean ? Dtype::i64 : array;  // an unsigned array keeps its type
    case DtypeKind::boolean:
      break;
  }
  return array;
}

Dtype floating(Dtype type) {
  if (kind_of(type) >= DtypeKind::real) return type;
  return size_of(type) <= 2 ? Dtype::f32 : Dtype::f64;
}

Dtype real_of(Dtype type) {
  return type == Dtype::c64 ? Dtype::f32 : type == Dtype::c128 ? Dtype::f64 : type;
}

Dtype complex_of(Dtype type) {
  if (is_complex(type)) return type;
  const Dtype real = floating(type);
  return real == Dtype::f64 ? Dtype::c128 : Dtype::c64;
}

std::complex<double> Scalar::to_complex() const {
  switch (type_) {
    case Dtype::boolean:
    case Dtype::u8:
      return static_cast<double>(load<std::uint8_t>(bytes_));
    case Dtype::i8:
      return static_cast<double>(load<std::int8_t>(bytes_));
    case Dtype::i16:
      return static_cast<double>(load<std::int16_t>(bytes_));
    case Dtype::u16:
      return static_cast<double>(load<std::uint16_t>(bytes_));
    case Dtype::i32:
      return static_cast<double>(load<std::int32_t>(bytes_));
    case Dtype::u32:
      return static_cast<double>(load<std::uint32_t>(bytes_));
    case Dtype::i64:
      return static_cast<double>(load<std::int64_t>(bytes_));
    case Dtype::u64:
      return static_cast<double>(load<std::uint64_t>(bytes_));
    case Dtype::f16:
      return static_cast<double>(load<_Float16>(bytes_));
    case Dtype::f32:
      return static_cast<double>(load<float>(bytes_));
    case Dtype::f64:
      return load<double>(bytes_);
    case Dtype::c64:
      return static_cast<std::complex<double>>(load<std::complex<float>>(bytes_));
    case Dtype::c128:
      return load<std::complex<double>>(bytes_);
    case Dtype::unknown:
      break;
  }
  throw UsageError("Scalar: it has no value; give it one before converting it");
}

Scalar Scalar::as(Dtype type) const {
  if (type == type_) return *this;
  Scalar result;
  result.type_ = type;
  const auto set = [&](auto value) { std::memcpy(result.bytes_, &value, sizeof value); };
  const bool exact = is_integer(type_) && is_integer(type);  // through 64 bits, so that large values stay whole
  if (exact) {
    std::uint64_t bits = 0;
    switch (type_) {
      case Dtype::i8:
        bits = static_cast<std::uint64_t>(load<std::int8_t>(bytes_));
        break;
      case Dtype::i16:
        bits = static_cast<std::uint64_t>(load<std::int16_t>(bytes_));
        break;
      case Dtype::i32:
        bits = static_cast<std::uint64_t>(load<std::int32_t>(bytes_));
        break;
      default:
        std::memcpy(&bits, bytes_, size_of(type_));  // unsigned, or 64 bits; little endian as every device here
    }
    std::memcpy(result.bytes_, &bits, size_of(type));
    return result;
  }
  const std::complex<double> z = to_complex();
  const double x = z.real();
  switch (type) {
    case Dtype::boolean:
      set(static_cast<std::uint8_t>(z != 0.0));
      break;
    case Dtype::i8:
      set(saturated<std::int8_t>(x));
      break;
    case Dtype::u8:
      set(saturated<std::uint8_t>(x));
      break;
    case Dtype::i16:
      set(saturated<std::int16_t>(x));
      break;
    case Dtype::u16:
      set(saturated<std::uint16_t>(x));
      break;
    case Dtype::i32:
      set(saturated<std::int32_t>(x));
      break;
    case Dtype::u32:
      set(saturated<std::uint32_t>(x));
      break;
    case Dtype::i64:
      set(saturated<std::int64_t>(x));
      break;
    case Dtype::u64:
      set(saturated<std::uint64_t>(x));
      break;
    case Dtype::f16:
      set(half_bits(static_cast<float>(x)));
      break;
    case Dtype::f32:
      set(static_cast<float>(x));
      break;
    case Dtype::f64:
      set(x);
      break;
    case Dtype::c64:
      set(static_cast<std::complex<float>>(z));
      break;
    case Dtype::c128:
      set(z);
      break;
    case Dtype::unknown:
      throw UsageError("Scalar: a value cannot be converted to a type without a name");
  }
  return result;
}

}  // namespace rtcg
