// Image words for CUDA: the texture object carries filter and edge, a sampler only says so again. Kept apart because
// without them NVRTC may leave its texture support out (-minimal), which takes a third of a small kernel's compile time.
typedef cudaTextureObject_t image2d_t;
typedef cudaTextureObject_t image3d_t;
typedef int sampler_t;
#define read_only
#define __read_only
#define RTCG_SAMPLER(filter, edge) 0
inline float4 read_imagef(cudaTextureObject_t image, sampler_t, float2 at) { return tex2D<float4>(image, at.x, at.y); }
inline float4 read_imagef(cudaTextureObject_t image, sampler_t, int2 at) { return tex2D<float4>(image, at.x + 0.5f, at.y + 0.5f); }
inline float4 read_imagef(cudaTextureObject_t image, sampler_t, float4 at) { return tex3D<float4>(image, at.x, at.y, at.z); }
inline float4 read_imagef(cudaTextureObject_t image, sampler_t, int4 at) {
  return tex3D<float4>(image, at.x + 0.5f, at.y + 0.5f, at.z + 0.5f);
}
#define RTCG_IMAGE_EXTENT(word, query) \
  inline int word(cudaTextureObject_t image) { \
    int extent; \
    asm("txq." query ".b32 %0, [%1];" : "=r"(extent) : "l"(image)); \
    return extent; \
  }
RTCG_IMAGE_EXTENT(get_image_width, "width") RTCG_IMAGE_EXTENT(get_image_height, "height") RTCG_IMAGE_EXTENT(get_image_depth, "depth")
