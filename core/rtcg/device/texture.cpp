#include "rtcg/device/texture.h"

#include <fmt/format.h>

#include "rtcg/error.h"

namespace rtcg {

struct Texture::State {
  Stream stream;
  TextureDescription description;
  Handle handle = 0;

  State(const Stream& stream_, const TextureDescription& description_)
      : stream(stream_), description(description_), handle(stream_.device().driver().create_texture(description_)) {}
  ~State() { stream.device().driver().release_texture(handle); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Texture::Texture(const Stream& stream, const TextureDescription& description) {
  if (description.channels != 1 && description.channels != 2 && description.channels != 4) {
    throw UsageError(fmt::format("Texture: 1, 2 or 4 channels, not {}", description.channels));
  }
  if (description.width == 0 || description.height == 0 || description.depth == 0) {
    throw UsageError(fmt::format("Texture: an extent of {} x {} x {} is empty", description.width, description.height,
                                 description.depth));
  }
  if (!stream.device().properties().has_images) {
    throw DeviceError(fmt::format("Texture: {} has no images", stream.device().id()));
  }
  state_ = std::make_shared<State>(stream, description);
}

const TextureDescription& Texture::description() const {
  return state_->description;
}

std::size_t Texture::bytes() const {
  const TextureDescription& d = state_->description;
  const std::size_t channel = d.format == TextureFormat::float32 ? sizeof(float) : 1;
  return d.width * d.height * d.depth * d.channels * channel;
}

void Texture::write(const void* texels, std::size_t bytes_given) const {
  if (bytes_given != bytes()) {
    throw UsageError(fmt::format("Texture::write: the texture has {} bytes, {} were given", bytes(), bytes_given));
  }
  state_->stream.device().driver().write_texture(state_->stream.native(), state_->handle, texels);
}

const Handle* Texture::argument() const {
  return &state_->handle;
}

}  // namespace rtcg
