// Phase history of point targets, exactly as radar/pulses.h defines it, computed on a device in double precision for
// any trajectory. The basis of every closed-form test.
#pragma once

#include <complex>
#include <filesystem>
#include <optional>
#include <vector>

#include "radar/pulses.h"
#include "rtcg/device/stream.h"

namespace rtcg::radar {

struct PointTarget {
  Vec3 position;  ///< m
  std::complex<double> amplitude{1, 0};
};

/// CSV with a header line x,y,z,re,im. InputError with file and line.
std::vector<PointTarget> read_targets(const std::filesystem::path& file);
/// Positions x,y,z in metres, one pulse per line, header line as named.
std::vector<Vec3> read_trajectory(const std::filesystem::path& file);
/// A scene that shows at a glance whether an image is right: not symmetric in x, y or both.
std::vector<PointTarget> built_in_scene();

/// Straight flight: pulses spaced evenly, broadside at the middle.
std::vector<Vec3> straight_trajectory(std::size_t pulses, double ground_range, double height, double length);
/// Arc about the z axis, azimuth in radians.
std::vector<Vec3> circular_trajectory(std::size_t pulses, double ground_range, double height, double first_azimuth,
                                      double last_azimuth);

struct SimulationOptions {
  std::size_t samples = 512;
  double centre_frequency = 10e9;     ///< Hz
  double bandwidth = 600e6;           ///< Hz, from the first to the last frequency
  std::optional<double> snr_db = {};  ///< of one sample of the strongest target against complex white noise
  std::uint64_t seed = 1;             ///< of the noise: same seed, same bits
};

StoredPulses simulate(const Stream& stream, const std::vector<Vec3>& trajectory,
                      const std::vector<PointTarget>& targets, const SimulationOptions& options);

}  // namespace rtcg::radar
