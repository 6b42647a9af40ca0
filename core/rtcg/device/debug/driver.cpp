#include "rtcg/device/debug/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "rtcg/device/debug/fault_report.h"
#include "rtcg/error.h"

namespace rtcg::debug {

namespace {

/// One operation at a time over all debug devices: which memory may be touched, and by whom, is then never in doubt.
std::mutex& operations() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

DeviceProperties guarded(DeviceProperties properties, const std::string& id) {
  properties.id = id;
  properties.name += " (guarded)";
  return properties;
}

}  // namespace

/// Opens blocks for as long as an operation needs them.
class DebugDriver::Opened {
 public:
  Opened() = default;
  explicit Opened(Block& block) { add(block); }
  ~Opened() {
    for (Block* block : blocks_) {
      --block->uses;
      settle(*block);
    }
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  void add(Block& block) {
    blocks_.push_back(&block);
    ++block.uses;
    settle(block);
  }
  const std::vector<Block*>& blocks() const { return blocks_; }

 private:
  std::vector<Block*> blocks_;
};

DebugDriver::DebugDriver(const opencl::OpenClDriver& original, const std::string& id)
    : OpenClDriver(guarded(original.properties(), id), original.platform(), original.device()) {
  install_fault_report();
}

DebugDriver::~DebugDriver() {
  drop_pool();
}

void DebugDriver::settle(Block& block) {
  using Protection = GuardedMemory::Protection;
  block.memory.protect(block.uses != 0 || block.writing != 0 ? Protection::open
                       : block.reading != 0                  ? Protection::readable
                                                             : Protection::closed);
}

std::string DebugDriver::describe(const Block& block) const {
  return fmt::format("buffer {} ({} bytes)", block.memory.number(), block.memory.bytes());
}

DebugDriver::View& DebugDriver::find(Handle memory, const char* action) {
  const auto found = views_.find(memory);
  if (found == views_.end()) {
    throw DeviceError(fmt::format("{}: {}: the handle is of no live buffer of this device", properties().id, action));
  }
  return found->second;
}

DebugDriver::View& DebugDriver::find(Handle memory, const char* action, std::size_t offset, std::size_t bytes) {
  View& view = find(memory, action);
  if (offset > view.bytes || bytes > view.bytes - offset) {
    throw DeviceError(fmt::format("{}: {}: {} bytes at offset {} do not fit into {} bytes of {}", properties().id,
                                  action, bytes, offset, view.bytes, describe(*view.block)));
  }
  return view;
}

void DebugDriver::check_written(const View& view, const char* action) const {
  if (view.block->written) return;
  throw DeviceError(
      fmt::format("{}: {}: nothing was ever written to {}", properties().id, action, describe(*view.block)));
}

Handle DebugDriver::allocate(std::size_t bytes, MemoryKind) {
  bytes = std::max<std::size_t>(bytes, 1);
  reserve(bytes, "buffer");
  const std::lock_guard lock(operations());
  try {
    auto block = std::make_shared<Block>(bytes);
    const Opened opened(*block);
    cl_int status = CL_SUCCESS;
    const cl_mem memory =
        clCreateBuffer(context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, block->memory.data(), &status);
    check(status, "clCreateBuffer");
    views_.emplace(opencl::to_handle(memory), View{block, 0, bytes});
    return opencl::to_handle(memory);
  } catch (...) {
    unreserve(bytes);
    throw;
  }
}

void DebugDriver::release(Handle memory, MemoryKind kind) noexcept {
  const std::lock_guard lock(operations());
  const auto found = views_.find(memory);
  if (found == views_.end()) return;
  const View view = std::move(found->second);  // the pages go after the cl_mem that points at them
  views_.erase(found);
  OpenClDriver::release(memory, kind);
}

Handle DebugDriver::slice(Handle memory, std::size_t offset, std::size_t bytes) {
  const std::lock_guard lock(operations());
  const View& whole = find(memory, "slice", offset, bytes);
  View part{whole.block, whole.offset + offset, bytes};
  const Handle handle = OpenClDriver::slice(memory, offset, bytes);
  views_.emplace(handle, std::move(part));
  return handle;
}

void DebugDriver::release_slice(Handle slice) noexcept {
  const std::lock_guard lock(operations());
  views_.erase(slice);
  OpenClDriver::release_slice(slice);
}

void DebugDriver::copy_in(Handle stream, Handle target, std::size_t offset, const void* source, std::size_t bytes,
                          bool) {
  if (bytes == 0) return;
  synchronize(stream);
  const std::lock_guard lock(operations());
  View& view = find(target, "copy to the device", offset, bytes);
  const Opened opened(*view.block);
  std::memcpy(view.data() + offset, source, bytes);
  view.block->written = true;
}

void DebugDriver::copy_out(Handle stream, void* target, Handle source, std::size_t offset, std::size_t bytes, bool) {
  if (bytes == 0) return;
  synchronize(stream);
  const std::lock_guard lock(operations());
  View& view = find(source, "copy to the host", offset, bytes);
  check_written(view, "copy to the host");
  const Opened opened(*view.block);
  std::memcpy(target, view.data() + offset, bytes);
}

void DebugDriver::copy(Handle stream, Handle target, std::size_t target_offset, Handle source,
                       std::size_t source_offset, std::size_t bytes) {
  if (bytes == 0) return;
  synchronize(stream);
  const std::lock_guard lock(operations());
  View& from = find(source, "copy", source_offset, bytes);
  View& to = find(target, "copy", target_offset, bytes);
  check_written(from, "copy");
  Opened opened(*from.block);
  opened.add(*to.block);
  std::memmove(to.data() + target_offset, from.data() + source_offset, bytes);
  to.block->written = true;
}

void DebugDriver::fill(Handle stream, Handle target, std::size_t offset, std::size_t bytes, const void* pattern,
                       std::size_t pattern_bytes) {
  if (bytes == 0) return;
  synchronize(stream);
  const std::lock_guard lock(operations());
  View& view = find(target, "fill", offset, bytes);
  const Opened opened(*view.block);
  for (std::size_t i = 0; i < bytes; i += pattern_bytes) std::memcpy(view.data() + offset + i, pattern, pattern_bytes);
  view.block->written = true;
}

void* DebugDriver::map(Handle stream, Handle memory, std::size_t offset, std::size_t bytes, Access access) {
  synchronize(stream);
  const std::lock_guard lock(operations());
  View& view = find(memory, "map", offset, bytes);
  Block& block = *view.block;
  if (access == Access::read) {
    check_written(view, "map for reading");
    ++block.reading;
  } else {
    block.written = true;
    ++block.writing;
  }
  settle(block);
  mappings_[view.data() + offset].push_back(access);
  return view.data() + offset;
}

void DebugDriver::unmap(Handle, Handle memory, void* address) {
  const std::lock_guard lock(operations());
  Block& block = *find(memory, "unmap").block;
  const auto found = mappings_.find(address);
  if (found == mappings_.end()) throw DeviceError(fmt::format("{}: unmap: the address is not mapped", properties().id));
  --(found->second.back() == Access::read ? block.reading : block.writing);
  found->second.pop_back();
  if (found->second.empty()) mappings_.erase(found);
  settle(block);
}

Handle DebugDriver::create_texture(const TextureDescription& description) {
  const Handle texture = OpenClDriver::create_texture(description);
  const std::lock_guard lock(operations());
  texture_written_[texture] = false;
  return texture;
}

void DebugDriver::release_texture(Handle texture) noexcept {
  const std::lock_guard lock(operations());
  texture_written_.erase(texture);
  OpenClDriver::release_texture(texture);
}

void DebugDriver::write_texture(Handle stream, Handle texture, const void* source) {
  OpenClDriver::write_texture(stream, texture, source);
  const std::lock_guard lock(operations());
  texture_written_[texture] = true;
}

Handle DebugDriver::kernel(Handle program, const std::string& name) {
  const Handle handle = OpenClDriver::kernel(program, name);
  KernelInfo info{name, {}};
  for (ParameterInfo& parameter : parameters(handle)) {
    cl_kernel_arg_type_qualifier qualifiers = 0;
    const auto index = static_cast<cl_uint>(info.parameters.size());
    // Without the information no parameter counts as const: nothing is refused that might be right.
    if (clGetKernelArgInfo(opencl::to_kernel(handle), index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers,
                           &qualifiers, nullptr) != CL_SUCCESS) {
      qualifiers = 0;
    }
    info.parameters.push_back({std::move(parameter.name), (qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0});
  }
  const std::lock_guard lock(operations());
  kernels_[handle] = std::move(info);
  return handle;
}

void DebugDriver::release_kernel(Handle kernel) noexcept {
  {
    const std::lock_guard lock(operations());
    kernels_.erase(kernel);
  }
  OpenClDriver::release_kernel(kernel);
}

void DebugDriver::check_arguments(const KernelInfo& kernel, std::span<const Argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type.space == ArgumentSpace::value) continue;
    const Handle handle = *static_cast<const Handle*>(arguments[i].data);
    const Parameter* parameter = i < kernel.parameters.size() ? &kernel.parameters[i] : nullptr;
    const std::string where = fmt::format("kernel {}, parameter '{}'", kernel.name,
                                          parameter != nullptr ? parameter->name : std::to_string(i + 1));
    if (arguments[i].type.space == ArgumentSpace::texture) {
      const auto found = texture_written_.find(handle);
      if (found != texture_written_.end() && !found->second) {
        throw DeviceError(fmt::format("{}: {}: nothing was ever written to the texture", properties().id, where));
      }
      continue;
    }
    const View& view = find(handle, where.c_str());
    if (view.block->reading != 0 || view.block->writing != 0) {
      throw DeviceError(fmt::format("{}: {}: {} is mapped by the host", properties().id, where, describe(*view.block)));
    }
    if (parameter != nullptr && parameter->is_const) check_written(view, where.c_str());
  }
}

void DebugDriver::launch(Handle stream, Handle kernel, const Grid& grid, std::span<const Argument> arguments) {
  const std::lock_guard lock(operations());
  const auto found = kernels_.find(kernel);
  if (found == kernels_.end()) throw DeviceError(fmt::format("{}: launch: no such kernel", properties().id));
  const KernelInfo& info = found->second;
  check_arguments(info, arguments);
  synchronize(stream);

  Opened opened;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type.space != ArgumentSpace::buffer) continue;
    Block& block = *find(*static_cast<const Handle*>(arguments[i].data), "launch").block;
    opened.add(block);
    if (i >= info.parameters.size() || !info.parameters[i].is_const) block.written = true;
  }
  {
    const RunningKernel running(info.name.c_str());
    OpenClDriver::launch(stream, kernel, grid, arguments);
    synchronize(stream);
  }
  for (const Block* block : opened.blocks()) {
    if (!block->memory.is_padding_intact()) {
      throw DeviceError(
          fmt::format("{}: kernel {} wrote beyond the ends of {}", properties().id, info.name, describe(*block)));
    }
  }
}

}  // namespace rtcg::debug
