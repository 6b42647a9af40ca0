// Device memory as a value: a Buffer shares one block of the pool with its copies and its slices; the block goes back
// to the pool with the last of them. A Buffer belongs to the stream it was made on; before it is released, work that
// other streams do with it must be ordered before that stream (Stream::wait).
// The element type is remembered only so that a kernel launch can be checked.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "rtcg/device/stream.h"
#include "rtcg/error.h"

namespace rtcg {

class HostBuffer;

class Buffer {
 public:
  Buffer() = default;  ///< empty; passing it to a kernel throws UsageError
  Buffer(const Stream& stream, std::size_t bytes, MemoryKind kind = MemoryKind::device,
         ScalarType element = ScalarType::unknown);

  template <class T>
  static Buffer of(const Stream& stream, std::size_t count, MemoryKind kind = MemoryKind::device) {
    return Buffer(stream, checked_bytes(count, sizeof(T)), kind, scalar_type<T>());
  }
  template <class T>
  static Buffer from(const Stream& stream, std::span<const T> values) {
    Buffer buffer = of<T>(stream, values.size());
    buffer.write(values);
    return buffer;
  }
  template <class T>
  static Buffer from(const Stream& stream, const std::vector<T>& values) {
    return from(stream, std::span<const T>(values));
  }

  /// Memory that another library made, usable on the stream's device; `owner` keeps it alive and goes, after a wait for
  /// the stream, with the last Buffer on it. `memory` is a CUdeviceptr or a cl_mem of the driver's context.
  static Buffer adopt(const Stream& stream, Handle memory, std::size_t bytes, std::shared_ptr<void> owner,
                      ScalarType element = ScalarType::unknown);

  std::size_t bytes() const { return bytes_; }
  ScalarType element() const { return element_; }
  explicit operator bool() const { return block_ != nullptr; }
  const Stream& stream() const;
  const Device& device() const { return stream().device(); }

  /// Shares memory. `offset` must be a multiple of the device's base_alignment: UsageError otherwise, saying so.
  Buffer slice(std::size_t offset, std::size_t bytes) const;
  /// Whether both hold a byte of one memory; slices have handles of their own, so that comparing those is not enough.
  bool overlaps(const Buffer& other) const;

  // Blocking copies on the buffer's stream (or another one of the same device). Ranges are checked: UsageError.
  void write(const void* source, std::size_t bytes, std::size_t offset = 0) const;
  void read(void* target, std::size_t bytes, std::size_t offset = 0) const;
  template <class T>
  void write(std::span<const T> values) const {
    write(values.data(), values.size_bytes());
  }
  template <class T>
  void write(const std::vector<T>& values) const {
    write(std::span<const T>(values));
  }
  template <class T>
  void read(std::span<T> values) const {
    read(values.data(), values.size_bytes());
  }
  template <class T>
  std::vector<T> read() const {
    std::vector<T> values(bytes_ / sizeof(T));
    read(std::span<T>(values));
    return values;
  }

  // Copies that do not block; page-locked host memory, because only that overlaps.
  void write_async(const Stream& stream, const HostBuffer& source, std::size_t bytes, std::size_t source_offset = 0,
                   std::size_t offset = 0) const;
  void read_async(const Stream& stream, const HostBuffer& target, std::size_t bytes, std::size_t target_offset = 0,
                  std::size_t offset = 0) const;

  void copy_from(const Stream& stream, const Buffer& source) const;  ///< sizes must agree
  void fill(const Stream& stream, const void* pattern, std::size_t pattern_bytes) const;
  template <class T>
  void fill(const Stream& stream, const T& value) const {
    fill(stream, &value, sizeof(T));
  }
  void zero(const Stream& stream) const { fill(stream, std::uint8_t{0}); }

  /// Host view of MemoryKind::mapped memory; kernels may use the buffer again once the Mapping is gone.
  class Mapping;
  Mapping map(Access access = Access::read_write) const;

  Handle native() const { return handle_; }            ///< CUdeviceptr or cl_mem
  const Handle* argument() const { return &handle_; }  ///< what a launch passes; lives as long as this Buffer

 private:
  struct Block;
  static std::size_t checked_bytes(std::size_t count, std::size_t size);
  void check_range(const char* action, std::size_t offset, std::size_t bytes) const;

  std::shared_ptr<Block> block_;
  Handle handle_ = 0;
  std::size_t offset_ = 0, bytes_ = 0;  ///< within the block
  ScalarType element_ = ScalarType::unknown;
};

class Buffer::Mapping {
 public:
  ~Mapping();
  Mapping(Mapping&&) noexcept;
  Mapping& operator=(Mapping&&) = delete;
  void* data() const { return address_; }
  template <class T>
  std::span<T> as() const {
    return {static_cast<T*>(address_), buffer_.bytes() / sizeof(T)};
  }

 private:
  friend class Buffer;
  Mapping(const Buffer& buffer, void* address) : buffer_(buffer), address_(address) {}
  Buffer buffer_;
  void* address_ = nullptr;
};

/// Page-locked host memory, a value that shares its block.
class HostBuffer {
 public:
  HostBuffer(const Device& device, std::size_t bytes);
  std::size_t bytes() const;
  void* data() const;
  template <class T>
  std::span<T> as() const {
    return {static_cast<T*>(data()), bytes() / sizeof(T)};
  }

 private:
  struct Block;
  std::shared_ptr<Block> block_;
};

}  // namespace rtcg
