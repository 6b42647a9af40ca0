// Whatever the bytes, reading them as a NumPy array or as the HDF5 dataset /t/z either works or throws an InputError.
#include "input_file.h"
#include "radar/io/dem.h"
#include "rtcg/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const rtcg::InputFile file(".npy");
  const rtcg::radar::ImageGrid grid{4, 3, 1, 0.5, 0.25, 1, {10, 20, 0}, {}};
  const std::string path = file.with(data, size).string();
  for (const std::string& source : {path, path + ":/t/z"}) {
    try {
      if (rtcg::radar::read_heights(source, grid).size() != 12) std::abort();
    } catch (const rtcg::InputError&) {
    }
  }
  return 0;
}
