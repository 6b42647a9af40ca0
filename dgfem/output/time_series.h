// The list of a run's field files by time (.pvd), which ParaView opens as one. It is rewritten aside and renamed with
// every entry: whoever looks at a run while it goes on sees whole lists only. Every time is listed once, also when a
// run is continued.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace rtcg::dgfem {

class TimeSeries {
 public:
  struct Entry {
    double time = 0;
    std::string file;  ///< beside the list
  };

  /// A new list; an old one is replaced with the first entry.
  explicit TimeSeries(std::filesystem::path file, std::string extension = ".vtu");
  /// What an interrupted run had listed up to and including `time`; a new list where there is none. InputError for a
  /// file that is no such list.
  static TimeSeries continued(std::filesystem::path file, double time, std::string extension = ".vtu");

  const std::vector<Entry>& entries() const { return entries_; }
  /// Where the field file of this time belongs: a free number after the list's name, or the file that the time has.
  std::filesystem::path file_of(double time) const;
  /// Lists file_of(time), which must be there by now, in place of any entry of the same time. InputError when the list
  /// cannot be written.
  void add(double time);

 private:
  std::filesystem::path file_;
  std::string extension_;       // of the files listed
  std::vector<Entry> entries_;  // ascending in time
};

}  // namespace rtcg::dgfem
