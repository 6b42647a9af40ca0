#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "rtcg/device/opencl/driver.h"
#include "rtcg/error.h"

namespace rtcg::opencl {

namespace {

std::size_t size_of_memory(cl_mem memory) {
  std::size_t bytes = 0;
  clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  return bytes;
}

cl_map_flags map_flags(Access access) {
  switch (access) {
    case Access::read:
      return CL_MAP_READ;
    case Access::write:
      return CL_MAP_WRITE;
    case Access::read_write:
      break;
  }
  return CL_MAP_READ | CL_MAP_WRITE;
}

}  // namespace

void OpenClDriver::reserve(std::size_t bytes, const char* what) {
  const std::size_t most = properties().largest_allocation;
  if (bytes > most) {
    throw OutOfMemory(
        fmt::format("{}: {} of {} bytes: the largest the device allows is {}", properties().id, what, bytes, most));
  }
  const std::size_t total = properties().global_memory;
  std::size_t taken = allocated_.load();
  do {
    if (taken > total || bytes > total - taken) {
      throw OutOfMemory(
          fmt::format("{}: {} of {} bytes: {} of {} bytes are taken", properties().id, what, bytes, taken, total));
    }
  } while (!allocated_.compare_exchange_weak(taken, taken + bytes));
}

Handle OpenClDriver::allocate(std::size_t bytes, MemoryKind kind) {
  bytes = std::max<std::size_t>(bytes, 1);
  reserve(bytes, "buffer");
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (kind == MemoryKind::mapped ? CL_MEM_ALLOC_HOST_PTR : 0);
  cl_int status = CL_SUCCESS;
  const cl_mem memory = clCreateBuffer(context(), flags, bytes, nullptr, &status);
  if (status != CL_SUCCESS) {
    unreserve(bytes);
    fail(status, "clCreateBuffer", properties().id, fmt::format("{} bytes", bytes));
  }
  return to_handle(memory);
}

void OpenClDriver::release(Handle memory, MemoryKind) noexcept {
  if (memory == 0) return;
  unreserve(size_of_memory(to_memory(memory)));
  clReleaseMemObject(to_memory(memory));
}

Handle OpenClDriver::slice(Handle memory, std::size_t offset, std::size_t bytes) {
  const cl_buffer_region region{offset, bytes};
  cl_int status = CL_SUCCESS;
  const cl_mem part = clCreateSubBuffer(to_memory(memory), 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  if (status != CL_SUCCESS) {
    fail(status, "clCreateSubBuffer", properties().id, fmt::format("{} bytes at offset {}", bytes, offset));
  }
  return to_handle(part);
}

void OpenClDriver::release_slice(Handle slice) noexcept {
  if (slice != 0) clReleaseMemObject(to_memory(slice));
}

void* OpenClDriver::allocate_host(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  cl_int status = CL_SUCCESS;
  const cl_mem memory = clCreateBuffer(context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &status);
  if (status != CL_SUCCESS) {
    fail(status, "clCreateBuffer", properties().id, fmt::format("{} bytes of page-locked memory", bytes));
  }
  void* address = clEnqueueMapBuffer(service_queue(), memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr,
                                     nullptr, &status);
  if (status != CL_SUCCESS) {
    clReleaseMemObject(memory);
    fail(status, "clEnqueueMapBuffer", properties().id, fmt::format("{} bytes of page-locked memory", bytes));
  }
  const std::lock_guard lock(host_mutex_);
  host_memory_.emplace(address, memory);
  return address;
}

void OpenClDriver::release_host(void* memory) noexcept {
  cl_mem backing = nullptr;
  {
    const std::lock_guard lock(host_mutex_);
    const auto found = host_memory_.find(memory);
    if (found == host_memory_.end()) return;
    backing = found->second;
    host_memory_.erase(found);
  }
  clEnqueueUnmapMemObject(service_queue_, backing, memory, 0, nullptr, nullptr);
  clFinish(service_queue_);
  clReleaseMemObject(backing);
}

std::size_t OpenClDriver::free_memory() {
  return properties().global_memory - std::min(properties().global_memory, allocated_.load());
}

void OpenClDriver::copy_in(Handle stream, Handle target, std::size_t offset, const void* source, std::size_t bytes,
                           bool blocking) {
  if (bytes == 0) return;
  check(clEnqueueWriteBuffer(to_queue(stream), to_memory(target), blocking ? CL_TRUE : CL_FALSE, offset, bytes, source,
                             0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
}

void OpenClDriver::copy_out(Handle stream, void* target, Handle source, std::size_t offset, std::size_t bytes,
                            bool blocking) {
  if (bytes == 0) return;
  check(clEnqueueReadBuffer(to_queue(stream), to_memory(source), blocking ? CL_TRUE : CL_FALSE, offset, bytes, target,
                            0, nullptr, nullptr),
        "clEnqueueReadBuffer");
}

void OpenClDriver::copy(Handle stream, Handle target, std::size_t target_offset, Handle source,
                        std::size_t source_offset, std::size_t bytes) {
  if (bytes == 0) return;
  check(clEnqueueCopyBuffer(to_queue(stream), to_memory(source), to_memory(target), source_offset, target_offset, bytes,
                            0, nullptr, nullptr),
        "clEnqueueCopyBuffer");
}

void OpenClDriver::fill(Handle stream, Handle target, std::size_t offset, std::size_t bytes, const void* pattern,
                        std::size_t pattern_bytes) {
  if (bytes == 0) return;
  check(clEnqueueFillBuffer(to_queue(stream), to_memory(target), pattern, pattern_bytes, offset, bytes, 0, nullptr,
                            nullptr),
        "clEnqueueFillBuffer");
}

void* OpenClDriver::map(Handle stream, Handle memory, std::size_t offset, std::size_t bytes, Access access) {
  cl_int status = CL_SUCCESS;
  void* address = clEnqueueMapBuffer(to_queue(stream), to_memory(memory), CL_TRUE, map_flags(access), offset, bytes, 0,
                                     nullptr, nullptr, &status);
  check(status, "clEnqueueMapBuffer");
  return address;
}

void OpenClDriver::unmap(Handle stream, Handle memory, void* address) {
  check(clEnqueueUnmapMemObject(to_queue(stream), to_memory(memory), address, 0, nullptr, nullptr),
        "clEnqueueUnmapMemObject");
}

}  // namespace rtcg::opencl
