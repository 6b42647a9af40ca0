#include "rtcg/device/buffer.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "rtcg/device/pool.h"

namespace rtcg {

// A whole block of the pool, a slice that keeps its root alive, or what another library owns.
struct Buffer::Block {
  Stream stream;
  MemoryPool::Block memory;
  std::shared_ptr<Block> root;
  std::shared_ptr<void> owner;
  Handle slice = 0;

  explicit Block(const Stream& stream_) : stream(stream_) {}
  ~Block() {
    Driver& driver = stream.device().driver();
    if (slice != 0) driver.release_slice(slice);
    if (owner) {
      try {
        stream.synchronize();
      } catch (const Error&) {  // the device is lost; the next call on the stream reports it
      }
      return;
    }
    if (memory.memory == 0) return;
    if (driver.pools_memory()) {
      driver.pool().give_back(memory);
    } else {
      driver.release(memory.memory, memory.kind);
    }
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
};

Buffer::Buffer(const Stream& stream, std::size_t bytes, MemoryKind kind, ScalarType element)
    : block_(std::make_shared<Block>(stream)), bytes_(bytes), element_(element) {
  Driver& driver = stream.device().driver();
  if (driver.pools_memory()) {
    block_->memory = driver.pool().acquire(stream.native(), bytes, kind);
  } else {
    block_->memory = {driver.allocate(bytes, kind), bytes, kind, stream.native()};
  }
  handle_ = block_->memory.memory;
}

Buffer Buffer::adopt(const Stream& stream, Handle memory, std::size_t bytes, std::shared_ptr<void> owner,
                     ScalarType element) {
  if (memory == 0 || !owner) throw UsageError("Buffer::adopt: memory and its owner are needed");
  Buffer buffer;
  buffer.block_ = std::make_shared<Block>(stream);
  buffer.block_->memory = {memory, bytes, MemoryKind::device, stream.native()};
  buffer.block_->owner = std::move(owner);
  buffer.handle_ = memory;
  buffer.bytes_ = bytes;
  buffer.element_ = element;
  return buffer;
}

std::size_t Buffer::checked_bytes(std::size_t count, std::size_t size) {
  if (count > std::numeric_limits<std::size_t>::max() / size) {
    throw UsageError(fmt::format("Buffer: {} elements of {} bytes are more than can be addressed", count, size));
  }
  return count * size;
}

void Buffer::check_range(const char* action, std::size_t offset, std::size_t bytes) const {
  if (!block_) throw UsageError(fmt::format("Buffer::{}: the buffer is empty (default constructed)", action));
  if (offset > bytes_ || bytes > bytes_ - offset) {
    throw UsageError(
        fmt::format("Buffer::{}: {} bytes at offset {} do not fit into {} bytes", action, bytes, offset, bytes_));
  }
}

const Stream& Buffer::stream() const {
  if (!block_) throw UsageError("Buffer::stream: the buffer is empty (default constructed)");
  return block_->stream;
}

bool Buffer::overlaps(const Buffer& other) const {
  if (!block_ || !other.block_) return false;
  if (handle_ == other.handle_) return true;  // also of memory that was adopted twice
  const auto root_of = [](const Buffer& buffer) {
    return buffer.block_->root ? buffer.block_->root.get() : buffer.block_.get();
  };
  return root_of(*this) == root_of(other) && offset_ < other.offset_ + other.bytes_ && other.offset_ < offset_ + bytes_;
}

Buffer Buffer::slice(std::size_t offset, std::size_t bytes) const {
  check_range("slice", offset, bytes);
  const std::size_t alignment = device().properties().base_alignment;
  if (offset % alignment != 0) {
    throw UsageError(fmt::format("Buffer::slice: offset {} is not a multiple of {}, the base alignment of {}", offset,
                                 alignment, device().id()));
  }
  Buffer part = *this;
  part.offset_ = offset_ + offset;
  part.bytes_ = bytes;
  // No back end makes empty slices; the whole block stands in, as nothing of it may be touched.
  if (bytes == 0) return part;
  const std::shared_ptr<Block>& root = block_->root ? block_->root : block_;
  auto block = std::make_shared<Block>(root->stream);
  block->root = root;
  block->memory.kind = root->memory.kind;
  block->slice = device().driver().slice(root->memory.memory, part.offset_, bytes);
  part.handle_ = block->slice;
  part.block_ = std::move(block);
  return part;
}

void Buffer::write(const void* source, std::size_t bytes, std::size_t offset) const {
  check_range("write", offset, bytes);
  if (bytes != 0) device().driver().copy_in(stream().native(), handle_, offset, source, bytes, true);
}

void Buffer::read(void* target, std::size_t bytes, std::size_t offset) const {
  check_range("read", offset, bytes);
  if (bytes != 0) device().driver().copy_out(stream().native(), target, handle_, offset, bytes, true);
}

namespace {

void check_host_range(const char* action, const HostBuffer& host, std::size_t offset, std::size_t bytes) {
  if (offset > host.bytes() || bytes > host.bytes() - offset) {
    throw UsageError(fmt::format("Buffer::{}: {} bytes at offset {} do not fit into {} bytes of host memory", action,
                                 bytes, offset, host.bytes()));
  }
}

void check_device(const char* action, const Stream& stream, const Device& device) {
  if (!(stream.device() == device)) {
    throw UsageError(
        fmt::format("Buffer::{}: the stream is of {}, the buffer of {}", action, stream.device().id(), device.id()));
  }
}

}  // namespace

void Buffer::write_async(const Stream& stream, const HostBuffer& source, std::size_t bytes, std::size_t source_offset,
                         std::size_t offset) const {
  check_range("write_async", offset, bytes);
  check_host_range("write_async", source, source_offset, bytes);
  check_device("write_async", stream, device());
  if (bytes == 0) return;
  const auto* from = static_cast<const std::byte*>(source.data()) + source_offset;
  device().driver().copy_in(stream.native(), handle_, offset, from, bytes, false);
}

void Buffer::read_async(const Stream& stream, const HostBuffer& target, std::size_t bytes, std::size_t target_offset,
                        std::size_t offset) const {
  check_range("read_async", offset, bytes);
  check_host_range("read_async", target, target_offset, bytes);
  check_device("read_async", stream, device());
  if (bytes == 0) return;
  auto* to = static_cast<std::byte*>(target.data()) + target_offset;
  device().driver().copy_out(stream.native(), to, handle_, offset, bytes, false);
}

void Buffer::copy_from(const Stream& stream, const Buffer& source) const {
  check_range("copy_from", 0, bytes_);
  source.check_range("copy_from", 0, source.bytes_);
  if (source.bytes_ != bytes_) {
    throw UsageError(fmt::format("Buffer::copy_from: the source has {} bytes, the target {}", source.bytes_, bytes_));
  }
  check_device("copy_from", stream, device());
  check_device("copy_from", stream, source.device());
  if (bytes_ != 0) device().driver().copy(stream.native(), handle_, 0, source.handle_, 0, bytes_);
}

void Buffer::fill(const Stream& stream, const void* pattern, std::size_t pattern_bytes) const {
  check_range("fill", 0, bytes_);
  check_device("fill", stream, device());
  if (pattern_bytes != 1 && pattern_bytes != 2 && pattern_bytes != 4 && pattern_bytes != 8 && pattern_bytes != 16) {
    throw UsageError(fmt::format("Buffer::fill: a pattern has 1, 2, 4, 8 or 16 bytes, not {}", pattern_bytes));
  }
  if (bytes_ % pattern_bytes != 0) {
    throw UsageError(
        fmt::format("Buffer::fill: {} bytes are not a multiple of the pattern's {}", bytes_, pattern_bytes));
  }
  if (bytes_ != 0) device().driver().fill(stream.native(), handle_, 0, bytes_, pattern, pattern_bytes);
}

Buffer::Mapping Buffer::map(Access access) const {
  check_range("map", 0, bytes_);
  if (block_->memory.kind != MemoryKind::mapped) {
    throw UsageError("Buffer::map: the buffer was not made with MemoryKind::mapped");
  }
  if (bytes_ == 0) return {*this, nullptr};
  return {*this, device().driver().map(stream().native(), handle_, 0, bytes_, access)};
}

Buffer::Mapping::Mapping(Mapping&& other) noexcept
    : buffer_(std::move(other.buffer_)), address_(std::exchange(other.address_, nullptr)) {}

Buffer::Mapping::~Mapping() {
  if (address_ == nullptr) return;
  try {
    buffer_.device().driver().unmap(buffer_.stream().native(), buffer_.native(), address_);
  } catch (const Error&) {  // the device is lost; the next call on the stream reports it
  }
}

struct HostBuffer::Block {
  Device device;
  std::size_t bytes;
  void* data = nullptr;

  Block(const Device& device_, std::size_t bytes_)
      : device(device_), bytes(bytes_), data(bytes_ == 0 ? nullptr : device_.driver().allocate_host(bytes_)) {}
  ~Block() {
    if (data != nullptr) device.driver().release_host(data);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
};

HostBuffer::HostBuffer(const Device& device, std::size_t bytes) : block_(std::make_shared<Block>(device, bytes)) {}
std::size_t HostBuffer::bytes() const {
  return block_->bytes;
}
void* HostBuffer::data() const {
  return block_->data;
}

}  // namespace rtcg
