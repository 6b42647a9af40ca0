// The one abstract interface over the two back ends: a few dozen calls on opaque handles. Everything above device/
// talks to Device, Stream, Buffer ... which call this. Always true of an implementation: calls may come from any
// thread; every failing call throws DeviceError naming the call, the device and the back end's own error; release_*
// calls never throw; work on one stream runs in the order of the calls.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rtcg/device/argument.h"
#include "rtcg/device/properties.h"

namespace rtcg {

class MemoryPool;

enum class MemoryKind : std::uint8_t {
  device,  ///< fastest for kernels; the host reaches it by copies
  mapped,  ///< host memory that kernels reach; the host reaches it by Buffer::map
};

enum class Access : std::uint8_t { read, write, read_write };

enum class TextureFormat : std::uint8_t { float32, unorm8 };  ///< unorm8: 0..255 read as 0..1
enum class TextureFilter : std::uint8_t { nearest, linear };
enum class TextureEdge : std::uint8_t { clamp, zero };

struct TextureDescription {
  std::size_t width = 1, height = 1, depth = 1;  ///< depth 1: two-dimensional
  unsigned channels = 1;                         ///< 1, 2 or 4
  TextureFormat format = TextureFormat::float32;
  TextureFilter filter = TextureFilter::nearest;
  TextureEdge edge = TextureEdge::clamp;
};

/// A text ready for a back end's compiler: the prelude comes first, then `#line 1 "name"`, then the user's text with
/// its headers put in, each between #line directives of its own.
struct CompileRequest {
  std::string name;
  std::string text;
  std::vector<std::string> options;
};

/// What a back end's compiler threw back; rtcg::compile turns it into a CompileError with source and caret.
struct BuildFailure {
  std::string log;
};

struct ProgramBuild {
  Handle program = 0;
  std::string log;  ///< warnings
};

/// Resources of one kernel; -1 where the back end does not say.
struct KernelResources {
  int registers = -1;      ///< per work-item
  int local_bytes = -1;    ///< static local (shared) memory per group
  int private_bytes = -1;  ///< per work-item; on CUDA: spills and stack ("local memory")
  int constant_bytes = -1;
  int max_work_group = -1;
  int preferred_multiple = -1;
};

/// One parameter as the back end reports it; empty where it reports none.
struct ParameterInfo {
  std::string type_name;  ///< "float*", "int"; empty when unknown
  std::string name;
  std::size_t bytes = 0;  ///< size as passed, 0 when unknown
};

class Driver {
 public:
  explicit Driver(DeviceProperties properties);
  virtual ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  const DeviceProperties& properties() const { return properties_; }
  MemoryPool& pool() { return *pool_; }

  /// False when every buffer must be an allocation of its exact size (the debug device guards its ends).
  virtual bool pools_memory() const { return true; }

  // Memory. Fresh contents are undefined.
  virtual Handle allocate(std::size_t bytes, MemoryKind kind) = 0;  ///< throws OutOfMemory
  virtual void release(Handle memory, MemoryKind kind) noexcept = 0;
  /// A handle to part of a buffer, usable wherever a buffer is; offset a multiple of base_alignment.
  virtual Handle slice(Handle memory, std::size_t offset, std::size_t bytes) = 0;
  virtual void release_slice(Handle slice) noexcept = 0;
  virtual void* allocate_host(std::size_t bytes) = 0;  ///< page-locked
  virtual void release_host(void* memory) noexcept = 0;
  virtual std::size_t free_memory() = 0;  ///< bytes free on the device now; the total where it cannot be told
  // A copy that does not block needs its host memory untouched (and page-locked to overlap) until the stream gets
  // there.
  virtual void copy_in(Handle stream, Handle target, std::size_t offset, const void* source, std::size_t bytes,
                       bool blocking) = 0;
  virtual void copy_out(Handle stream, void* target, Handle source, std::size_t offset, std::size_t bytes,
                        bool blocking) = 0;
  virtual void copy(Handle stream, Handle target, std::size_t target_offset, Handle source, std::size_t source_offset,
                    std::size_t bytes) = 0;
  /// pattern_bytes is 1, 2, 4, 8 or 16 and divides offset and bytes.
  virtual void fill(Handle stream, Handle target, std::size_t offset, std::size_t bytes, const void* pattern,
                    std::size_t pattern_bytes) = 0;
  /// Host address of mapped memory, valid until unmap; waits for the stream.
  virtual void* map(Handle stream, Handle memory, std::size_t offset, std::size_t bytes, Access access) = 0;
  virtual void unmap(Handle stream, Handle memory, void* address) = 0;

  // Textures.
  virtual Handle create_texture(const TextureDescription& description) = 0;
  virtual void release_texture(Handle texture) noexcept = 0;
  /// Whole texture, tightly packed, x fastest; blocks.
  virtual void write_texture(Handle stream, Handle texture, const void* source) = 0;

  // Streams and events.
  virtual Handle create_stream() = 0;
  virtual void release_stream(Handle stream) noexcept = 0;
  virtual void synchronize(Handle stream) = 0;
  virtual void flush(Handle stream) = 0;  ///< make sure that queued work starts
  virtual Handle record_event(Handle stream) = 0;
  virtual void release_event(Handle event) noexcept = 0;
  virtual void wait_event(Handle stream, Handle event) = 0;  ///< later work of the stream waits; the host does not
  virtual void synchronize_event(Handle event) = 0;
  virtual bool is_complete(Handle event) = 0;
  virtual double seconds_between(Handle earlier, Handle later) = 0;  ///< both complete

  // Programs.
  /// Everything about the compiler and its target that can change a binary; enters the cache key.
  virtual std::string compiler_identity() = 0;
  virtual ProgramBuild build(const CompileRequest& request) = 0;  ///< throws BuildFailure
  virtual Handle load(std::span<const std::byte> binary) = 0;     ///< cubin, PTX or OpenCL binary; throws DeviceError
  virtual std::vector<std::byte> binary(Handle program) = 0;
  virtual void release_program(Handle program) noexcept = 0;
  virtual std::vector<std::string> kernel_names(Handle program) = 0;   ///< empty where the back end cannot tell
  virtual Handle kernel(Handle program, const std::string& name) = 0;  ///< throws DeviceError when there is none
  virtual void release_kernel(Handle kernel) noexcept = 0;
  virtual KernelResources resources(Handle kernel) = 0;
  virtual std::vector<ParameterInfo> parameters(Handle kernel) = 0;
  virtual void launch(Handle stream, Handle kernel, const Grid& grid, std::span<const Argument> arguments) = 0;

 protected:
  /// To be called by the destructor of every implementation, while its calls still work.
  void drop_pool() noexcept;

 private:
  DeviceProperties properties_;
  std::unique_ptr<MemoryPool> pool_;
};

}  // namespace rtcg
