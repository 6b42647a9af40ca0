#pragma once

namespace rtcg {
inline constexpr const char* version = "0.1.0";
}
