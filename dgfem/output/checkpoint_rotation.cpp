#include "dgfem/output/checkpoint_rotation.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace fs = std::filesystem;

CheckpointRotation::CheckpointRotation(fs::path directory, std::string name, int keep)
    : directory_(std::move(directory)), name_(std::move(name)), keep_(static_cast<std::size_t>(keep)) {
  if (keep < 1) throw UsageError(fmt::format("{} checkpoints to keep; at least 1 is needed", keep));
}

/// Oldest first. By the time of writing, not by step: a run continued from an earlier checkpoint counts from there.
std::vector<fs::path> CheckpointRotation::by_age() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, error)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() != ".h5" || !entry.is_regular_file(error)) continue;
    if (!stem.starts_with(name_ + "_") || stem.size() == name_.size() + 1) continue;
    if (stem.find_first_not_of("0123456789", name_.size() + 1) != std::string::npos) continue;
    found.emplace_back(entry.last_write_time(error), entry.path());
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> files;
  for (auto& [time, path] : found) files.push_back(std::move(path));
  return files;
}

fs::path CheckpointRotation::write(const Checkpoint& checkpoint) const {
  fs::path file = directory_ / fmt::format("{}_{:09}.h5", name_, checkpoint.step);
  write_checkpoint(file, checkpoint);
  std::vector<fs::path> others = by_age();
  std::erase(others, file);
  std::error_code ignored;  // another program may have removed it
  for (std::size_t k = 0; k + keep_ <= others.size(); ++k) fs::remove(others[k], ignored);
  return file;
}

std::optional<fs::path> CheckpointRotation::latest() const {
  std::vector<fs::path> files = by_age();
  if (files.empty()) return std::nullopt;
  return std::move(files.back());
}

}  // namespace rtcg::dgfem
