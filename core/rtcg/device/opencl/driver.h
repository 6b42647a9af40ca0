// OpenCL 1.2 and later behind the Driver interface. One context per device, opened by the first call that needs it;
// in-order queues with profiling; handles are the cl_* objects themselves.
#pragma once

#include <CL/cl.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>

#include "rtcg/device/driver.h"
#include "rtcg/device/opencl/library.h"

namespace rtcg::opencl {

class OpenClDriver : public Driver {
 public:
  OpenClDriver(DeviceProperties properties, cl_platform_id platform, cl_device_id device);
  ~OpenClDriver() override;

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

  cl_platform_id platform() const { return platform_; }
  cl_device_id device() const { return device_; }

 protected:
  cl_context context();
  void check(cl_int status, const char* call) const {
    if (status != CL_SUCCESS) [[unlikely]]
      fail(status, call, properties().id);
  }
  /// Counts bytes as taken, or throws OutOfMemory: drivers notice an overcommitted device only when a kernel runs.
  void reserve(std::size_t bytes, const char* what);
  void unreserve(std::size_t bytes) noexcept { allocated_ -= bytes; }

 private:
  std::size_t device_size(cl_device_info what) const;
  cl_command_queue make_queue();
  cl_command_queue service_queue();  ///< for host mappings, which belong to no stream
  [[noreturn]] void fail_launch(cl_int status, cl_kernel kernel, const Grid& grid) const;
  [[noreturn]] void fail_argument(cl_int status, cl_kernel kernel, std::size_t index, const Argument& argument) const;

  cl_platform_id platform_;
  cl_device_id device_;
  // PoCL 3.1 counts the uses of a kernel's machine code by (kernel, group size) alone, and reading back a binary adds
  // code of the same group size: a kernel that is running then, or starts, ends on the wrong count and aborts the
  // process. There a binary is read only while nothing runs.
  const bool binary_needs_quiet_;
  std::shared_mutex running_;  ///< shared by launches, held alone while a binary is read
  std::mutex queues_mutex_;
  std::set<cl_command_queue> queues_;
  std::once_flag opened_, service_made_;
  cl_context context_ = nullptr;
  cl_command_queue service_queue_ = nullptr;
  std::atomic<std::size_t> allocated_{0};

  std::mutex host_mutex_;
  std::map<void*, cl_mem> host_memory_;  ///< what backs each page-locked block

  std::mutex textures_mutex_;
  std::set<cl_mem> widened_textures_;  ///< of two channels, kept as four

  // Setting arguments and enqueueing must not interleave for one kernel. Locks are shared by a few kernels so that a
  // handle can be the bare cl_kernel.
  struct alignas(64) KernelLock {
    std::mutex mutex;
  };
  std::array<KernelLock, 64> kernel_locks_;
};

}  // namespace rtcg::opencl
