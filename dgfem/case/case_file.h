// Case files: everything a run needs in one TOML file (docs/dgfem.md). Paths in it are relative to the file. What a
// case says of the mesh's regions and boundaries is checked when the mesh is there (Discretization).
#pragma once

#include <filesystem>
#include <optional>

#include "dgfem/mesh/box.h"
#include "dgfem/output/field_file.h"
#include "dgfem/output/plane_probe.h"
#include "dgfem/output/probes.h"
#include "dgfem/problem.h"
#include "dgfem/solver.h"

namespace rtcg::dgfem {

/// A file, or a box that is cut into elements.
struct MeshSource {
  std::filesystem::path file;
  std::optional<Box> box;
  std::vector<std::pair<std::string, std::string>> periodic;  ///< boundaries that are one

  /// `refinement` multiplies a box's cells; UsageError above 1 for a file.
  Mesh read(int refinement = 1) const;
  std::string text() const;
};

struct OutputSettings {
  double every = 0;                                        ///< time between field files; 0: first and last
  std::optional<FieldCells> cells = FieldCells::lagrange;  ///< nothing: no field files
  double sample_every = 0;      ///< between lines of energy.csv and probes.csv; 0: a hundredth of final_time
  double checkpoint_every = 0;  ///< 0: at the end only
  int keep = 2;                 ///< checkpoints
};

struct Case {
  std::string name;  ///< of the file, without extension
  MeshSource mesh;
  Problem problem;     ///< without its mesh; its system where the file names one of a user's
  std::string system;  ///< shipped: found when the mesh's dimension is known
  ScalarType precision = ScalarType::f64;
  double final_time = 0;
  std::string scheme = "lsrk45";
  double cfl = 0.9;
  std::optional<double> step;
  OutputSettings output;
  std::vector<Probe> probes;
  std::vector<double> frequencies;  ///< of probes' Fourier integrals
  std::vector<Plane> planes;

  /// The problem with its mesh and system.
  Problem load(int refinement = 1) const;
  Problem load(Mesh mesh) const;
  /// Precision, scheme and step.
  SolverOptions solver_options() const;
};

/// InputError "FILE:LINE: ..." for what is not a case: unknown keys with the nearest there is, missing ones, formulas
/// that cannot be read.
Case read_case(const std::filesystem::path& file);

}  // namespace rtcg::dgfem
