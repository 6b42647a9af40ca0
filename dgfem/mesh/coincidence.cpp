#include "dgfem/mesh/coincidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rtcg::dgfem {

namespace {

/// Points along a direction in which the layers of no ordinary mesh fall together.
double along(const Point& p) {
  return p[0] + 0.6180339887498949 * p[1] + 0.4142135623730951 * p[2];
}

double tolerance(std::span<const Point> points) {
  double widest = 0;
  for (unsigned d = 0; d < 3; ++d) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Point& p : points) low = std::min(low, p[d]), high = std::max(high, p[d]);
    widest = std::max(widest, high - low);
  }
  return 1e-9 * widest;
}

bool close(const Point& a, const Point& b, double distance) {
  return std::abs(a[0] - b[0]) <= distance && std::abs(a[1] - b[1]) <= distance && std::abs(a[2] - b[2]) <= distance;
}

struct Ranked {
  double place;
  std::size_t index;
  bool operator<(const Ranked& other) const { return place != other.place ? place < other.place : index < other.index; }
};

constexpr double stretch = 2.1;  // a step of one in every coordinate is at most so long along the direction

}  // namespace

std::vector<std::int32_t> first_at_place(std::span<const Point> points, std::span<const std::int32_t> chosen) {
  const double distance = tolerance(points);
  std::vector<Ranked> ranked(chosen.size());
  for (std::size_t k = 0; k < chosen.size(); ++k) ranked[k] = {along(points[static_cast<std::size_t>(chosen[k])]), k};
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::int32_t> first(chosen.begin(), chosen.end());
  for (std::size_t a = 0; a < ranked.size(); ++a)
    for (std::size_t b = a + 1; b < ranked.size() && ranked[b].place - ranked[a].place <= stretch * distance; ++b) {
      std::int32_t &x = first[ranked[a].index], &y = first[ranked[b].index];
      if (close(points[static_cast<std::size_t>(chosen[ranked[a].index])],
                points[static_cast<std::size_t>(chosen[ranked[b].index])], distance))
        x = y = std::min(x, y);
    }
  return first;
}

std::vector<std::int32_t> partners(std::span<const Point> points, std::span<const std::int32_t> here,
                                   std::span<const std::int32_t> there, const Point& shift) {
  const double distance = tolerance(points);
  std::vector<Ranked> ranked(there.size());
  for (std::size_t k = 0; k < there.size(); ++k) ranked[k] = {along(points[static_cast<std::size_t>(there[k])]), k};
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::int32_t> result;
  result.reserve(here.size());
  for (const std::int32_t vertex : here) {
    Point moved = points[static_cast<std::size_t>(vertex)];
    for (unsigned d = 0; d < 3; ++d) moved[d] += shift[d];
    std::int32_t partner = -1;
    const double place = along(moved), reach = stretch * distance;
    for (auto it = std::lower_bound(ranked.begin(), ranked.end(), Ranked{place - reach, 0});
         it != ranked.end() && it->place <= place + reach && partner < 0; ++it)
      if (close(points[static_cast<std::size_t>(there[it->index])], moved, distance)) partner = there[it->index];
    result.push_back(partner);
  }
  return result;
}

}  // namespace rtcg::dgfem
