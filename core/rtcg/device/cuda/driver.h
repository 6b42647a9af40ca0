// The Driver of one CUDA device. Its context is the device's primary one, shared with the CUDA runtime and libraries
// built on it, and is opened by the first call that needs it. Handles: memory and slices are CUdeviceptr, streams
// CUstream, events CUevent, textures CUtexObject, kernels CUfunction; a program is a Program of this directory.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

#include "rtcg/device/cuda/library.h"
#include "rtcg/device/driver.h"

namespace rtcg::cuda {

class CudaDriver final : public Driver {
 public:
  CudaDriver(std::shared_ptr<const Api> api, CUdevice device, DeviceProperties properties);
  ~CudaDriver() override;

  Handle allocate(std::size_t bytes, MemoryKind kind) override;
  void release(Handle memory, MemoryKind kind) noexcept override;
  Handle slice(Handle memory, std::size_t offset, std::size_t bytes) override;
  void release_slice(Handle slice) noexcept override;
  void* allocate_host(std::size_t bytes) override;
  void release_host(void* memory) noexcept override;
  std::size_t free_memory() override;
  void copy_in(Handle stream, Handle target, std::size_t offset, const void* source, std::size_t bytes,
               bool blocking) override;
  void copy_out(Handle stream, void* target, Handle source, std::size_t offset, std::size_t bytes,
                bool blocking) override;
  void copy(Handle stream, Handle target, std::size_t target_offset, Handle source, std::size_t source_offset,
            std::size_t bytes) override;
  void fill(Handle stream, Handle target, std::size_t offset, std::size_t bytes, const void* pattern,
            std::size_t pattern_bytes) override;
  void* map(Handle stream, Handle memory, std::size_t offset, std::size_t bytes, Access access) override;
  void unmap(Handle stream, Handle memory, void* address) override;

  Handle create_texture(const TextureDescription& description) override;
  void release_texture(Handle texture) noexcept override;
  void write_texture(Handle stream, Handle texture, const void* source) override;

  Handle create_stream() override;
  void release_stream(Handle stream) noexcept override;
  void synchronize(Handle stream) override;
  void flush(Handle stream) override;
  Handle record_event(Handle stream) override;
  void release_event(Handle event) noexcept override;
  void wait_event(Handle stream, Handle event) override;
  void synchronize_event(Handle event) override;
  bool is_complete(Handle event) override;
  double seconds_between(Handle earlier, Handle later) override;

  std::string compiler_identity() override;
  ProgramBuild build(const CompileRequest& request) override;
  Handle load(std::span<const std::byte> binary) override;
  std::vector<std::byte> binary(Handle program) override;
  void release_program(Handle program) noexcept override;
  std::vector<std::string> kernel_names(Handle program) override;
  Handle kernel(Handle program, const std::string& name) override;
  void release_kernel(Handle kernel) noexcept override;
  KernelResources resources(Handle kernel) override;
  std::vector<ParameterInfo> parameters(Handle kernel) override;
  void launch(Handle stream, Handle kernel, const Grid& grid, std::span<const Argument> arguments) override;

 private:
  struct HostMemory {
    void* address = nullptr;
    std::size_t bytes = 0;
  };
  struct TextureMemory {
    CUarray array = nullptr;
    TextureDescription description;
  };

  /// Opens the context if need be and makes it the calling thread's.
  void enter();
  bool try_enter() noexcept;  ///< false where there is no context, and so nothing to release
  CUcontext open_context();
  void check(CUresult result, const char* call) const {
    if (result != CUDA_SUCCESS) [[unlikely]]
      fail(result, call);
  }
  [[noreturn]] void fail(CUresult result, std::string_view call) const;
  std::string where() const;  ///< "cuda:0 (NVIDIA H200)"
  std::string name_of_kernel(CUfunction function) const;
  [[noreturn]] void fail_launch(CUresult result, CUfunction function, const Grid& grid) const;
  void allow_dynamic_memory(CUfunction function, std::size_t bytes);

  std::shared_ptr<const Api> api_;
  CUdevice device_;
  std::atomic<CUcontext> context_ = nullptr;

  std::mutex mutex_;                     ///< of opening the context and of what follows
  std::map<Handle, HostMemory> mapped_;  ///< mapped memory by its device address
  std::unordered_map<Handle, TextureMemory> textures_;
  std::set<CUfunction> large_kernels_;  ///< allowed more dynamic memory than the default
};

}  // namespace rtcg::cuda
