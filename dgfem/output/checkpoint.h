// The state of a run in one HDF5 file, from which the run goes on: to the bit where order, precision and device are the
// same; through the polynomials at another order; on any back end and however the mesh is ordered, because nodal values
// are stored with their elements' keys (element_keys.h). Files are written aside and renamed, and carry checksums.
//
//   /                attributes format, format_version, system, element, order, time, step, scheme, time_step, ...
//   /fields          names
//   /state/elements  uint64 [element], keys;  /state/values [element][node][field], float32 or float64
//   /nodal/NAME      the same for further nodal values, of some or all elements
//   /series/NAME     float64, whatever else has to go on
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dgfem/mesh/mesh.h"

namespace rtcg::dgfem {

/// Values at the warp & blend nodes of some elements.
struct NodalData {
  std::vector<std::uint64_t> elements;  ///< [element], their keys
  int components = 0;
  std::variant<std::vector<float>, std::vector<double>> values;  ///< [element][node][component]
};

struct Checkpoint {
  std::string system;
  std::vector<std::string> fields;
  ElementType type = ElementType::tetrahedron;
  int order = 0;
  double time = 0;
  std::int64_t step = 0;
  std::string scheme;
  double time_step = 0;
  std::map<std::string, double> numbers;              ///< of the step's control and the like
  NodalData state;                                    ///< components are the fields
  std::map<std::string, NodalData> nodal;             ///< of absorbing layers and the like
  std::map<std::string, std::vector<double>> series;  ///< sums that run on
};

/// UsageError when sizes do not agree, InputError when the file cannot be written; an older one is then still there.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
/// InputError for a file that is no checkpoint, or truncated, damaged, or of a later format.
Checkpoint read_checkpoint(const std::filesystem::path& file);

/// InputError, beginning with `name`, unless the checkpoint is of this system's name, these fields and this mesh.
void require_same_problem(const Checkpoint& checkpoint, const std::string& name, const std::string& system,
                          std::span<const std::string> fields, const Mesh& mesh);

/// `data` for the elements with these keys, in their order, at `order`: [element][node][component] as T. The bits as
/// they were at the same order and precision; otherwise by the orthonormal coefficients, those beyond the lower order
/// left out. InputError when an element has no data.
template <class T>
std::vector<T> restored(const NodalData& data, ElementType type, int stored_order, int order,
                        std::span<const std::uint64_t> keys);

}  // namespace rtcg::dgfem
