// A case from its first step to its last: what it writes while it runs and what is to be said of it at the end.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dgfem/case/case_file.h"
#include "dgfem/output/probe_record.h"
#include "rtcg/device/stream.h"

namespace rtcg::app {

struct RunPlaces {
  std::filesystem::path
      directory;  ///< NAME.pvd, NAME_PLANE.pvd, energy.csv, probes.csv, fourier.csv, checkpoints, summary.json
  std::filesystem::path restart;  ///< a checkpoint, or empty
};

struct RunSummary {
  std::string name, system, device, mesh, precision;
  int order = 0;
  std::size_t elements = 0, curved = 0;
  double dofs = 0, time = 0, step = 0;
  std::int64_t steps = 0;
  double seconds = 0;          ///< of stepping alone
  double dofs_per_second = 0;  ///< per stage
  double setup_seconds = 0, bytes_per_dof = 0;
  std::map<std::string, double> measures;  ///< at the end: energy, errors ("Ez.l2", "Ez.max")
  std::vector<dgfem::ProbeRecord::Peak> resonances;
  std::string checkpoint;  ///< the last one
};

/// NumericalError (exit code 5) naming the last good checkpoint when fields are not finite any more, or when the energy
/// of a linear system that nothing feeds has grown a millionfold; what Discretization, restart() and the writers throw.
/// SIGINT and SIGTERM write a checkpoint at the next sample and then end the process.
RunSummary run(const Stream& stream, const dgfem::Case& plan, const RunPlaces& places);

std::string to_text(const RunSummary& summary);
nlohmann::ordered_json to_json(const RunSummary& summary);

}  // namespace rtcg::app
