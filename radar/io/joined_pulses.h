// Several collections, one after the other, as one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "radar/pulses.h"

namespace rtcg::radar {

/// Parts must agree in samples per pulse; InputError names the part (by `names`) that does not. Corrections are used
/// where every part has them, with a remark otherwise.
std::unique_ptr<PulseSource> join_pulses(std::vector<std::unique_ptr<PulseSource>> parts,
                                         const std::vector<std::string>& names);

}  // namespace rtcg::radar
