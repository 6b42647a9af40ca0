// What imaging needs of a CPHD file's XML block. Elements are found by local name, whatever the namespace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "radar/vector.h"

namespace rtcg::radar {

enum class CphdSignal { cf8, ci4, ci2 };  ///< complex pairs of float32, int16, int8

struct CphdChannel {
  std::string identifier;
  std::uint64_t vectors = 0, samples = 0;
  std::uint64_t signal_offset = 0, pvp_offset = 0;  ///< bytes from the start of the file's blocks
};

/// Place of one parameter in every vector's record, in 8-byte words.
struct CphdParameter {
  std::uint64_t offset = 0;
  std::uint64_t words = 0;  ///< 1, or 3 for positions
};

struct CphdMetadata {
  int phase_sign = -1;  ///< SGN: of the phase of a target behind the reference point
  CphdSignal signal = CphdSignal::cf8;
  std::uint64_t pvp_bytes = 0;  ///< of one vector's record
  std::vector<CphdChannel> channels;
  CphdParameter tx_position, rcv_position, reference_position, first_frequency, frequency_step;
  std::optional<CphdParameter> amplitude, validity;  ///< AmpSF, SIGNAL
  std::optional<Vec3> scene_reference;               ///< IARP, earth-centred, m
  std::optional<std::array<Vec3, 2>> plane_axes;     ///< uIAX, uIAY
};

/// `name` is for messages. InputError for malformed XML, missing or malformed elements, and what is not read: the TOA
/// domain and compressed signal arrays.
CphdMetadata parse_cphd_xml(std::string_view text, const std::string& name);

}  // namespace rtcg::radar
