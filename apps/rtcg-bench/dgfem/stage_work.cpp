#include "apps/rtcg-bench/dgfem/stage_work.h"

namespace rtcg::bench {

namespace {

constexpr double fields = 6, faces = 4;

}  // namespace

double StageWork::nodes() const {
  return (order + 1.0) * (order + 2) * (order + 3) / 6;
}

double StageWork::face_nodes() const {
  return (order + 1.0) * (order + 2) / 2;
}

double StageWork::flops_per_dof() const {
  const double traces = faces * face_nodes();
  return 6 * nodes() + 2 * traces + (66 * nodes() + 60 * traces) / (fields * nodes());
}

double StageWork::bytes_per_dof() const {
  const auto word = static_cast<double>(real_bytes);
  return 4 * word + faces * face_nodes() / nodes() * word + (25 * word + 20) / (fields * nodes());
}

double StageWork::paper_flops_per_dof() const {
  const double n = nodes(), f = face_nodes();
  return (36 * n * n + 66 * n + 244 * f + n * (48 * f + 6) + 24 * n) / (fields * n);
}

}  // namespace rtcg::bench
