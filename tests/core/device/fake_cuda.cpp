#include "fake_cuda.h"

#include <cuda.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <sstream>

namespace {

struct Stream {
  std::deque<std::function<void()>> work;
  std::uint64_t queued = 0, done = 0;

  void push(std::function<void()> action) {
    work.push_back(std::move(action));
    ++queued;
  }
  void run_until(std::uint64_t position) {
    while (done < position) {
      const std::function<void()> action = std::move(work.front());
      work.pop_front();
      action();
      ++done;
    }
  }
};

struct Event {
  Stream* stream = nullptr;
  std::uint64_t position = 0;
};

struct Function {
  std::string name;
  std::vector<std::size_t> parameter_bytes;
  int dynamic_limit = 0;
};

struct Module {
  std::vector<std::unique_ptr<Function>> functions;
};

struct Array {
  std::size_t row = 0, height = 1, depth = 1;
  std::vector<unsigned char> contents;
};

constexpr int static_shared = 1024, default_shared = 49152, optin_shared = 232448;
constexpr std::size_t mapped_distance = std::size_t{1} << 44;  // mapped memory: device address minus host address

FakeCuda state;
std::recursive_mutex mutex;
std::map<CUdeviceptr, std::vector<unsigned char>> device_blocks;
std::map<void*, std::size_t> host_blocks;
std::vector<std::unique_ptr<Stream>> streams;  // kept after their end, since events remember them
CUdeviceptr next_address = 0x700000000000;
char contexts[8];
thread_local CUcontext current = nullptr;

/// Host view of a device range, nullptr where it is not allocated.
unsigned char* view(CUdeviceptr address, std::size_t bytes) {
  auto block = device_blocks.upper_bound(address);
  if (block != device_blocks.begin()) {
    --block;
    const std::size_t offset = address - block->first;
    if (offset + bytes <= block->second.size()) return block->second.data() + offset;
  }
  for (const auto& [host, size] : host_blocks) {
    const CUdeviceptr first = reinterpret_cast<CUdeviceptr>(host) + mapped_distance;
    if (address >= first && address + bytes <= first + size)
      return static_cast<unsigned char*>(host) + (address - first);
  }
  return nullptr;
}

Stream& stream_of(CUstream handle) {
  return *reinterpret_cast<Stream*>(handle);
}
Event& event_of(CUevent handle) {
  return *reinterpret_cast<Event*>(handle);
}
Function& function_of(CUfunction handle) {
  return *reinterpret_cast<Function*>(handle);
}

/// Counts the call, and says whether it has been told to fail.
CUresult begin(const char* call, bool needs_context = true) {
  ++state.calls[call];
  if (const auto planned = state.fail_once.find(call); planned != state.fail_once.end()) {
    const auto result = static_cast<CUresult>(planned->second);
    state.fail_once.erase(planned);
    return result;
  }
  return needs_context && current == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

std::unique_ptr<Module> parse(const void* image) {
  auto module = std::make_unique<Module>();
  const char* bytes = static_cast<const char*>(image);
  const std::string mark = "fake module: ";
  if (std::strncmp(bytes, mark.c_str(), mark.size()) == 0) {
    std::istringstream words(bytes + mark.size());
    for (std::string word; words >> word;) {
      auto function = std::make_unique<Function>();
      const std::size_t bracket = word.find('(');
      function->name = word.substr(0, bracket);
      std::istringstream sizes(word.substr(bracket + 1));
      for (std::string size; std::getline(sizes, size, ',');)
        if (size[0] != ')') function->parameter_bytes.push_back(std::stoul(size));
      module->functions.push_back(std::move(function));
    }
    return module;
  }
  if (std::memcmp(bytes, "\177ELF", 4) != 0) return nullptr;
  // A cubin: a kernel is a section called .text.NAME. The names' section follows from the ELF64 header.
  std::uint64_t table = 0;
  std::uint16_t entry = 0, names = 0;
  std::memcpy(&table, bytes + 0x28, 8), std::memcpy(&entry, bytes + 0x3a, 2), std::memcpy(&names, bytes + 0x3e, 2);
  std::uint64_t offset = 0, size = 0;
  std::memcpy(&offset, bytes + table + std::uint64_t{entry} * names + 0x18, 8);
  std::memcpy(&size, bytes + table + std::uint64_t{entry} * names + 0x20, 8);
  for (const char* name = bytes + offset; name < bytes + offset + size; name += std::strlen(name) + 1)
    if (std::strncmp(name, ".text.", 6) == 0) {
      auto function = std::make_unique<Function>();
      function->name = name + 6;
      module->functions.push_back(std::move(function));
    }
  return module;
}

CUresult set_words(CUdeviceptr address, std::size_t pitch, const void* word, std::size_t width, std::size_t count,
                   CUstream stream) {
  if (address % width != 0 || count == 0 || view(address, pitch * (count - 1) + width) == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  std::string text(static_cast<const char*>(word), width);
  stream_of(stream).push([=] {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(view(address + i * pitch, width), text.data(), width);
  });
  return CUDA_SUCCESS;
}

}  // namespace

#define BEGIN(...)                   \
  const std::lock_guard lock(mutex); \
  if (const CUresult planned = begin(__VA_ARGS__); planned != CUDA_SUCCESS) return planned

extern "C" {

FakeCuda& fake_cuda() {
  return state;
}

CUresult cuInit(unsigned) {
  BEGIN("cuInit", false);
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  return *version = 13000, CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  switch (error) {
    case CUDA_ERROR_INVALID_VALUE:
      return *name = "CUDA_ERROR_INVALID_VALUE", CUDA_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY:
      return *name = "CUDA_ERROR_OUT_OF_MEMORY", CUDA_SUCCESS;
    case CUDA_ERROR_NO_DEVICE:
      return *name = "CUDA_ERROR_NO_DEVICE", CUDA_SUCCESS;
    case CUDA_ERROR_NOT_FOUND:
      return *name = "CUDA_ERROR_NOT_FOUND", CUDA_SUCCESS;
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return *name = "CUDA_ERROR_ILLEGAL_ADDRESS", CUDA_SUCCESS;
    case CUDA_ERROR_INVALID_IMAGE:
      return *name = "CUDA_ERROR_INVALID_IMAGE", CUDA_SUCCESS;
    default:
      return *name = nullptr, CUDA_ERROR_INVALID_VALUE;
  }
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  if (error == CUDA_ERROR_INVALID_VALUE) return *text = "invalid argument", CUDA_SUCCESS;
  if (error == CUDA_ERROR_OUT_OF_MEMORY) return *text = "out of memory", CUDA_SUCCESS;
  if (error == CUDA_ERROR_NO_DEVICE) return *text = "no CUDA-capable device is detected", CUDA_SUCCESS;
  return *text = nullptr, CUDA_ERROR_INVALID_VALUE;
}
CUresult cuDeviceGetCount(int* count) {
  BEGIN("cuDeviceGetCount", false);
  return *count = state.device_count, CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  BEGIN("cuDeviceGet", false);
  return *device = ordinal, ordinal < state.device_count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  BEGIN("cuDeviceGetName", false);
  std::strncpy(name, device == 0 ? "Fake H200" : "Fake 3090", static_cast<std::size_t>(length));
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  BEGIN("cuDeviceTotalMem", false);
  return *bytes = state.memory, CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
  BEGIN("cuDeviceGetAttribute", false);
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return *value = device == 0 ? 9 : 8, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return *value = device == 0 ? 0 : 6, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return *value = default_shared, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return *value = optin_shared, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
      return *value = 65536, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return *value = 60 << 20, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return *value = 132, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      return *value = 1980000, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      return *value = 1024, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      return *value = 64, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return *value = 32, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
      return *value = 0, CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  BEGIN("cuDevicePrimaryCtxRetain", false);
  ++state.contexts;
  return *context = reinterpret_cast<CUcontext>(contexts + device), CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  BEGIN("cuDevicePrimaryCtxRelease", false);
  --state.contexts;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  return *context = current, CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  BEGIN("cuCtxSetCurrent", false);
  return current = context, CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  BEGIN("cuCtxSynchronize");
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  BEGIN("cuMemGetInfo");
  return *free = state.memory - state.used, *total = state.memory, CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  BEGIN("cuMemAlloc");
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > state.memory - state.used) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = next_address;
  next_address += (bytes + 511) / 512 * 512 + 512;
  device_blocks[*address].resize(bytes);
  state.used += bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
  BEGIN("cuMemFree");
  const auto block = device_blocks.find(address);
  if (block == device_blocks.end()) return CUDA_ERROR_INVALID_VALUE;
  state.used -= block->second.size();
  device_blocks.erase(block);
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  BEGIN("cuMemHostAlloc");
  *address = std::malloc(bytes);
  host_blocks[*address] = bytes;
  ++state.host_blocks;
  return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* address) {
  BEGIN("cuMemFreeHost");
  if (host_blocks.erase(address) == 0) return CUDA_ERROR_INVALID_VALUE;
  std::free(address);
  --state.host_blocks;
  return CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* host, unsigned) {
  BEGIN("cuMemHostGetDevicePointer");
  *address = reinterpret_cast<CUdeviceptr>(host) + mapped_distance;
  return host_blocks.count(host) != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr target, const void* source, std::size_t bytes, CUstream stream) {
  BEGIN("cuMemcpyHtoDAsync");
  if (view(target, bytes) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  stream_of(stream).push([=] { std::memcpy(view(target, bytes), source, bytes); });
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void* target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  BEGIN("cuMemcpyDtoHAsync");
  if (view(source, bytes) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  stream_of(stream).push([=] { std::memcpy(target, view(source, bytes), bytes); });
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  BEGIN("cuMemcpyDtoDAsync");
  if (view(target, bytes) == nullptr || view(source, bytes) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  stream_of(stream).push([=] { std::memcpy(view(target, bytes), view(source, bytes), bytes); });
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, std::size_t count, CUstream stream) {
  BEGIN("cuMemsetD8Async");
  return set_words(address, 1, &value, 1, count, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr address, unsigned short value, std::size_t count, CUstream stream) {
  BEGIN("cuMemsetD16Async");
  return set_words(address, 2, &value, 2, count, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, std::size_t count, CUstream stream) {
  BEGIN("cuMemsetD32Async");
  return set_words(address, 4, &value, 4, count, stream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr address, std::size_t pitch, unsigned value, std::size_t width,
                            std::size_t height, CUstream stream) {
  BEGIN("cuMemsetD2D32Async");
  if (width != 1 || pitch % 4 != 0) return CUDA_ERROR_INVALID_VALUE;
  return set_words(address, pitch, &value, 4, height, stream);
}

CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* shape) {
  BEGIN("cuArray3DCreate");
  const bool is_float = shape->Format == CU_AD_FORMAT_FLOAT;
  if (shape->Width == 0 || shape->Flags != 0 || (!is_float && shape->Format != CU_AD_FORMAT_UNSIGNED_INT8))
    return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_unique<Array>();
  made->row = shape->Width * shape->NumChannels * (is_float ? 4 : 1);
  made->height = shape->Height;
  made->depth = shape->Depth == 0 ? 1 : shape->Depth;
  made->contents.resize(made->row * made->height * made->depth);
  ++state.arrays;
  return *array = reinterpret_cast<CUarray>(made.release()), CUDA_SUCCESS;
}
CUresult cuArrayDestroy(CUarray array) {
  BEGIN("cuArrayDestroy");
  delete reinterpret_cast<Array*>(array);
  --state.arrays;
  return CUDA_SUCCESS;
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* copy, CUstream stream) {
  BEGIN("cuMemcpy3DAsync");
  Array* array = reinterpret_cast<Array*>(copy->dstArray);
  if (copy->srcMemoryType != CU_MEMORYTYPE_HOST || copy->dstMemoryType != CU_MEMORYTYPE_ARRAY ||
      copy->WidthInBytes != array->row || copy->Height != array->height || copy->Depth != array->depth)
    return CUDA_ERROR_INVALID_VALUE;
  stream_of(stream).push([array, copy = *copy] {
    for (std::size_t z = 0; z < copy.Depth; ++z)
      for (std::size_t y = 0; y < copy.Height; ++y)
        std::memcpy(array->contents.data() + (z * copy.Height + y) * array->row,
                    static_cast<const char*>(copy.srcHost) + (z * copy.srcHeight + y) * copy.srcPitch, array->row);
    state.array_contents = array->contents;
  });
  return CUDA_SUCCESS;
}
CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* reading,
                           const CUDA_RESOURCE_VIEW_DESC* view_description) {
  BEGIN("cuTexObjectCreate");
  if (resource->resType != CU_RESOURCE_TYPE_ARRAY || view_description != nullptr) return CUDA_ERROR_INVALID_VALUE;
  state.texture_address_mode = reading->addressMode[0];
  state.texture_filter_mode = reading->filterMode;
  state.texture_flags = reading->flags;
  ++state.textures;
  return *texture = 0x1000 + static_cast<CUtexObject>(state.calls["cuTexObjectCreate"]), CUDA_SUCCESS;
}
CUresult cuTexObjectDestroy(CUtexObject) {
  BEGIN("cuTexObjectDestroy");
  --state.textures;
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  BEGIN("cuStreamCreate");
  if (flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  ++state.streams;
  streams.push_back(std::make_unique<Stream>());
  return *stream = reinterpret_cast<CUstream>(streams.back().get()), CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream stream) {
  BEGIN("cuStreamDestroy");
  stream_of(stream).run_until(stream_of(stream).queued);
  --state.streams;
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
  BEGIN("cuStreamSynchronize");
  stream_of(stream).run_until(stream_of(stream).queued);
  return CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  BEGIN("cuStreamWaitEvent");
  stream_of(stream).push([waited = event_of(event)] { waited.stream->run_until(waited.position); });
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  BEGIN("cuEventCreate");
  ++state.events;
  return *event = reinterpret_cast<CUevent>(new Event), CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) {
  BEGIN("cuEventDestroy");
  delete &event_of(event);
  --state.events;
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  BEGIN("cuEventRecord");
  event_of(event) = {&stream_of(stream), stream_of(stream).queued};
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent event) {
  BEGIN("cuEventSynchronize");
  event_of(event).stream->run_until(event_of(event).position);
  return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent event) {
  BEGIN("cuEventQuery");
  return event_of(event).stream->done >= event_of(event).position ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent first, CUevent last) {
  BEGIN("cuEventElapsedTime");
  // One piece of work takes a millisecond.
  return *milliseconds = static_cast<float>(event_of(last).position - event_of(first).position), CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned options, CUjit_option* option,
                            void** values) {
  BEGIN("cuModuleLoadDataEx");
  std::unique_ptr<Module> made = parse(image);
  if (made == nullptr) {
    for (unsigned i = 0; i < options; ++i)
      if (option[i] == CU_JIT_ERROR_LOG_BUFFER) std::strcpy(static_cast<char*>(values[i]), "neither cubin\nnor PTX\n");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  ++state.modules;
  return *module = reinterpret_cast<CUmodule>(made.release()), CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  BEGIN("cuModuleUnload");
  delete reinterpret_cast<Module*>(module);
  --state.modules;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  BEGIN("cuModuleGetFunction");
  for (const auto& candidate : reinterpret_cast<Module*>(module)->functions)
    if (candidate->name == name) return *function = reinterpret_cast<CUfunction>(candidate.get()), CUDA_SUCCESS;
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  BEGIN("cuModuleGetFunctionCount");
  return *count = static_cast<unsigned>(reinterpret_cast<Module*>(module)->functions.size()), CUDA_SUCCESS;
}
CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
  BEGIN("cuModuleEnumerateFunctions");
  for (unsigned i = 0; i < count; ++i)
    functions[i] = reinterpret_cast<CUfunction>(reinterpret_cast<Module*>(module)->functions[i].get());
  return CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
  BEGIN("cuFuncGetName");
  return *name = function_of(function).name.c_str(), CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  BEGIN("cuFuncGetParamInfo");
  const std::vector<std::size_t>& sizes = function_of(function).parameter_bytes;
  if (index >= sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  return *offset = 0, *bytes = sizes[index], CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction) {
  BEGIN("cuFuncGetAttribute");
  switch (which) {
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return *value = 40, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return *value = static_shared, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return *value = 16, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return *value = 256, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return *value = 768, CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value) {
  BEGIN("cuFuncSetAttribute");
  if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value + static_shared > optin_shared)
    return CUDA_ERROR_INVALID_VALUE;
  return state.allowed_dynamic_bytes = function_of(function).dynamic_limit = value, CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned lx, unsigned ly,
                        unsigned lz, unsigned dynamic, CUstream stream, void** parameters, void** extra) {
  BEGIN("cuLaunchKernel");
  const Function& called = function_of(function);
  const unsigned limit = static_cast<unsigned>(std::max(called.dynamic_limit, default_shared - static_shared));
  if (gx == 0 || gy == 0 || gz == 0 || lx * ly * lz == 0 || lx * ly * lz > 1024 || dynamic > limit || extra != nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  FakeCuda::Launch launch{called.name, {gx, gy, gz}, {lx, ly, lz}, dynamic, stream, {}};
  for (std::size_t i = 0; i < called.parameter_bytes.size(); ++i)
    launch.arguments.emplace_back(static_cast<const char*>(parameters[i]), called.parameter_bytes[i]);
  state.launches.push_back(launch);
  stream_of(stream).push([] {});
  return CUDA_SUCCESS;
}

}  // extern "C"
