// What probes saw over a run: probes.csv line by line, Fourier integrals at chosen frequencies, and at the end the
// resonances in each column. All of it goes on after a restart.
#pragma once

#include "dgfem/output/checkpoint.h"
#include "dgfem/output/probes.h"
#include "dgfem/output/spectrum.h"
#include "dgfem/output/table_file.h"

namespace rtcg::dgfem {

class ProbeRecord {
 public:
  /// A new record, or with `from` the one that an interrupted run left in `table`, up to the checkpoint's time.
  /// InputError naming `table` where the table does not fit, or the checkpoint's sums are of other frequencies or
  /// probes.
  ProbeRecord(const Solver& solver, std::vector<Probe> probes, std::vector<double> frequencies,
              std::filesystem::path table, const Checkpoint* from = nullptr);

  /// Of the solver's present state; does nothing when its time is not later than the last.
  void add(const Solver& solver);
  /// Puts the sums into the checkpoint's series.
  void save(Checkpoint& checkpoint) const;

  struct Peak {
    std::string column;
    Resonance resonance;
  };
  /// Of columns that oscillate at all, each at most `most` of the strongest, ascending. From the evenly sampled part of
  /// the record, and nothing when that is shorter than 16 samples.
  std::vector<Peak> resonances(const Stream& stream, std::size_t most = 8) const;
  /// Writes "frequency,COLUMN.re,COLUMN.im,..." of the integrals; nothing without frequencies.
  void write_fourier(const std::filesystem::path& file) const;

 private:
  Probes probes_;
  FourierSums sums_;
  TableFile table_;
  std::vector<double> times_;
  std::vector<std::vector<double>> values_;  // [sample][column]
};

}  // namespace rtcg::dgfem
