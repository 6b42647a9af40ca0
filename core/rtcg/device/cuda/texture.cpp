#include <fmt/format.h>

#include "rtcg/device/cuda/driver.h"
#include "rtcg/error.h"

namespace rtcg::cuda {

namespace {

std::size_t row_bytes(const TextureDescription& description) {
  return description.width * description.channels * (description.format == TextureFormat::float32 ? 4 : 1);
}

}  // namespace

Handle CudaDriver::create_texture(const TextureDescription& description) {
  enter();
  const bool is_volume = description.depth > 1;
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  shape.Width = description.width;
  shape.Height = description.height;
  shape.Depth = is_volume ? description.depth : 0;
  shape.Format = description.format == TextureFormat::float32 ? CU_AD_FORMAT_FLOAT : CU_AD_FORMAT_UNSIGNED_INT8;
  shape.NumChannels = description.channels;
  CUarray array = nullptr;
  const CUresult result = api_->cuArray3DCreate(&array, &shape);
  if (result != CUDA_SUCCESS) {
    const std::string message = fmt::format("{}: {} of a texture of {} x {} x {} texels with {} channels", where(),
                                            api_->describe(result, "cuArray3DCreate"), description.width,
                                            description.height, description.depth, description.channels);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemory(message);
    throw DeviceError(message);
  }

  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC reading{};  // no flags: unnormalised coordinates, 8-bit texels read as 0..1; a border reads as 0
  for (CUaddress_mode& mode : reading.addressMode)
    mode = description.edge == TextureEdge::clamp ? CU_TR_ADDRESS_MODE_CLAMP : CU_TR_ADDRESS_MODE_BORDER;
  reading.filterMode = description.filter == TextureFilter::linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  CUtexObject texture = 0;
  if (const CUresult created = api_->cuTexObjectCreate(&texture, &resource, &reading, nullptr);
      created != CUDA_SUCCESS) {
    api_->cuArrayDestroy(array);
    fail(created, "cuTexObjectCreate");
  }
  const std::lock_guard lock(mutex_);
  textures_[texture] = {array, description};
  return texture;
}

void CudaDriver::release_texture(Handle texture) noexcept {
  if (!try_enter()) return;
  CUarray array = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = textures_.find(texture);
    if (found == textures_.end()) return;
    array = found->second.array;
    textures_.erase(found);
  }
  api_->cuCtxSynchronize();  // unlike a buffer's, a texture's last use is on a stream nobody remembers
  api_->cuTexObjectDestroy(texture);
  api_->cuArrayDestroy(array);
}

void CudaDriver::write_texture(Handle stream, Handle texture, const void* source) {
  enter();
  TextureMemory target;
  {
    const std::lock_guard lock(mutex_);
    const auto found = textures_.find(texture);
    if (found == textures_.end()) throw DeviceError(fmt::format("{}: write to a texture that does not exist", where()));
    target = found->second;
  }
  const TextureDescription& description = target.description;
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = source;
  copy.srcPitch = row_bytes(description);
  copy.srcHeight = description.height;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = target.array;
  copy.WidthInBytes = row_bytes(description);
  copy.Height = description.height;
  copy.Depth = description.depth;
  const auto queue = reinterpret_cast<CUstream>(stream);
  check(api_->cuMemcpy3DAsync(&copy, queue), "cuMemcpy3DAsync");
  check(api_->cuStreamSynchronize(queue), "cuStreamSynchronize");
}

}  // namespace rtcg::cuda
