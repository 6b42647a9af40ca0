#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "rtcg/device/cuda/driver.h"
#include "rtcg/error.h"

namespace rtcg::cuda {

namespace {

CUstream stream_of(Handle handle) {
  return reinterpret_cast<CUstream>(handle);
}

/// The shortest period of a pattern: 16 bytes of zeros are one byte of zeros. Longer memsets are the slower ones.
std::size_t shortest_period(const unsigned char* pattern, std::size_t bytes) {
  while (bytes > 4 && std::memcmp(pattern, pattern + bytes / 2, bytes / 2) == 0) bytes /= 2;
  return bytes;
}

}  // namespace

Handle CudaDriver::allocate(std::size_t bytes, MemoryKind kind) {
  enter();
  const char* call = kind == MemoryKind::device ? "cuMemAlloc" : "cuMemHostAlloc";
  CUdeviceptr address = 0;
  void* host = nullptr;
  const CUresult result =
      kind == MemoryKind::device
          ? api_->cuMemAlloc(&address, bytes)
          : api_->cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    throw OutOfMemory(fmt::format("{}: {} of {} bytes", where(), api_->describe(result, call), bytes));
  check(result, call);
  if (kind == MemoryKind::device) return address;

  if (const CUresult mapping = api_->cuMemHostGetDevicePointer(&address, host, 0); mapping != CUDA_SUCCESS) {
    api_->cuMemFreeHost(host);
    fail(mapping, "cuMemHostGetDevicePointer");
  }
  const std::lock_guard lock(mutex_);
  mapped_[address] = {host, bytes};
  return address;
}

void CudaDriver::release(Handle memory, MemoryKind kind) noexcept {
  if (!try_enter()) return;
  if (kind == MemoryKind::device) {
    api_->cuMemFree(memory);
    return;
  }
  void* host = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = mapped_.find(memory);
    if (found == mapped_.end()) return;
    host = found->second.address;
    mapped_.erase(found);
  }
  api_->cuMemFreeHost(host);
}

Handle CudaDriver::slice(Handle memory, std::size_t offset, std::size_t) {
  return memory + offset;
}

void CudaDriver::release_slice(Handle) noexcept {}

void* CudaDriver::allocate_host(std::size_t bytes) {
  enter();
  void* memory = nullptr;
  const CUresult result = api_->cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    throw OutOfMemory(fmt::format("{}: {} of {} bytes of page-locked host memory", where(),
                                  api_->describe(result, "cuMemHostAlloc"), bytes));
  check(result, "cuMemHostAlloc");
  return memory;
}

void CudaDriver::release_host(void* memory) noexcept {
  if (!try_enter()) return;
  api_->cuCtxSynchronize();  // copies that are still to come may use it
  api_->cuMemFreeHost(memory);
}

std::size_t CudaDriver::free_memory() {
  enter();
  std::size_t free = 0, total = 0;
  check(api_->cuMemGetInfo(&free, &total), "cuMemGetInfo");
  return free;
}

// Blocking copies go through the stream too: a plain cuMemcpy would not wait for a non-blocking stream.
void CudaDriver::copy_in(Handle stream, Handle target, std::size_t offset, const void* source, std::size_t bytes,
                         bool blocking) {
  if (bytes == 0) return;
  enter();
  check(api_->cuMemcpyHtoDAsync(target + offset, source, bytes, stream_of(stream)), "cuMemcpyHtoDAsync");
  if (blocking) check(api_->cuStreamSynchronize(stream_of(stream)), "cuStreamSynchronize");
}

void CudaDriver::copy_out(Handle stream, void* target, Handle source, std::size_t offset, std::size_t bytes,
                          bool blocking) {
  if (bytes == 0) return;
  enter();
  check(api_->cuMemcpyDtoHAsync(target, source + offset, bytes, stream_of(stream)), "cuMemcpyDtoHAsync");
  if (blocking) check(api_->cuStreamSynchronize(stream_of(stream)), "cuStreamSynchronize");
}

void CudaDriver::copy(Handle stream, Handle target, std::size_t target_offset, Handle source, std::size_t source_offset,
                      std::size_t bytes) {
  if (bytes == 0) return;
  enter();
  check(api_->cuMemcpyDtoDAsync(target + target_offset, source + source_offset, bytes, stream_of(stream)),
        "cuMemcpyDtoDAsync");
}

void CudaDriver::fill(Handle stream, Handle target, std::size_t offset, std::size_t bytes, const void* pattern,
                      std::size_t pattern_bytes) {
  if (bytes == 0) return;
  enter();
  const CUdeviceptr address = target + offset;
  const CUstream queue = stream_of(stream);
  unsigned char text[16];
  std::memcpy(text, pattern, pattern_bytes);
  const std::size_t period = shortest_period(text, pattern_bytes);
  const auto as = [&]<class Word>(Word word, std::size_t index) {
    std::memcpy(&word, text + index * sizeof word, sizeof word);
    return word;
  };
  if (period == 1) {
    check(api_->cuMemsetD8Async(address, text[0], bytes, queue), "cuMemsetD8Async");
  } else if (period == 2) {
    check(api_->cuMemsetD16Async(address, as(std::uint16_t{}, 0), bytes / 2, queue), "cuMemsetD16Async");
  } else if (period == 4) {
    check(api_->cuMemsetD32Async(address, as(std::uint32_t{}, 0), bytes / 4, queue), "cuMemsetD32Async");
  } else {
    // Longer words than the driver's own: each 32-bit column of the first elements, seen as a matrix of one element
    // per row, then copies that double what is filled.
    constexpr std::size_t seed_bytes = 65536;
    std::size_t filled = std::min(bytes, seed_bytes);
    for (std::size_t word = 0; word < period / 4; ++word)
      check(api_->cuMemsetD2D32Async(address + 4 * word, period, as(std::uint32_t{}, word), 1, filled / period, queue),
            "cuMemsetD2D32Async");
    while (filled < bytes) {
      const std::size_t more = std::min(filled, bytes - filled);
      check(api_->cuMemcpyDtoDAsync(address + filled, address, more, queue), "cuMemcpyDtoDAsync");
      filled += more;
    }
  }
}

void* CudaDriver::map(Handle stream, Handle memory, std::size_t offset, std::size_t bytes, Access) {
  synchronize(stream);
  const Handle first = memory + offset;
  const std::lock_guard lock(mutex_);
  auto block = mapped_.upper_bound(first);
  if (block == mapped_.begin() || (--block, first + bytes > block->first + block->second.bytes))
    throw DeviceError(fmt::format("{}: map of {} bytes at 0x{:x}: not within mapped memory", where(), bytes, first));
  return static_cast<std::byte*>(block->second.address) + (first - block->first);
}

void CudaDriver::unmap(Handle, Handle, void*) {}  // host and device see the same memory

}  // namespace rtcg::cuda
