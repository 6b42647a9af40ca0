// A device that only describes itself: texts for a machine that is not here can be generated from it and checked by the
// compiler. Anything else throws.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rtcg/device/device.h"
#include "rtcg/device/driver.h"

namespace rtcg::test {

class DescribedDriver final : public Driver {
 public:
  explicit DescribedDriver(DeviceProperties properties) : Driver(std::move(properties)) {}

  Handle allocate(std::size_t, MemoryKind) override { return none(); }
  void release(Handle, MemoryKind) noexcept override {}
  Handle slice(Handle, std::size_t, std::size_t) override { return none(); }
  void release_slice(Handle) noexcept override {}
  void* allocate_host(std::size_t) override { return reinterpret_cast<void*>(none()); }
  void release_host(void*) noexcept override {}
  std::size_t free_memory() override { return none(); }
  void copy_in(Handle, Handle, std::size_t, const void*, std::size_t, bool) override { none(); }
  void copy_out(Handle, void*, Handle, std::size_t, std::size_t, bool) override { none(); }
  void copy(Handle, Handle, std::size_t, Handle, std::size_t, std::size_t) override { none(); }
  void fill(Handle, Handle, std::size_t, std::size_t, const void*, std::size_t) override { none(); }
  void* map(Handle, Handle, std::size_t, std::size_t, Access) override { return reinterpret_cast<void*>(none()); }
  void unmap(Handle, Handle, void*) override { none(); }
  Handle create_texture(const TextureDescription&) override { return none(); }
  void release_texture(Handle) noexcept override {}
  void write_texture(Handle, Handle, const void*) override { none(); }
  Handle create_stream() override { return none(); }
  void release_stream(Handle) noexcept override {}
  void synchronize(Handle) override { none(); }
  void flush(Handle) override { none(); }
  Handle record_event(Handle) override { return none(); }
  void release_event(Handle) noexcept override {}
  void wait_event(Handle, Handle) override { none(); }
  void synchronize_event(Handle) override { none(); }
  bool is_complete(Handle) override { return none() != 0; }
  double seconds_between(Handle, Handle) override { return static_cast<double>(none()); }
  std::string compiler_identity() override { return std::to_string(none()); }
  ProgramBuild build(const CompileRequest&) override { return {none(), ""}; }
  Handle load(std::span<const std::byte>) override { return none(); }
  std::vector<std::byte> binary(Handle) override { return std::vector<std::byte>(none()); }
  void release_program(Handle) noexcept override {}
  std::vector<std::string> kernel_names(Handle) override { return std::vector<std::string>(none()); }
  Handle kernel(Handle, const std::string&) override { return none(); }
  void release_kernel(Handle) noexcept override {}
  KernelResources resources(Handle) override { return {static_cast<int>(none())}; }
  std::vector<ParameterInfo> parameters(Handle) override { return std::vector<ParameterInfo>(none()); }
  void launch(Handle, Handle, const Grid&, std::span<const Argument>) override { none(); }

 private:
  static Handle none() { throw std::logic_error("a described device does nothing"); }
};

inline Device described_device(DeviceProperties properties) {
  return Device(std::make_shared<DescribedDriver>(std::move(properties)));
}

/// An NVIDIA GPU of this architecture, "sm_90".
inline Device described_cuda_device(const std::string& architecture) {
  DeviceProperties properties;
  properties.id = "described:" + architecture;
  properties.backend = Backend::cuda;
  properties.kind = DeviceKind::gpu;
  properties.architecture = architecture;
  properties.local_memory = 48 << 10;
  properties.constant_memory = 64 << 10;
  properties.compute_units = 108;
  properties.max_work_group = 1024;
  properties.max_work_items = {1024, 1024, 64};
  properties.simd_width = 32;
  properties.max_parameter_bytes = 32764;
  properties.has_double = properties.has_half = true;
  return described_device(std::move(properties));
}

}  // namespace rtcg::test
