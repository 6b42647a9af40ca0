#include "radar/io/cphd_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>

#include "radar/io/cphd_header.h"
#include "radar/io/cphd_xml.h"
#include "radar/io/joined_pulses.h"
#include "radar/io/local_frame.h"
#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t piece_bytes = std::size_t{4} << 20;

std::uint64_t big_endian_word(const char* bytes) {
  std::uint64_t word = 0;
  for (int i = 0; i < 8; ++i) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

float big_endian_float(const char* bytes) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return std::bit_cast<float>(word);
}

float big_endian_short(const char* bytes) {
  return static_cast<std::int16_t>(static_cast<unsigned char>(bytes[0]) << 8 | static_cast<unsigned char>(bytes[1]));
}

std::size_t sample_bytes(CphdSignal signal) {
  return signal == CphdSignal::cf8 ? 8 : signal == CphdSignal::ci4 ? 4 : 2;
}

std::complex<float> sample(CphdSignal signal, const char* bytes) {
  switch (signal) {
    case CphdSignal::cf8:
      return {big_endian_float(bytes), big_endian_float(bytes + 4)};
    case CphdSignal::ci4:
      return {big_endian_short(bytes), big_endian_short(bytes + 2)};
    case CphdSignal::ci2:
      break;
  }
  return {static_cast<float>(static_cast<signed char>(bytes[0])),
          static_cast<float>(static_cast<signed char>(bytes[1]))};
}

class CphdPulses : public PulseSource {
 public:
  CphdPulses(const CphdPath& path, std::optional<LocalFrame>& frame)
      : name_(path.file.string()), in_(path.file, std::ios::binary) {
    const CphdHeader header = read_cphd_header(path.file);
    std::string xml(header.xml.bytes, '\0');
    fetch(header.xml.offset, xml.data(), xml.size(), "the XML block");
    metadata_ = parse_cphd_xml(xml, name_);
    choose_channel(path.channel);
    check_extent(header);
    signal_begin_ = header.signal.offset + channel_.signal_offset;
    read_parameters(header.pvp.offset + channel_.pvp_offset, frame);
    collection_.samples = channel_.samples;
    collection_.description =
        fmt::format("CPHD {}: {}, channel {}", header.version, path.file.filename().string(), channel_.identifier);
    try {
      collection_.check();
    } catch (const InputError& error) {
      fail(error.what());
    }
  }

  const Collection& collection() const override { return collection_; }

  void read(std::size_t first, std::size_t count, std::span<std::complex<float>> samples) override {
    check_block(*this, first, count, samples.size());
    const std::size_t bytes_per_sample = sample_bytes(metadata_.signal),
                      vector_bytes = channel_.samples * bytes_per_sample;
    const std::size_t most = std::max<std::size_t>(1, piece_bytes / vector_bytes);
    for (std::size_t done = 0; done < count;) {
      // Vectors left out break the file into runs.
      std::size_t run = 1;
      while (run < most && done + run < count && vectors_[first + done + run] == vectors_[first + done] + run) ++run;
      buffer_.resize(run * vector_bytes);
      fetch(signal_begin_ + vectors_[first + done] * vector_bytes, buffer_.data(), buffer_.size(),
            fmt::format("pulse {}", first + done));
      for (std::size_t p = 0; p < run; ++p) {
        const float scale = scales_.empty() ? 1.0f : scales_[first + done + p];
        const char* from = buffer_.data() + p * vector_bytes;
        std::complex<float>* to = samples.data() + (done + p) * channel_.samples;
        for (std::size_t k = 0; k < channel_.samples; ++k) {
          const std::complex<float> value = scale * sample(metadata_.signal, from + k * bytes_per_sample);
          to[k] = metadata_.phase_sign > 0 ? std::conj(value) : value;
        }
      }
      done += run;
    }
    check_finite(samples, collection_.samples, first, name_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("{}: {}", name_, what)); }

  void fetch(std::uint64_t offset, char* to, std::size_t bytes, const std::string& what) {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    if (!in_.read(to, static_cast<std::streamsize>(bytes)))
      fail(fmt::format("{}: {} bytes from byte {} cannot be read; the file is truncated or unreadable", what, bytes,
                       offset));
  }

  void choose_channel(const std::string& wanted) {
    const auto& channels = metadata_.channels;
    const auto found = wanted.empty() ? channels.begin()
                                      : std::find_if(channels.begin(), channels.end(),
                                                     [&](const auto& c) { return c.identifier == wanted; });
    if (found == channels.end()) {
      std::string names;
      for (const CphdChannel& c : channels) names += (names.empty() ? "" : ", ") + c.identifier;
      fail(fmt::format("no channel '{}'; there are: {}", wanted, names));
    }
    channel_ = *found;
    if (wanted.empty() && channels.size() > 1)
      collection_.remarks.push_back(fmt::format("channel '{}' of {} read; append #NAME to the file's name for another",
                                                channel_.identifier, channels.size()));
    if (channel_.vectors == 0 || channel_.samples == 0)
      fail(fmt::format("channel '{}' has {} vectors of {} samples; at least one of each is needed", channel_.identifier,
                       channel_.vectors, channel_.samples));
  }

  void check_extent(const CphdHeader& header) const {
    const auto inside = [&](const char* what, std::uint64_t offset, std::uint64_t record, std::uint64_t block) {
      if (offset > block || channel_.vectors > (block - offset) / record)
        fail(fmt::format("channel '{}': {} vectors of {} bytes from byte {} lie outside the {} block of {} bytes",
                         channel_.identifier, channel_.vectors, record, offset, what, block));
    };
    const std::uint64_t bytes = sample_bytes(metadata_.signal);
    if (channel_.samples > header.signal.bytes / bytes)
      fail(fmt::format("channel '{}': vectors of {} samples in a SIGNAL block of {} bytes", channel_.identifier,
                       channel_.samples, header.signal.bytes));
    inside("PVP", channel_.pvp_offset, metadata_.pvp_bytes, header.pvp.bytes);
    inside("SIGNAL", channel_.signal_offset, channel_.samples * bytes, header.signal.bytes);
  }

  double number(const char* record, const CphdParameter& at, std::size_t word = 0) const {
    return std::bit_cast<double>(big_endian_word(record + 8 * (at.offset + word)));
  }

  Vec3 position(const char* record, const CphdParameter& at) const {
    return {number(record, at), number(record, at, 1), number(record, at, 2)};
  }

  void read_parameters(std::uint64_t begin, std::optional<LocalFrame>& frame) {
    const std::size_t record_bytes = metadata_.pvp_bytes,
                      per_piece = std::max<std::size_t>(1, piece_bytes / record_bytes);
    std::vector<Vec3> references;
    std::uint64_t left_out = 0;
    for (std::uint64_t first = 0; first < channel_.vectors; first += per_piece) {
      const std::size_t count = std::min<std::uint64_t>(per_piece, channel_.vectors - first);
      buffer_.resize(count * record_bytes);
      fetch(begin + first * record_bytes, buffer_.data(), buffer_.size(),
            fmt::format("parameters of vector {}", first));
      for (std::size_t v = 0; v < count; ++v) {
        const char* record = buffer_.data() + v * record_bytes;
        if (metadata_.validity && big_endian_word(record + 8 * metadata_.validity->offset) == 0)
          ++left_out;
        else
          add_vector(first + v, record, references);
      }
    }
    if (left_out > 0)
      collection_.remarks.push_back(
          fmt::format("{} of {} vectors left out: their SIGNAL is 0", left_out, channel_.vectors));
    if (vectors_.empty())
      fail(fmt::format("channel '{}': no vector has a valid signal (SIGNAL is 0 for all)", channel_.identifier));
    if (apart_ > 0)
      collection_.remarks.push_back(fmt::format(
          "transmit and receive positions up to {:.3g} m apart: their mean is used, range error at most {:.2g} m",
          apart_, range_error_));
    if (!frame) frame = make_frame(references);
    for (Vec3& antenna : collection_.antenna) antenna = frame->to_local(antenna);
  }

  void add_vector(std::uint64_t index, const char* record, std::vector<Vec3>& references) {
    const Vec3 tx = position(record, metadata_.tx_position), rcv = position(record, metadata_.rcv_position);
    const Vec3 reference = position(record, metadata_.reference_position), mean = 0.5 * (tx + rcv);
    if (!tx.allFinite() || !rcv.allFinite() || !reference.allFinite())
      fail(fmt::format("vector {}: TxPos, RcvPos or SRPPos is not finite", index));
    const double range = (mean - reference).norm(), first = number(record, metadata_.first_frequency);
    const double step = number(record, metadata_.frequency_step), apart = (tx - rcv).norm(),
                 error = apart * apart / (8 * range);
    const double last = first + step * static_cast<double>(channel_.samples - 1);
    if (error > speed_of_light / (16 * last))
      fail(
          fmt::format("vector {}: transmitter and receiver are {:.3g} m apart at {:.3g} m range, too far for their "
                      "mean (error up to "
                      "{:.2g} m); bistatic data is not read",
                      index, apart, range, error));
    apart_ = std::max(apart_, apart);
    range_error_ = std::max(range_error_, error);
    vectors_.push_back(index);
    references.push_back(reference);
    collection_.antenna.push_back(mean);
    collection_.reference_range.push_back(range);
    collection_.first_frequency.push_back(first);
    collection_.frequency_step.push_back(step);
    if (!metadata_.amplitude) return;
    const double scale = number(record, *metadata_.amplitude);
    if (!std::isfinite(static_cast<float>(scale)))
      fail(fmt::format("vector {}: AmpSF is {}; a finite number is needed", index, scale));
    scales_.push_back(static_cast<float>(scale));
  }

  LocalFrame make_frame(const std::vector<Vec3>& references) {
    Vec3 origin = Vec3::Zero();
    for (const Vec3& reference : references) origin += reference / static_cast<double>(references.size());
    if (metadata_.scene_reference) origin = *metadata_.scene_reference;
    if (const double radius = origin.norm(); !(radius > 6.3e6 && radius < 6.5e6))
      fail(fmt::format(
          "the scene's reference point (IARP) is {:.6g} m from the Earth's centre; a point on its surface is needed",
          radius));
    const LocalFrame standard = east_north_up(origin);
    if (!metadata_.plane_axes) return standard;
    const auto& [x, y] = *metadata_.plane_axes;
    if (std::abs(x.norm() - 1) > 1e-3 || std::abs(y.norm() - 1) > 1e-3 || std::abs(x.dot(y)) > 1e-3)
      fail("uIAX and uIAY are not unit vectors at right angles");
    LocalFrame frame{origin, {}};
    const Vec3 z = x.cross(y).normalized();
    if (z.dot(geodetic_up(origin)) <= 0) {
      collection_.remarks.emplace_back("the reference plane faces down; east, north and up are the axes instead");
      return standard;
    }
    frame.axes.row(0) = x.normalized();
    frame.axes.row(1) = z.cross(x.normalized());
    frame.axes.row(2) = z;
    return frame;
  }

  std::string name_;
  std::ifstream in_;
  CphdMetadata metadata_;
  CphdChannel channel_;
  std::uint64_t signal_begin_ = 0;
  std::vector<std::uint64_t> vectors_;  // in the file, of every pulse
  std::vector<float> scales_;
  double apart_ = 0, range_error_ = 0;
  std::vector<char> buffer_;
  Collection collection_;
};

}  // namespace

CphdPath CphdPath::parse(const fs::path& path) {
  const std::string text = path.string();
  const std::size_t hash = text.rfind('#');
  std::error_code ignored;
  if (hash == std::string::npos || fs::exists(path, ignored)) return {path, {}};
  return {text.substr(0, hash), text.substr(hash + 1)};
}

std::unique_ptr<PulseSource> open_cphd(std::span<const fs::path> paths) {
  std::vector<std::unique_ptr<PulseSource>> parts;
  std::vector<std::string> names;
  std::optional<LocalFrame> frame;
  for (const fs::path& path : paths) {
    parts.push_back(std::make_unique<CphdPulses>(CphdPath::parse(path), frame));
    names.push_back(path.string());
  }
  return join_pulses(std::move(parts), names);
}

}  // namespace rtcg::radar
