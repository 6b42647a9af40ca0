// What a device says of itself. Generators look only at this, never at a back end, so that a kernel for a machine that
// is not here can be written and compile-checked from a made-up DeviceProperties.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rtcg {

enum class Backend : std::uint8_t { cuda, opencl };

/// Decides the loop shape of generated kernels: many small items on a GPU, few long ones without barriers on a CPU.
enum class DeviceKind : std::uint8_t { gpu, cpu, other };

struct DeviceProperties {
  std::string id;  ///< "cuda:0", "opencl:1", "debug:0": unique on this machine, not stable across machines
  Backend backend = Backend::opencl;
  DeviceKind kind = DeviceKind::cpu;
  std::string name;  ///< "NVIDIA H200"
  std::string vendor;
  std::string platform;           ///< OpenCL platform name and version; "NVIDIA CUDA" for CUDA
  std::string driver;             ///< driver version as the back end prints it
  std::string architecture;       ///< "sm_90" for CUDA; for OpenCL the device name with, on a CPU, its instruction sets
  std::size_t global_memory = 0;  ///< bytes
  std::size_t largest_allocation = 0;  ///< bytes
  std::size_t local_memory = 0;        ///< bytes a work-group may use without asking for more
  std::size_t constant_memory = 0;     ///< bytes
  std::size_t cache = 0;               ///< bytes of the last-level (GPU: L2) cache, 0 when unknown
  unsigned compute_units = 1;
  unsigned clock_mhz = 0;
  unsigned max_work_group = 1;                         ///< items
  std::array<std::size_t, 3> max_work_items{1, 1, 1};  ///< per dimension of a work-group
  unsigned simd_width = 1;                             ///< warp or wavefront on a GPU, preferred float vector on a CPU
  std::size_t base_alignment = 1;                      ///< bytes to which a Buffer::slice must be aligned
  std::size_t max_parameter_bytes = 1024;
  bool has_double = false;
  bool has_half = false;  ///< half arithmetic; half storage (vload_half) is always there
  bool has_images = false;
  bool unified_memory = false;  ///< host and device share physical memory
};

}  // namespace rtcg
