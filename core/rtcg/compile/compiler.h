// From Source to Module: resolve the includes, form the manifest, ask the caches, compile on a miss, load.
// What is hashed is what is compiled: the compiler is handed the texts of every include that was found.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "rtcg/compile/cache.h"
#include "rtcg/compile/diagnostics.h"
#include "rtcg/compile/kernel.h"
#include "rtcg/compile/source.h"

namespace rtcg {

/// Throws CompileError. The same Source on the same device gives the same Module without touching the disk.
Module compile(const Device& device, const Source& source);

/// Many variants at once on all cores; results in order. The first error is thrown when all are done.
std::vector<Module> compile_all(const Device& device, std::span<const Source> sources);

/// PTX, cubin or OpenCL binary from a file or memory, as the device's driver takes it.
Module load_module(const Device& device, std::span<const std::byte> binary, std::string name);

struct CompileReport {
  std::size_t binary_bytes = 0;
  std::vector<std::string> kernels;  ///< in the cubin, sorted
  std::string log;
  bool from_cache = false;
};
/// NVRTC only, no GPU needed: does the text compile for this architecture ("sm_90")? Throws CompileError if not,
/// DeviceError when there is no NVRTC. Cached like any other compilation.
///
/// The suite's hook: with RTCG_COMPILE_CHECK=sm_80,sm_90 every portable or CUDA Source given to compile() on any
/// device is checked this way first, so that running the tests on a CPU compile-checks every kernel they generate.
CompileReport check_cuda(const Source& source, const std::string& architecture);
/// Architectures NVRTC can target; empty without NVRTC.
std::vector<std::string> cuda_architectures();

/// The manifest compile() would use, for `rtcg cache why`.
Manifest manifest_for(const Device& device, const Source& source);

}  // namespace rtcg
