// A compiled program and its kernels. Launching checks argument count, type and space once per list of types and then
// only compares that list, so that the usual launch costs little more than the driver's own call.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rtcg/device/buffer.h"
#include "rtcg/device/texture.h"

namespace rtcg {

/// One parameter of a kernel as its text declares it.
struct Parameter {
  std::string name, declaration;
  ArgumentType type;
  bool is_const = false;
  bool is_known = true;  ///< false where the type hides behind a name not known here: any argument fits
};

struct Signature {
  std::string kernel;
  std::vector<Parameter> parameters;
};

class Kernel {
 public:
  static constexpr std::size_t most_arguments = 48;

  const std::string& name() const;
  const Signature* signature() const;  ///< nullptr when the text's own could not be read
  KernelResources resources() const;
  const Device& device() const;

  /// Arguments: arithmetic values, std::complex, trivially copyable structs, Buffer, Texture.
  /// Throws UsageError naming the parameter when they do not fit, DeviceError when the driver refuses.
  template <class... Arguments>
  void operator()(const Stream& stream, const Grid& grid, const Arguments&... arguments) const {
    static_assert(sizeof...(Arguments) <= most_arguments);
    const std::array<Argument, sizeof...(Arguments)> packed{pack(arguments)...};
    launch(stream, grid, packed);
  }
  void launch(const Stream& stream, const Grid& grid, std::span<const Argument> arguments) const;

  Handle native() const;  ///< CUfunction or cl_kernel

 private:
  friend class Module;
  struct State;
  explicit Kernel(std::shared_ptr<State> state) : state_(std::move(state)) {}

  template <class T>
  static Argument pack(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 255 && !std::is_pointer_v<T>,
                  "kernel arguments are values, Buffers and Textures; a host pointer means nothing to a device");
    return {&value,
            {scalar_type<T>(), static_cast<std::uint8_t>(scalar_type<T>() == ScalarType::unknown ? 0 : 1),
             ArgumentSpace::value, sizeof(T)}};
  }
  static Argument pack(const Buffer& buffer) {
    return {buffer.argument(), {buffer.element(), 1, ArgumentSpace::buffer, 0}};
  }
  static Argument pack(const Texture& texture) {
    return {texture.argument(), {ScalarType::unknown, 1, ArgumentSpace::texture, 0}};
  }

  std::shared_ptr<State> state_;
};

/// A compiled program; copies share it.
class Module {
 public:
  /// The same kernel for the same name. Throws UsageError listing the kernels there are.
  Kernel kernel(std::string_view name) const;
  std::vector<std::string> kernel_names() const;
  const Device& device() const;
  const std::string& log() const;  ///< the compiler's warnings
  bool from_cache() const;         ///< loaded, not compiled
  double build_seconds() const;    ///< compile or load
  std::vector<std::byte> binary() const;

  struct State;
  explicit Module(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

}  // namespace rtcg
