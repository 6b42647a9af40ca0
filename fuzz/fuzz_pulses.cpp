// Whatever the bytes, opening them as pulses and reading all of them either works or throws one of the suite's errors.
#include "input_file.h"
#include "radar/pulses.h"
#include "rtcg/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rtcg;
  static const InputFile file(".bin");
  const std::filesystem::path path = file.with(data, size);
  try {
    const std::unique_ptr<radar::PulseSource> source = radar::open_pulses(std::span(&path, 1));
    const radar::Collection& collection = source->collection();
    std::vector<std::complex<float>> pulse(collection.samples);
    for (std::size_t p = 0; p < collection.pulses(); ++p) source->read(p, 1, pulse);
  } catch (const InputError&) {
  }
  return 0;
}
