// Kernel launch arguments with their types erased. One non-template launch takes an array of these; what a value is
// remembered as an ArgumentType, small enough that a launch can compare all of them with the last checked launch.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace rtcg {

/// Opaque handle of a back end: CUdeviceptr, cl_mem, CUstream, cl_command_queue ... 0 is none.
using Handle = std::uintptr_t;

enum class ScalarType : std::uint8_t {
  unknown,
  boolean,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,
  f32,
  f64,
  c64,
  c128
};

/// Name as kernel texts spell it ("float", "uint", "cfloat_t"), "?" for unknown.
const char* name_of(ScalarType type);
/// Bytes of one element, 0 for unknown.
std::size_t size_of(ScalarType type);

template <class T>
constexpr ScalarType scalar_type() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>)
    return ScalarType::boolean;
  else if constexpr (std::is_same_v<U, float>)
    return ScalarType::f32;
  else if constexpr (std::is_same_v<U, double>)
    return ScalarType::f64;
  else if constexpr (std::is_same_v<U, std::complex<float>>)
    return ScalarType::c64;
  else if constexpr (std::is_same_v<U, std::complex<double>>)
    return ScalarType::c128;
  else if constexpr (std::is_integral_v<U>) {
    constexpr bool is_signed = std::is_signed_v<U>;
    if constexpr (sizeof(U) == 1)
      return is_signed ? ScalarType::i8 : ScalarType::u8;
    else if constexpr (sizeof(U) == 2)
      return is_signed ? ScalarType::i16 : ScalarType::u16;
    else if constexpr (sizeof(U) == 4)
      return is_signed ? ScalarType::i32 : ScalarType::u32;
    else
      return is_signed ? ScalarType::i64 : ScalarType::u64;
  } else
    return ScalarType::unknown;
}

enum class ArgumentSpace : std::uint8_t { value, buffer, texture };

/// What is checked before a launch. Four bytes, compared as one word.
struct ArgumentType {
  ScalarType scalar = ScalarType::unknown;  ///< unknown passes any check of the element type
  std::uint8_t lanes = 1;                   ///< vector width of the element; structs: 0
  ArgumentSpace space = ArgumentSpace::value;
  std::uint8_t bytes = 0;  ///< size of a value; 0 for buffers and textures
  friend bool operator==(const ArgumentType&, const ArgumentType&) = default;
};

/// A value (at most 255 bytes, copied by the driver during the launch call) or a handle.
struct Argument {
  const void* data = nullptr;  ///< the value, or the address of a Handle
  ArgumentType type;
};

/// Extent of a launch: whole work-groups only, so the two back ends agree. Kernels test their own range.
/// `of` and `over` throw UsageError for 0 and for what passes 32 bits.
struct Grid {
  std::uint32_t groups[3] = {1, 1, 1};
  std::uint32_t local[3] = {1, 1, 1};
  std::uint32_t dynamic_local_bytes = 0;  ///< CUDA texts only: bytes of `extern __shared__` memory

  static Grid of(std::size_t groups_x, std::size_t local_x) { return of(groups_x, 1, 1, local_x, 1, 1); }
  static Grid of(std::size_t gx, std::size_t gy, std::size_t gz, std::size_t lx, std::size_t ly, std::size_t lz) {
    Grid grid;
    grid.groups[0] = extent(gx), grid.groups[1] = extent(gy), grid.groups[2] = extent(gz);
    grid.local[0] = extent(lx), grid.local[1] = extent(ly), grid.local[2] = extent(lz);
    return grid;
  }
  /// Enough groups of `local` items to cover n items (at least one group).
  static Grid over(std::size_t n, std::size_t local = 256) {
    return of(n == 0 ? 1 : (n - 1) / extent(local) + 1, local);
  }

 private:
  static std::uint32_t extent(std::size_t count) {
    if (count - 1 >= UINT32_MAX) [[unlikely]]
      throw_extent(count);
    return static_cast<std::uint32_t>(count);
  }
  [[noreturn]] static void throw_extent(std::size_t count);
};

}  // namespace rtcg
