#include "dgfem/output/subcells.h"

#include <array>
#include <utility>

#include "dgfem/lattice.h"

namespace rtcg::dgfem {

namespace {

using Place = std::array<int, 3>;  // weights of vertices 1, 2, 3

int turn(const Place& a, const Place& b, const Place& c, const Place& d) {
  std::array<Place, 3> e{};
  for (unsigned k = 0; k < 3; ++k) e[0][k] = b[k] - a[k], e[1][k] = c[k] - a[k], e[2][k] = d[k] - a[k];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

class Cells {
 public:
  Cells(int dimension, int order) : dimension_(dimension), order_(order) {}

  /// A cell at `origin`; left out where it would reach beyond the element.
  void add(const Place& origin, std::array<Place, 4> corners) {
    for (Place& corner : corners)
      for (unsigned k = 0; k < 3; ++k) corner[k] += origin[k];
    for (const Place& corner : corners)
      if (corner[0] + corner[1] + corner[2] > order_) return;
    if (dimension_ == 3 && turn(corners[0], corners[1], corners[2], corners[3]) < 0) std::swap(corners[2], corners[3]);
    for (unsigned v = 0; v <= static_cast<unsigned>(dimension_); ++v) {
      const auto& [i, j, k] = corners[v];
      nodes_.push_back(lattice_index(dimension_, order_, {order_ - i - j - k, i, j, k}));
    }
  }
  std::vector<int> take() { return std::move(nodes_); }

 private:
  int dimension_, order_;
  std::vector<int> nodes_;
};

constexpr Place o{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1}, xy{1, 1, 0}, xz{1, 0, 1}, yz{0, 1, 1}, xyz{1, 1, 1};

}  // namespace

std::vector<int> subcells(ElementType type, int order) {
  const int dimension = dimension_of(type);
  Cells cells(dimension, order);
  for (const Weights& at : lattice(dimension, order)) {
    const Place origin{at[1], at[2], at[3]};
    if (dimension == 2) {
      cells.add(origin, {o, x, y, o});
      cells.add(origin, {x, xy, y, x});
      continue;
    }
    cells.add(origin, {o, x, y, z});
    const std::array<Place, 4> ring{y, xy, xz, z};  // of the octahedron about its diagonal from x to yz
    for (unsigned m = 0; m < 4; ++m) cells.add(origin, {x, yz, ring[m], ring[(m + 1) % 4]});
    cells.add(origin, {xy, xz, yz, xyz});
  }
  return cells.take();
}

}  // namespace rtcg::dgfem
