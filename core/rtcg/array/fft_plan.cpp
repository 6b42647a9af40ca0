#include "rtcg/array/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rtcg::detail {

namespace {

/// Fewest factors first, then the smallest largest factor, then the smallest sum.
bool is_better(const std::vector<int>& a, const std::vector<int>& b) {
  if (b.empty() || a.size() != b.size()) return b.empty() || a.size() < b.size();
  if (a.front() != b.front()) return a.front() < b.front();
  int difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference += a[i] - b[i];
  return difference < 0;
}

/// Tries every way to write `rest` with non-increasing factors up to `largest`.
void search(int rest, int largest, std::vector<int>& taken, std::vector<int>& best) {
  if (rest == 1) {
    if (is_better(taken, best)) best = taken;
    return;
  }
  if (!best.empty() && taken.size() + 1 > best.size()) return;
  for (int factor = std::min(rest, largest); factor >= 2; --factor) {
    if (rest % factor != 0) continue;
    taken.push_back(factor);
    search(rest / factor, factor, taken, best);
    taken.pop_back();
  }
}

std::vector<std::size_t> divisors_of(std::size_t length, std::size_t largest) {
  std::vector<std::size_t> divisors;
  for (std::size_t d = 1; d <= std::min(length, largest); ++d)
    if (length % d == 0) divisors.push_back(d);
  return divisors;
}

}  // namespace

bool is_smooth(std::size_t length) {
  if (length == 0) return false;
  for (const std::size_t prime : {2, 3, 5, 7})
    while (length % prime == 0) length /= prime;
  return length == 1;
}

std::vector<int> radices_of(int length, int largest) {
  std::vector<int> taken, best;
  if (length > 1) search(length, largest, taken, best);
  return best;
}

std::vector<int> stages_of(std::size_t length, std::size_t largest) {
  if (length <= largest) return {static_cast<int>(length)};
  const std::vector<std::size_t> divisors = divisors_of(length, largest);
  std::vector<int> best;
  std::size_t best_largest = largest + 1;
  for (const std::size_t a : divisors) {
    if (length / a <= largest && std::max(a, length / a) < best_largest) {
      best_largest = std::max(a, length / a);
      best = {static_cast<int>(std::min(a, length / a)), static_cast<int>(best_largest)};
    }
  }
  if (!best.empty()) return best;
  for (const std::size_t a : divisors) {
    for (const std::size_t b : divisors) {
      if (b < a || length % (a * b) != 0) continue;
      const std::size_t c = length / (a * b);
      if (c < b || c >= best_largest) continue;
      best_largest = c;
      best = {static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)};
    }
  }
  return best;
}

std::size_t convolution_length(std::size_t length) {
  // Powers of two have the fewest passes for their size; another smooth length pays when it is clearly shorter.
  const std::size_t least = 2 * length - 1;
  std::size_t power = 1;
  while (power < least) power *= 2;
  std::size_t best = power;
  double best_cost = static_cast<double>(power);
  for (const std::size_t odd : {3, 5, 7, 9, 15, 25, 27}) {
    std::size_t candidate = odd;
    while (candidate < least) candidate *= 2;
    const double cost = 1.15 * static_cast<double>(candidate);
    if (cost < best_cost) best = candidate, best_cost = cost;
  }
  return best;
}

std::complex<double> root_of_one(std::size_t k, std::size_t n) {
  // Eighths: 8 k = octant n + rest; odd octants are mirrored so that the angle stays in [0, pi/4].
  k %= n;
  const std::size_t octant = 8 * k / n;
  const std::size_t rest = 8 * k - octant * n;
  const double part = static_cast<double>(octant % 2 == 0 ? rest : n - rest) / static_cast<double>(n);
  const double angle = part * (std::numbers::pi / 4);
  const double c = std::cos(angle), s = std::sin(angle);
  switch (octant) {
    case 0:
      return {c, s};
    case 1:
      return {s, c};
    case 2:
      return {-s, c};
    case 3:
      return {-c, s};
    case 4:
      return {-c, -s};
    case 5:
      return {-s, -c};
    case 6:
      return {s, -c};
    default:
      return {c, -s};
  }
}

std::vector<std::complex<double>> roots_of_one(std::size_t n) {
  std::vector<std::complex<double>> roots(n);
  for (std::size_t k = 0; k <= n / 2; ++k) {
    roots[k] = n % 4 == 0 && k > n / 4 ? std::complex<double>(-roots[n / 2 - k].real(), roots[n / 2 - k].imag())
                                       : root_of_one(k, n);
    if (k > 0) roots[n - k] = std::conj(roots[k]);
  }
  return roots;
}

}  // namespace rtcg::detail
