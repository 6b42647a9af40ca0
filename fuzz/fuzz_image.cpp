// Whatever the bytes, reading them as an image either works or throws an InputError.
#include "input_file.h"
#include "radar/io/image_file.h"
#include "rtcg/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const rtcg::InputFile file(".h5");
  try {
    const rtcg::radar::StoredImage stored = rtcg::radar::read_image(file.with(data, size));
    if (stored.image.pixels.size() != stored.image.grid.pixels()) std::abort();
  } catch (const rtcg::InputError&) {
  }
  return 0;
}
