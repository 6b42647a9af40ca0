// The last few checkpoints of a run: NAME_STEP.h5 in one directory, the oldest removed once a newer one is whole.
#pragma once

#include <optional>

#include "dgfem/output/checkpoint.h"

namespace rtcg::dgfem {

class CheckpointRotation {
 public:
  /// UsageError unless keep >= 1.
  CheckpointRotation(std::filesystem::path directory, std::string name, int keep);

  /// The file written. Removes the checkpoints of this name that were written first, but for the last `keep`; those
  /// that an interrupted run left count too. InputError when it cannot be written; nothing is removed then.
  std::filesystem::path write(const Checkpoint& checkpoint) const;
  /// Of this name, the one written last.
  std::optional<std::filesystem::path> latest() const;

 private:
  std::vector<std::filesystem::path> by_age() const;

  std::filesystem::path directory_;
  std::string name_;
  std::size_t keep_;
};

}  // namespace rtcg::dgfem
