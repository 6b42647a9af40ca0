#include "radar/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>
#include <string_view>

#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "rtcg_radar_kernels.h"

namespace rtcg::radar {

namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Rows of numbers below a header line that must read exactly `header` (blanks aside).
std::vector<std::vector<double>> read_table(const std::filesystem::path& file, std::string_view header) {
  std::ifstream input(file);
  if (!input) throw InputError(fmt::format("{}: cannot be opened", file.string()));
  const auto columns = static_cast<std::size_t>(std::count(header.begin(), header.end(), ',')) + 1;
  std::vector<std::vector<double>> rows;
  bool header_seen = false;
  std::string line;
  for (std::size_t number = 1; std::getline(input, line); ++number) {
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // spreadsheets' byte order mark
    if (trim(line).empty()) continue;
    if (!header_seen) {
      std::string found;
      for (const char c : line)
        if (c != ' ' && c != '\t' && c != '\r') found += c;
      if (found != header)
        throw InputError(fmt::format("{}:{}: expected the header line {}", file.string(), number, header));
      header_seen = true;
      continue;
    }
    std::vector<double> row;
    std::string_view rest = line;
    for (bool more = true; more;) {
      const std::size_t comma = rest.find(',');
      more = comma != std::string_view::npos;
      const std::string_view field = trim(rest.substr(0, comma));
      rest = more ? rest.substr(comma + 1) : std::string_view{};
      double value = 0;
      const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
      if (field.empty() || error != std::errc{} || end != field.data() + field.size() || !std::isfinite(value))
        throw InputError(fmt::format("{}:{}: '{}' is not a finite number", file.string(), number, field));
      row.push_back(value);
    }
    if (row.size() != columns)
      throw InputError(
          fmt::format("{}:{}: {} values, expected {} ({})", file.string(), number, row.size(), columns, header));
    rows.push_back(std::move(row));
  }
  if (input.bad()) throw InputError(fmt::format("{}: cannot be read", file.string()));
  if (rows.empty()) throw InputError(fmt::format("{}: holds no rows below the header line {}", file.string(), header));
  return rows;
}

void check_trajectory(std::size_t pulses, double ground_range, double height) {
  if (pulses == 0) throw UsageError("a trajectory needs at least one pulse");
  if (!std::isfinite(ground_range) || !std::isfinite(height) || !(std::hypot(ground_range, height) > 0))
    throw UsageError("a trajectory's ground range and height must be finite and not both zero");
}

double fraction(std::size_t index, std::size_t count) {
  return count == 1 ? 0.5 : static_cast<double>(index) / static_cast<double>(count - 1);
}

/// splitmix64's finaliser (Steele, Lea, Flood 2014): every counter gives independent-looking bits.
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Circular complex Gaussian of unit variance, by Box and Muller, on the host so that every device sees the same bits.
std::complex<double> noise(std::uint64_t seed, std::uint64_t counter) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  const std::uint64_t key = mix(seed + golden);
  const auto uniform = [&](std::uint64_t n) {
    return (static_cast<double>(mix(key + golden * (n + 1)) >> 11) + 0.5) * 0x1p-53;
  };
  return std::polar(std::sqrt(-std::log(uniform(2 * counter))), 2 * std::numbers::pi * uniform(2 * counter + 1));
}

Collection describe(const std::vector<Vec3>& trajectory, std::size_t targets, const SimulationOptions& options) {
  Collection collection;
  collection.samples = options.samples;
  const bool single = options.samples == 1;
  const double step = single ? options.bandwidth : options.bandwidth / static_cast<double>(options.samples - 1);
  for (const Vec3& antenna : trajectory) {
    collection.antenna.push_back(antenna);
    collection.reference_range.push_back(antenna.norm());
    collection.first_frequency.push_back(options.centre_frequency - (single ? 0 : 0.5 * options.bandwidth));
    collection.frequency_step.push_back(step);
  }
  collection.description = fmt::format("simulated, {} point target{}", targets, targets == 1 ? "" : "s");
  return collection;
}

void check(const std::vector<Vec3>& trajectory, const std::vector<PointTarget>& targets,
           const SimulationOptions& options) {
  if (trajectory.empty()) throw UsageError("simulate: the trajectory has no pulses");
  if (options.samples == 0 || options.samples > (std::size_t{1} << 24))
    throw UsageError(fmt::format("simulate: {} samples a pulse; 1 to 16777216 are possible", options.samples));
  if (!(options.bandwidth > 0) || !std::isfinite(options.centre_frequency) ||
      !(0.5 * options.bandwidth < options.centre_frequency))
    throw UsageError(fmt::format("simulate: a band of {:g} Hz about {:g} Hz; it must be positive and stay above 0 Hz",
                                 options.bandwidth, options.centre_frequency));
  if (options.snr_db && !(std::abs(*options.snr_db) <= 300))
    throw UsageError(
        fmt::format("simulate: a signal-to-noise ratio of {:g} dB; it must be from -300 to 300 dB", *options.snr_db));
  for (std::size_t p = 0; p < trajectory.size(); ++p)
    if (!(trajectory[p].cwiseAbs().maxCoeff() <= length_limit) || !trajectory[p].allFinite() ||
        !(trajectory[p].norm() > 0))
      throw UsageError(fmt::format(
          "simulate: pulse {}: the antenna must be within {:g} m of the scene centre and not at it", p, length_limit));
  double brightest = 0;
  for (std::size_t t = 0; t < targets.size(); ++t)
    if (!targets[t].position.allFinite() || !(targets[t].position.cwiseAbs().maxCoeff() <= length_limit) ||
        !((brightest += std::abs(targets[t].amplitude)) <= 1e30))
      throw UsageError(
          fmt::format("simulate: target {}: positions up to {:g} m and amplitudes up to 1e30 in sum are possible", t,
                      length_limit));
}

}  // namespace

std::vector<PointTarget> read_targets(const std::filesystem::path& file) {
  std::vector<PointTarget> targets;
  for (const auto& row : read_table(file, "x,y,z,re,im"))
    targets.push_back({{row[0], row[1], row[2]}, {row[3], row[4]}});
  return targets;
}

std::vector<Vec3> read_trajectory(const std::filesystem::path& file) {
  std::vector<Vec3> positions;
  for (const auto& row : read_table(file, "x,y,z")) positions.emplace_back(row[0], row[1], row[2]);
  return positions;
}

std::vector<PointTarget> built_in_scene() {
  std::vector<PointTarget> targets;
  const auto stroke = [&](double x0, double y0, double x1, double y1, int points) {
    for (int n = 0; n < points; ++n) {
      const double t = static_cast<double>(n) / (points - 1);
      targets.push_back({{x0 + t * (x1 - x0), y0 + t * (y1 - y0), 0}, {1, 0}});
    }
  };
  // The letter F reads wrong under any flip; the points to its right fade in steps of 10 dB towards +x.
  stroke(-15, -15, -15, 15, 16);
  stroke(-13, 15, 3, 15, 9);
  stroke(-13, 1, -1, 1, 7);
  for (int n = 0; n < 4; ++n) targets.push_back({{5.0 + 5 * n, -12, 0}, {3 * std::pow(10.0, -0.5 * n), 0}});
  return targets;
}

std::vector<Vec3> straight_trajectory(std::size_t pulses, double ground_range, double height, double length) {
  check_trajectory(pulses, ground_range, height);
  if (!std::isfinite(length) || length < 0)
    throw UsageError("a straight trajectory's length must be finite and not negative");
  std::vector<Vec3> positions;
  for (std::size_t p = 0; p < pulses; ++p)
    positions.emplace_back(ground_range, (fraction(p, pulses) - 0.5) * length, height);
  return positions;
}

std::vector<Vec3> circular_trajectory(std::size_t pulses, double ground_range, double height, double first_azimuth,
                                      double last_azimuth) {
  check_trajectory(pulses, ground_range, height);
  if (!std::isfinite(first_azimuth) || !std::isfinite(last_azimuth))
    throw UsageError("a circular trajectory's azimuths must be finite");
  std::vector<Vec3> positions;
  for (std::size_t p = 0; p < pulses; ++p) {
    const double azimuth = first_azimuth + fraction(p, pulses) * (last_azimuth - first_azimuth);
    positions.emplace_back(ground_range * std::cos(azimuth), ground_range * std::sin(azimuth), height);
  }
  return positions;
}

StoredPulses simulate(const Stream& stream, const std::vector<Vec3>& trajectory,
                      const std::vector<PointTarget>& targets, const SimulationOptions& options) {
  check(trajectory, targets, options);
  const DeviceProperties& device = stream.device().properties();
  if (!device.has_double)
    throw DeviceError(fmt::format("simulate: {} has no double precision; choose another device", device.id));
  Collection collection = describe(trajectory, targets.size(), options);
  const std::size_t samples = options.samples, pulses = trajectory.size();

  std::vector<double> places;
  for (const PointTarget& target : targets)
    places.insert(places.end(), {target.position.x(), target.position.y(), target.position.z(), target.amplitude.real(),
                                 target.amplitude.imag()});
  places.resize(std::max<std::size_t>(places.size(), 5));
  std::vector<double> flights;
  for (std::size_t p = 0; p < pulses; ++p)
    flights.insert(flights.end(),
                   {trajectory[p].x(), trajectory[p].y(), trajectory[p].z(), collection.reference_range[p],
                    collection.first_frequency[p], collection.frequency_step[p]});

  // A CPU wants long runs of work in one item, a GPU many items with few registers each.
  const bool cpu = device.kind == DeviceKind::cpu;
  const std::size_t chunk = cpu ? 32 : 8, local = cpu ? 1 : 128;
  const Kernel kernel =
      compile(stream.device(),
              Source("simulate.cl", std::string(kernels::simulate_cl)).define("CHUNK", static_cast<int>(chunk)))
          .kernel("simulate");

  std::vector<std::complex<float>> history(pulses * samples);
  const Buffer device_targets = Buffer::from(stream, places);
  const std::size_t block = std::clamp<std::size_t>((std::size_t{1} << 23) / samples, 1, pulses);
  const Buffer device_samples = Buffer::of<float>(stream, 2 * block * samples);
  for (std::size_t first = 0; first < pulses; first += block) {
    const std::size_t count = std::min(block, pulses - first);
    const Buffer device_pulses = Buffer::from(stream, std::span<const double>(flights).subspan(6 * first, 6 * count));
    const std::size_t items = count * ((samples + chunk - 1) / chunk);
    kernel(stream, Grid::over(std::min<std::size_t>(items, std::size_t{1} << 20), local), device_samples,
           device_targets, device_pulses, static_cast<int>(targets.size()), static_cast<int>(count),
           static_cast<int>(samples));
    device_samples.read(history.data() + first * samples, count * samples * sizeof(std::complex<float>));
  }

  if (options.snr_db) {
    double strongest = 0;
    for (const PointTarget& target : targets) strongest = std::max(strongest, std::abs(target.amplitude));
    const double scale = (targets.empty() ? 1 : strongest) * std::pow(10.0, -*options.snr_db / 20);
    for (std::size_t n = 0; n < history.size(); ++n) history[n] += std::complex<float>(scale * noise(options.seed, n));
  }
  return {std::move(collection), std::move(history)};
}

}  // namespace rtcg::radar
