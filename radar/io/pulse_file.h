// The suite's own pulse file: HDF5, laid out as radar/pulses.h describes a collection (docs/radar-files.md has the
// table). Samples are read and written in blocks of pulses.
#pragma once

#include <filesystem>
#include <memory>

#include "radar/pulses.h"

namespace rtcg::radar {

/// InputError for missing datasets, wrong shapes and values that are not finite.
std::unique_ptr<PulseSource> open_pulse_file(const std::filesystem::path& file);

/// Writes aside and renames, block by block. InputError when the file cannot be written.
void write_pulses(const std::filesystem::path& file, PulseSource& pulses);

}  // namespace rtcg::radar
