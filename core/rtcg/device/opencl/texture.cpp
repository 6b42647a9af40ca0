#include <fmt/format.h>

#include "rtcg/device/opencl/driver.h"

namespace rtcg::opencl {

Handle OpenClDriver::create_texture(const TextureDescription& d) {
  const cl_channel_order order = d.channels == 1 ? CL_R : d.channels == 2 ? CL_RG : CL_RGBA;
  const cl_image_format format{
      order, static_cast<cl_channel_type>(d.format == TextureFormat::float32 ? CL_FLOAT : CL_UNORM_INT8)};
  cl_image_desc image{};
  image.image_type = d.depth > 1 ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D;
  image.image_width = d.width;
  image.image_height = d.height;
  image.image_depth = d.depth > 1 ? d.depth : 0;
  cl_int status = CL_SUCCESS;
  const cl_mem texture = clCreateImage(context(), CL_MEM_READ_ONLY, &format, &image, nullptr, &status);
  if (status != CL_SUCCESS) {
    fail(status, "clCreateImage", properties().id,
         fmt::format("{} x {} x {} texels of {} channels", d.width, d.height, d.depth, d.channels));
  }
  return to_handle(texture);
}

void OpenClDriver::release_texture(Handle texture) noexcept {
  if (texture != 0) clReleaseMemObject(to_memory(texture));
}

void OpenClDriver::write_texture(Handle stream, Handle texture, const void* source) {
  std::size_t region[3] = {};
  const cl_image_info extents[3] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH};
  for (int i = 0; i < 3; ++i) {
    check(clGetImageInfo(to_memory(texture), extents[i], sizeof region[i], &region[i], nullptr), "clGetImageInfo");
    if (region[i] == 0) region[i] = 1;  // the depth of a two-dimensional image
  }
  const std::size_t origin[3] = {0, 0, 0};
  check(clEnqueueWriteImage(to_queue(stream), to_memory(texture), CL_TRUE, origin, region, 0, 0, source, 0, nullptr,
                            nullptr),
        "clEnqueueWriteImage");
}

}  // namespace rtcg::opencl
