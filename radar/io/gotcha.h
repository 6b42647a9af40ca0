// AFRL "Gotcha" phase history: MATLAB 5 files, each with one struct `data` of about a degree of azimuth.
//
// Fields: fp complex [K x Np] (frequency fastest), freq [K] Hz, x, y, z, r0 [Np] m, and optionally af with
// r_correct [Np] m and ph_correct [Np] rad. Samples stay on disk but for the files read last.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "radar/pulses.h"

namespace rtcg::radar {

/// Joins the files: pulses in ascending azimuth of the antenna, starting behind the widest gap, so that a collection
/// across 0 degrees stays in one piece. Corrections are used where every file has them. InputError for files that
/// disagree in K or in frequencies and for a pulse that occurs twice; also where the build lacks matio.
std::unique_ptr<PulseSource> open_gotcha(std::span<const std::filesystem::path> files);

}  // namespace rtcg::radar
