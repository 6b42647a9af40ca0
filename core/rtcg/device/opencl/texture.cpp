#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "rtcg/device/opencl/driver.h"
#include "rtcg/error.h"

namespace rtcg::opencl {

namespace {

bool is_supported(cl_context context, cl_mem_object_type type, const cl_image_format& wanted) {
  cl_uint count = 0;
  if (clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, type, 0, nullptr, &count) != CL_SUCCESS) return false;
  std::vector<cl_image_format> formats(count);
  if (clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, type, count, formats.data(), nullptr) != CL_SUCCESS)
    return false;
  return std::any_of(formats.begin(), formats.end(), [&](const cl_image_format& format) {
    return format.image_channel_order == wanted.image_channel_order &&
           format.image_channel_data_type == wanted.image_channel_data_type;
  });
}

std::size_t channel_bytes(const cl_image_format& format) {
  return format.image_channel_data_type == CL_FLOAT ? 4 : 1;
}

/// Two channels laid out as four, the last two zero.
std::vector<std::byte> widen(const void* source, std::size_t texels, std::size_t bytes_per_channel) {
  const std::size_t narrow = 2 * bytes_per_channel, wide = 4 * bytes_per_channel;
  std::vector<std::byte> result(texels * wide);
  const auto* from = static_cast<const std::byte*>(source);
  for (std::size_t i = 0; i < texels; ++i) std::memcpy(result.data() + i * wide, from + i * narrow, narrow);
  return result;
}

}  // namespace

Handle OpenClDriver::create_texture(const TextureDescription& d) {
  cl_image_desc image{};
  image.image_type = d.depth > 1 ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D;
  image.image_width = d.width;
  image.image_height = d.height;
  image.image_depth = d.depth > 1 ? d.depth : 0;
  cl_image_format format{};
  format.image_channel_order = d.channels == 1 ? CL_R : d.channels == 2 ? CL_RG : CL_RGBA;
  format.image_channel_data_type = d.format == TextureFormat::float32 ? CL_FLOAT : CL_UNORM_INT8;
  // OpenCL promises only RGBA; a kernel that reads two channels does not notice the other two.
  const bool widened = d.channels == 2 && !is_supported(context(), image.image_type, format);
  if (widened) format.image_channel_order = CL_RGBA;

  // Not every driver refuses what it cannot hold before a kernel reads it.
  const bool flat = d.depth == 1;
  const std::size_t most[] = {device_size(flat ? CL_DEVICE_IMAGE2D_MAX_WIDTH : CL_DEVICE_IMAGE3D_MAX_WIDTH),
                              device_size(flat ? CL_DEVICE_IMAGE2D_MAX_HEIGHT : CL_DEVICE_IMAGE3D_MAX_HEIGHT),
                              flat ? 1 : device_size(CL_DEVICE_IMAGE3D_MAX_DEPTH)};
  if (d.width > most[0] || d.height > most[1] || d.depth > most[2]) {
    throw DeviceError(fmt::format("{}: a texture of {} x {} x {} texels; the device takes at most {} x {} x {}",
                                  properties().id, d.width, d.height, d.depth, most[0], most[1], most[2]));
  }
  cl_int status = CL_SUCCESS;
  const cl_mem texture = clCreateImage(context(), CL_MEM_READ_ONLY, &format, &image, nullptr, &status);
  if (status != CL_SUCCESS) {
    fail(status, "clCreateImage", properties().id,
         fmt::format("{} x {} x {} texels of {} channels", d.width, d.height, d.depth, d.channels));
  }
  if (widened) {
    const std::lock_guard lock(textures_mutex_);
    widened_textures_.insert(texture);
  }
  return to_handle(texture);
}

void OpenClDriver::release_texture(Handle texture) noexcept {
  if (texture == 0) return;
  {
    const std::lock_guard lock(textures_mutex_);
    widened_textures_.erase(to_memory(texture));
  }
  clReleaseMemObject(to_memory(texture));
}

void OpenClDriver::write_texture(Handle stream, Handle texture, const void* source) {
  const cl_mem image = to_memory(texture);
  std::size_t region[3] = {};
  const cl_image_info extents[3] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH};
  for (int i = 0; i < 3; ++i) {
    check(clGetImageInfo(image, extents[i], sizeof region[i], &region[i], nullptr), "clGetImageInfo");
    if (region[i] == 0) region[i] = 1;  // the depth of a two-dimensional image
  }
  bool widened = false;
  {
    const std::lock_guard lock(textures_mutex_);
    widened = widened_textures_.count(image) != 0;
  }
  std::vector<std::byte> wide;
  if (widened) {
    cl_image_format format{};
    check(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, nullptr), "clGetImageInfo");
    wide = widen(source, region[0] * region[1] * region[2], channel_bytes(format));
    source = wide.data();
  }
  const std::size_t origin[3] = {0, 0, 0};
  check(clEnqueueWriteImage(to_queue(stream), image, CL_TRUE, origin, region, 0, 0, source, 0, nullptr, nullptr),
        "clEnqueueWriteImage");
}

}  // namespace rtcg::opencl
