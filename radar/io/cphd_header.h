// The text at the start of a CPHD file: where the XML, the per-vector parameters and the signal lie.
//
// "CPHD/1.1.0\n", lines "KEY := value\n", then "\f\n" (NGA.STND.0068). Every block is checked against the file's size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace rtcg::radar {

struct CphdHeader {
  struct Block {
    std::uint64_t offset = 0, bytes = 0;
  };
  std::string version;  ///< "1.0.1" or "1.1.0"
  Block xml, pvp, signal;
};

/// InputError for another version, a missing or malformed key and a block outside the file.
CphdHeader read_cphd_header(const std::filesystem::path& file);

}  // namespace rtcg::radar
