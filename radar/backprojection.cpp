#include "radar/backprojection.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "radar/accumulator.h"
#include "radar/range_compression.h"
#include "radar/tile_tuning.h"
#include "rtcg/error.h"

namespace rtcg::radar {

namespace {

std::size_t choose_nfft(const Collection& collection, const ImagingOptions& options) {
  if (options.nfft == 0) {
    std::size_t power = 1;
    while (power < collection.samples) power *= 2;
    return std::max<std::size_t>(8 * power, 16);
  }
  const std::size_t nfft = options.nfft;
  if (nfft < collection.samples)
    throw UsageError(fmt::format("nfft {} is smaller than the {} samples of a pulse", nfft, collection.samples));
  if (nfft % 2 != 0 || !Fft::is_direct(nfft))
    throw UsageError(fmt::format("nfft {} is not an even product of 2, 3, 5 and 7", nfft));
  if (nfft > std::size_t{1} << 24) throw UsageError(fmt::format("nfft {} is above the limit of 2^24 range bins", nfft));
  return nfft;
}

/// Pulses that fit comfortably: their samples, profiles and tables in a quarter of the memory, at most 512 MiB.
std::size_t choose_block(const DeviceProperties& device, const Collection& collection, const ImagingOptions& options,
                         std::size_t row, std::size_t nfft) {
  const std::size_t most = device.kind == DeviceKind::gpu ? 1024 : 128;
  const std::size_t profile = options.precision == Precision::reference ? 32 : 16;
  const std::size_t per_pulse = 8 * collection.samples + profile * nfft + 16 * row;
  const std::size_t fitting =
      std::max<std::size_t>(std::min(device.global_memory / 4, std::size_t{512} << 20) / per_pulse, 1);
  const std::size_t wanted = options.block_pulses > 0 ? options.block_pulses : std::min(most, fitting);
  return std::min(wanted, collection.pulses());
}

struct BlockTimes {
  Event start, compressed, end;
};

}  // namespace

Image form_image(const Stream& stream, PulseSource& pulses, const ImageGrid& grid, const ImagingOptions& options,
                 ImagingReport* report, const Progress& progress) {
  const Collection& collection = pulses.collection();
  collection.check();
  grid.check();
  const DeviceProperties& device = stream.device().properties();
  if (!device.has_double)
    throw DeviceError(fmt::format("{} ({}) has no double precision, which the geometry needs", device.id, device.name));
  const std::size_t nfft = choose_nfft(collection, options);
  const TilePlan plan = plan_tuned_tiles(stream.device(), collection, grid, options, nfft);
  const std::size_t block = choose_block(device, collection, options, plan.row(nfft), nfft);
  const bool in_double = options.precision == Precision::reference;

  TileImage image(stream, plan, grid, options.region, in_double);
  RangeCompression compress(stream, collection, options, nfft, block);
  const std::unique_ptr<Accumulator> accumulator =
      make_accumulator(stream, image, grid, options, collection.samples, nfft, block);
  const Buffer geometry = pulse_geometry(stream, collection, options, nfft);
  const std::size_t pulse_bytes = collection.samples * sizeof(std::complex<float>);
  const HostBuffer staging[2] = {HostBuffer(stream.device(), block * pulse_bytes),
                                 HostBuffer(stream.device(), block * pulse_bytes)};
  const Buffer samples = Buffer::of<std::complex<float>>(stream, block * collection.samples);
  std::vector<BlockTimes> times;
  for (std::size_t first = 0; first < collection.pulses(); first += block) {
    const std::size_t count = std::min(block, collection.pulses() - first);
    // Reading this block overlaps the device's work on the one before; its own staging buffer was used two blocks ago.
    const HostBuffer& host = staging[times.size() % 2];
    pulses.read(first, count, host.as<std::complex<float>>().first(count * collection.samples));
    Event start = stream.record();
    samples.write_async(stream, host, count * pulse_bytes);
    const Buffer profiles = compress(samples, first, count);
    Event compressed = stream.record();
    accumulator->add(profiles, geometry, first, count);
    times.push_back({start, compressed, stream.record()});
    stream.flush();
    if (times.size() > 1) times[times.size() - 2].end.synchronize();
    if (progress) progress(static_cast<double>(first) / static_cast<double>(collection.pulses()));
  }
  Image result = image.download();
  if (progress) progress(1.0);

  if (report) {
    report->nfft = nfft, report->pulses = collection.pulses(), report->block_pulses = block;
    report->kernel = in_double ? "double precision, exact ranges" : plan.describe();
    report->phase_error_bound = in_double ? 0x1p-52 * 4 * std::numbers::pi * collection.centre_frequency() /
                                                speed_of_light * (collection.antenna[0] - grid.centre).norm()
                                          : plan.phase_error_bound;
    report->ser_estimate_db = -20 * std::log10(report->phase_error_bound);
    report->compression_seconds = report->backprojection_seconds = 0;
    for (const BlockTimes& block_times : times) {
      report->compression_seconds += seconds_between(block_times.start, block_times.compressed);
      report->backprojection_seconds += seconds_between(block_times.compressed, block_times.end);
    }
    report->backprojections = static_cast<double>(result.pixels.size()) * static_cast<double>(collection.pulses());
  }
  return result;
}

}  // namespace rtcg::radar
