// A run's numbers over time as lines of text (.csv): energy.csv, probes.csv. Every line is handed to the system whole,
// so that another program can read along and an interrupted run loses at most the line being written.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace rtcg::dgfem {

class TableFile {
 public:
  /// A new table "time,COLUMN,..."; replaces an old file. InputError when it cannot be written, UsageError for names
  /// with commas, quotes or line ends.
  TableFile(std::filesystem::path file, std::span<const std::string> columns);
  /// Goes on with the table of an interrupted run: lines later than `time`, or not whole, are dropped. A new table
  /// where there is none; InputError for one with other columns or with a line that holds other than numbers.
  static TableFile continued(std::filesystem::path file, std::span<const std::string> columns, double time);
  ~TableFile();
  TableFile(TableFile&& other) noexcept;
  TableFile& operator=(TableFile&&) = delete;

  /// Lines kept by continued(): [line][time, columns...].
  const std::vector<std::vector<double>>& earlier() const { return earlier_; }
  /// Writes a line at once; does nothing when `time` is not later than the last line's. InputError when it cannot be
  /// written whole, and what was written of it is taken back.
  void add(double time, std::span<const double> values);

 private:
  TableFile(std::filesystem::path file, std::size_t columns);
  void open();

  std::filesystem::path file_;
  std::size_t columns_;
  std::vector<std::vector<double>> earlier_;
  double last_;
  int descriptor_ = -1;
};

}  // namespace rtcg::dgfem
