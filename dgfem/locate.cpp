#include "dgfem/locate.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "dgfem/geometry.h"
#include "dgfem/simplex_basis.h"
#include "dgfem/warp_blend.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

constexpr double on_face = 1e-10;  // of reference coordinates: closer is inside

/// The least of the barycentric weights times two: negative outside.
double depth(const Eigen::RowVectorXd& reference) {
  const double others = (reference.array() + 1).minCoeff();
  return std::min(others, 2 - (reference.array() + 1).sum());
}

/// From reference coordinates of the straight element to space: x = first + tangent (r + 1).
struct Straight {
  Eigen::VectorXd first;
  Eigen::MatrixXd tangent;

  Straight(const Mesh& mesh, std::size_t e) {
    const int dimension = mesh.dimension();
    first = Eigen::Map<const Eigen::VectorXd>(mesh.vertex(e, 0).data(), dimension);
    tangent.resize(dimension, dimension);
    for (int i = 0; i < dimension; ++i)
      tangent.col(i) = (Eigen::Map<const Eigen::VectorXd>(mesh.vertex(e, i + 1).data(), dimension) - first) / 2;
  }
  Eigen::RowVectorXd reference(const Eigen::VectorXd& x) const {
    return (tangent.partialPivLu().solve(x - first).array() - 1).matrix().transpose();
  }
};

}  // namespace

PointLocator::PointLocator(const Mesh& mesh) : mesh_(mesh), curved_(mesh.size(), 0) {
  for (const std::int32_t e : curved_elements(mesh)) curved_[static_cast<std::size_t>(e)] = 1;
  if (mesh.geometry_order > 1)
    to_modes_ = simplex_basis(mesh.geometry_order, equispaced_nodes(mesh.type, mesh.geometry_order)).inverse();
  std::tie(low_, high_) = mesh.bounding_box();
  // About one cell for each element, as near to cubes as the extent allows.
  const auto dimension = static_cast<unsigned>(mesh.dimension());
  double volume = 1;
  for (unsigned d = 0; d < dimension; ++d) volume *= high_[d] - low_[d];
  const double side = std::pow(volume / static_cast<double>(mesh.size()), 1.0 / dimension);
  for (unsigned d = 0; d < dimension; ++d)
    cells_[d] = static_cast<std::size_t>(std::clamp((high_[d] - low_[d]) / side, 1.0, 1000.0));
  start_.assign(cells_[0] * cells_[1] * cells_[2] + 1, 0);
  spread(true);
  for (std::size_t c = 1; c < start_.size(); ++c) start_[c] += start_[c - 1];
  members_.resize(start_.back());
  spread(false);
}

std::size_t PointLocator::bucket(const std::array<std::size_t, 3>& cell) const {
  return (cell[2] * cells_[1] + cell[1]) * cells_[0] + cell[0];
}

std::array<std::size_t, 3> PointLocator::cell(const Point& point) const {
  std::array<std::size_t, 3> result{0, 0, 0};
  for (unsigned d = 0; d < static_cast<unsigned>(mesh_.dimension()); ++d) {
    const double place = (point[d] - low_[d]) / (high_[d] - low_[d]) * static_cast<double>(cells_[d]);
    result[d] = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(cells_[d] - 1)));
  }
  return result;
}

/// Counts the elements that reach into each cell, or files them.
void PointLocator::spread(bool count) {
  std::vector<std::size_t> next = start_;
  const int nodes = nodes_of(mesh_.type, mesh_.geometry_order);
  for (std::size_t e = 0; e < mesh_.size(); ++e) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Point low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
    for (int n = 0; n < nodes; ++n)
      for (unsigned d = 0; d < 3; ++d) {
        const double x = mesh_.points[static_cast<std::size_t>(mesh_.nodes(e)[n])][d];
        low[d] = std::min(low[d], x);
        high[d] = std::max(high[d], x);
      }
    // A curved side may leave the box of its nodes; a straight one only by rounding.
    for (unsigned d = 0; d < 3; ++d) {
      const double margin = (curved_[e] != 0 ? 0.2 : 1e-9) * (high[d] - low[d]) + 1e-12 * (high_[d] - low_[d]);
      low[d] -= margin;
      high[d] += margin;
    }
    const auto from = cell(low), to = cell(high);
    for (std::size_t k = from[2]; k <= to[2]; ++k)
      for (std::size_t j = from[1]; j <= to[1]; ++j)
        for (std::size_t i = from[0]; i <= to[0]; ++i) {
          const std::size_t at = bucket({i, j, k});
          if (count) {
            ++start_[at + 1];
          } else {
            members_[next[at]++] = static_cast<std::int32_t>(e);
          }
        }
  }
}

std::optional<Eigen::RowVectorXd> PointLocator::inside(std::int32_t element, const Point& point) const {
  const auto e = static_cast<std::size_t>(element);
  const int dimension = mesh_.dimension();
  const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(point.data(), dimension);
  const Straight straight(mesh_, e);
  Eigen::RowVectorXd reference = straight.reference(x);
  if (curved_[e] == 0) return depth(reference) >= -on_face ? std::optional(reference) : std::nullopt;

  Eigen::MatrixXd nodes(to_modes_.cols(), dimension);
  for (Eigen::Index n = 0; n < nodes.rows(); ++n)
    nodes.row(n) = Eigen::Map<const Eigen::RowVectorXd>(
        mesh_.points[static_cast<std::size_t>(mesh_.nodes(e)[n])].data(), dimension);
  const Eigen::MatrixXd modes = to_modes_ * nodes;
  const double size = straight.tangent.cwiseAbs().maxCoeff();
  for (int step = 0; step < 30; ++step) {  // Newton
    const Eigen::VectorXd off = x - (simplex_basis(mesh_.geometry_order, reference) * modes).transpose();
    if (off.norm() < 1e-13 * size + 4e-16 * x.norm())
      return depth(reference) >= -on_face ? std::optional(reference) : std::nullopt;
    const auto gradient = simplex_basis_gradient(mesh_.geometry_order, reference);
    Eigen::MatrixXd tangent(dimension, dimension);
    for (int i = 0; i < dimension; ++i) tangent.col(i) = (gradient[static_cast<unsigned>(i)] * modes).transpose();
    reference += tangent.partialPivLu().solve(off).transpose();
    if (!(reference.cwiseAbs().maxCoeff() < 4)) return std::nullopt;  // far outside
  }
  return std::nullopt;
}

std::optional<Located> PointLocator::find(const Point& point) const {
  for (unsigned d = 0; d < static_cast<unsigned>(mesh_.dimension()); ++d) {
    const double margin = 1e-9 * (high_[d] - low_[d]) + (mesh_.geometry_order > 1 ? 0.2 * (high_[d] - low_[d]) : 0);
    if (!(point[d] >= low_[d] - margin && point[d] <= high_[d] + margin)) return std::nullopt;
  }
  const std::size_t at = bucket(cell(point));
  for (std::size_t k = start_[at]; k < start_[at + 1]; ++k)
    if (auto reference = inside(members_[k], point)) return Located{members_[k], std::move(*reference)};
  return std::nullopt;
}

Located PointLocator::require(const Point& point, const std::string& what) const {
  if (auto located = find(point)) return std::move(*located);
  throw InputError(fmt::format(
      "{} at ({:g}, {:g}, {:g}) is in no element; the mesh reaches from ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g})", what,
      point[0], point[1], point[2], low_[0], low_[1], low_[2], high_[0], high_[1], high_[2]));
}

}  // namespace rtcg::dgfem
