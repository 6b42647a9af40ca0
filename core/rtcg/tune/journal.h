// What a search has found so far, on disk: a first line that says which search it is, then a line of JSON for each
// variant, written as soon as it is known. A search that was killed goes on from here, because it proposes the same
// variants again and takes their results from the journal. A variant is entered as failed before it runs, so that one
// that takes the process with it is not run again.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>

#include "rtcg/tune/session.h"

namespace rtcg {

class TuneJournal {
 public:
  TuneJournal() = default;
  /// Reads what is there, or begins the file. `identity` is everything that must agree. InputError when the file is
  /// another search's or cannot be written, UsageError when another process searches with it.
  TuneJournal(const std::filesystem::path& path, const std::string& identity);

  /// Null when the journal does not know it.
  const VariantResult* find(const Configuration& configuration) const;
  /// Until add(), a failure.
  void begin(const Configuration& configuration);
  void add(const VariantResult& result);

 private:
  void append(const std::string& line);

  std::filesystem::path path_;
  std::shared_ptr<const int> file_;  ///< open for appending, and locked
  std::unordered_map<Configuration, VariantResult> results_;
};

}  // namespace rtcg
