// CPHD 1.0 and 1.1 (NGA.STND.0068): FX domain, CF8, CI4, CI2, uncompressed, monostatic spotlight or stripmap.
//
// The frame's origin is the scene's reference point; its axes are the reference plane's where the XML has them, else
// east, north and up. Only the per-vector parameters stay in memory; the signal is read by the block.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "radar/pulses.h"

namespace rtcg::radar {

/// "file.cphd", or "file.cphd#NAME" for the channel of that identifier when no file has the whole name.
struct CphdPath {
  std::filesystem::path file;
  std::string channel;  ///< empty: the first
  static CphdPath parse(const std::filesystem::path& path);
};

/// Several files are joined as given, in the frame of the first. Transmit and receive positions are replaced by their
/// mean M: the half-sum of ranges exceeds |M - x| by at most b^2 / (8 |M - x|) for positions b apart (concavity of the
/// square root), and where that exceeds a sixteenth of a wavelength the file is refused as bistatic.
/// Vectors whose SIGNAL is 0 are left out with a remark.
std::unique_ptr<PulseSource> open_cphd(std::span<const std::filesystem::path> paths);

}  // namespace rtcg::radar
