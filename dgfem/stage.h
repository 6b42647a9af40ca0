// One Runge-Kutta stage on the device, behind which the variants of its kernel stand: fused or split, portable or made
// for one kind of GPU. What every variant reads of the mesh is made once (StageData); operators, whose padding differs,
// belong to the variants.
#pragma once

#include <memory>
#include <string>

#include "dgfem/discretization.h"
#include "rtcg/compile/source.h"
#include "rtcg/device/buffer.h"

namespace rtcg::dgfem {

/// `real` is the precision of the run. Arrays end with whole elements; the state alone is padded (padded_elements).
struct StageData {
  StageData(const Stream& stream, std::shared_ptr<const Discretization> mesh, ScalarType precision);

  /// A stage's text with `real` and the system's functions in front of it, and what both need defined.
  Source source(std::string name, std::string_view text, Dialect dialect = Dialect::portable) const;
  /// Values as `real` on the device.
  Buffer upload(std::span<const double> values) const;
  std::size_t real_size() const { return size_of(precision); }
  std::size_t padded_elements() const { return (mesh->size() + 63) / 64 * 64; }
  std::size_t state_bytes() const;
  /// Everything on the device: three states and what the kernels read of the mesh.
  std::size_t bytes() const;

  Stream stream;
  std::shared_ptr<const Discretization> mesh;
  ScalarType precision;
  std::string functions;  ///< system_text()
  bool one_region = false;

  Buffer metric;            ///< real [element][i][d]
  Buffer faces;             ///< real [element][face][d + 1]: normal, face_scale
  Buffer link;              ///< int [element][face]
  Buffer region;            ///< uchar [element]
  Buffer neighbour_region;  ///< uchar [element][face]
  Buffer materials;         ///< real [region][DG_MATERIALS]
  Buffer vertices;          ///< real [element][vertex][d]
  Buffer weights;           ///< real [node][vertex]: barycentric
  Buffer face_nodes;        ///< ushort [face][node]
  Buffer neighbour_nodes;   ///< ushort [neighbour's face][orientation][own face node]: the neighbour's node
};

/// [node][vertex]: x of a straight element's node is the sum of these times its vertices.
std::vector<double> barycentric_weights(const ReferenceElement& reference);

/// residual = a residual + dt rate(q, time); q_new = q + b residual. With a = 0 the residual is not read.
struct StageStep {
  double a, b, dt, time;
};
struct StageBuffers {
  Buffer q, q_new, residual;  ///< real [padded element][node][field]; q_new is another buffer than q
};

class StageKernel {
 public:
  virtual ~StageKernel() = default;
  /// Queues the stage for straight elements [first, end) on the data's stream.
  virtual void operator()(const StageBuffers& buffers, const StageStep& step, std::size_t first,
                          std::size_t end) const = 0;
};

}  // namespace rtcg::dgfem
