// The matrix that sparse products and solvers are measured on.
#pragma once

#include <cstddef>
#include <vector>

namespace rtcg::bench {

struct HostCsr {
  std::vector<int> starts{0}, columns;
  std::vector<double> values;
  std::size_t rows() const { return starts.size() - 1; }
};

/// Minus Laplace by seven points on side^3 points with zero boundary; columns ascend.
HostCsr poisson(int side);

}  // namespace rtcg::bench
