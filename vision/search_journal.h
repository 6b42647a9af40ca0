// What a search for models has found so far, on disk: a first line that says which search it is, then a line of JSON
// for each trial, written as soon as it is known. A search that was killed goes on from here, because it draws the same
// models again and takes their results from the journal.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "vision/search.h"

namespace rtcg::vision {

class SearchJournal {
 public:
  /// Reads what is there, or begins the file; holds it alone as long as it lives. `identity` is everything that must
  /// agree. InputError when the file is another search's, is in use, or cannot be written.
  SearchJournal(std::filesystem::path path, const std::string& identity);
  ~SearchJournal();
  SearchJournal(const SearchJournal&) = delete;
  SearchJournal& operator=(const SearchJournal&) = delete;

  /// Null when the journal does not know it.
  const TrialResult* find(std::size_t trial) const;
  void add(const TrialResult& result);

 private:
  void append(const std::string& line);

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::map<std::size_t, TrialResult> results_;
};

}  // namespace rtcg::vision
