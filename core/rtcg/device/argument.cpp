#include "rtcg/device/argument.h"

#include <fmt/format.h>

#include "rtcg/error.h"

namespace rtcg {

namespace {

struct ScalarInfo {
  const char* name;
  std::size_t bytes;
};

// In the order of ScalarType.
constexpr ScalarInfo scalars[] = {{"?", 0},      {"bool", 1},  {"char", 1},   {"uchar", 1},    {"short", 2},
                                  {"ushort", 2}, {"int", 4},   {"uint", 4},   {"long", 8},     {"ulong", 8},
                                  {"half", 2},   {"float", 4}, {"double", 8}, {"cfloat_t", 8}, {"cdouble_t", 16}};

}  // namespace

const char* name_of(ScalarType type) {
  return scalars[static_cast<std::size_t>(type)].name;
}
std::size_t size_of(ScalarType type) {
  return scalars[static_cast<std::size_t>(type)].bytes;
}

void Grid::throw_extent(std::size_t count) {
  throw UsageError(fmt::format("Grid: {} groups or items along one side; 1 to {} can be launched", count, UINT32_MAX));
}

}  // namespace rtcg
