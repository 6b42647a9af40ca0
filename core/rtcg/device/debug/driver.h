// A CPU device that catches what a GPU would forgive or hide until later: the host touching device memory, a kernel
// touching memory that was not passed to it or stepping over a buffer's end, and kernels that read what nobody wrote.
// Buffers are accessible only while an operation that names them runs, so everything is synchronous and slow.
#pragma once

#include <memory>
#include <unordered_map>

#include "rtcg/device/debug/guarded_memory.h"
#include "rtcg/device/opencl/driver.h"

namespace rtcg::debug {

class DebugDriver : public opencl::OpenClDriver {
 public:
  /// Stands for the same device as `original`, an OpenCL CPU device.
  DebugDriver(const opencl::OpenClDriver& original, const std::string& id);
  ~DebugDriver() override;

  bool pools_memory() const override { return false; }
  Handle allocate(std::size_t bytes, MemoryKind kind) override;
  void release(Handle memory, MemoryKind kind) noexcept override;
  Handle slice(Handle memory, std::size_t offset, std::size_t bytes) override;
  void release_slice(Handle slice) noexcept override;
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

  Handle kernel(Handle program, const std::string& name) override;
  void release_kernel(Handle kernel) noexcept override;
  void launch(Handle stream, Handle kernel, const Grid& grid, std::span<const Argument> arguments) override;

 private:
  struct Block {
    explicit Block(std::size_t bytes) : memory(bytes) {}
    GuardedMemory memory;
    bool written = false;
    unsigned reading = 0, writing = 0;  ///< mappings alive
    unsigned uses = 0;                  ///< by the operation that runs
  };
  /// A buffer or a slice of one.
  struct View {
    std::shared_ptr<Block> block;
    std::size_t offset = 0, bytes = 0;
    std::byte* data() const { return block->memory.data() + offset; }
  };
  struct Parameter {
    std::string name;
    bool is_const = false;
  };
  struct KernelInfo {
    std::string name;
    std::vector<Parameter> parameters;
  };
  class Opened;

  View& find(Handle memory, const char* action);
  View& find(Handle memory, const char* action, std::size_t offset, std::size_t bytes);
  void check_written(const View& view, const char* action) const;
  void check_arguments(const KernelInfo& kernel, std::span<const Argument> arguments);
  static void settle(Block& block);
  std::string describe(const Block& block) const;

  std::unordered_map<Handle, View> views_;
  std::unordered_map<void*, std::vector<Access>> mappings_;  ///< alive, by their host address
  std::unordered_map<Handle, bool> texture_written_;
  std::unordered_map<Handle, KernelInfo> kernels_;
};

}  // namespace rtcg::debug
