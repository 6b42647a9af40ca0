#include "rtcg/tune/trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtcg/error.h"

namespace rtcg {

namespace {

constexpr unsigned char band_byte = 0xA5, poison_byte = 0xFF;
constexpr std::size_t least_band = 4096;  // bytes: a stray row or tile lands in it

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

GuardedOutput::GuardedOutput(const Stream& stream, std::string name, std::size_t bytes, ScalarType element)
    : name_(std::move(name)) {
  band_ = round_up(least_band, std::max<std::size_t>(1, stream.device().properties().base_alignment));
  whole_ = Buffer(stream, band_ + bytes + band_, MemoryKind::device, element);
  inner_ = whole_.slice(band_, bytes);
}

void GuardedOutput::poison() const {
  whole_.fill(whole_.stream(), band_byte);
  inner_.fill(whole_.stream(), poison_byte);
}

void GuardedOutput::check_bands() const {
  std::vector<unsigned char> before(band_), after(band_);
  whole_.read(before.data(), band_, 0);
  whole_.read(after.data(), band_, band_ + inner_.bytes());
  const auto is_written = [](unsigned char byte) { return byte != band_byte; };
  if (const auto first = std::find_if(before.begin(), before.end(), is_written); first != before.end())
    throw NumericalError(fmt::format("{}: written {} bytes before its start", name_, before.end() - first));
  if (const auto last = std::find_if(after.rbegin(), after.rend(), is_written); last != after.rend())
    throw NumericalError(fmt::format("{}: written {} bytes past its end", name_, after.rend() - last));
}

std::function<void()> validated(Trial& trial, const Stream& stream, const Configuration& configuration) {
  std::function<void()> execute = trial.prepare(configuration);
  for (const GuardedOutput* output : trial.outputs()) output->poison();
  execute();
  stream.synchronize();
  for (const GuardedOutput* output : trial.outputs()) output->check_bands();
  trial.check();
  return execute;
}

}  // namespace rtcg
