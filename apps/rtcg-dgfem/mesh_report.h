// What a person wants to know of a mesh before a run, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dgfem/mesh/connectivity.h"
#include "dgfem/mesh/quality.h"

namespace rtcg::app {

struct MeshReport {
  std::string file;
  const dgfem::Mesh* mesh = nullptr;
  dgfem::Connectivity connectivity;
  dgfem::Findings findings;  ///< of connect() and check_jacobians(); the reader's remarks first
  dgfem::MeshQuality quality;
  std::size_t curved = 0;  ///< elements
};

MeshReport report_on(const std::string& file, const dgfem::Mesh& mesh);
std::string to_text(const MeshReport& report);
nlohmann::ordered_json to_json(const MeshReport& report);

}  // namespace rtcg::app
