// Points in one place.
#pragma once

#include <span>

#include "dgfem/mesh/mesh.h"

namespace rtcg::dgfem {

/// For each of the chosen points the lowest of those at the same place (itself where it is alone); the same order.
/// Places are the same when they differ by less than 1e-9 of the extent of `points`.
std::vector<std::int32_t> first_at_place(std::span<const Point> points, std::span<const std::int32_t> chosen);
/// For each of `here`, moved by `shift`, the one of `there` at its place, or -1.
std::vector<std::int32_t> partners(std::span<const Point> points, std::span<const std::int32_t> here,
                                   std::span<const std::int32_t> there, const Point& shift);

}  // namespace rtcg::dgfem
