// One file of wisdom: lines of JSON to which any number of processes append at once. A writer gives one whole line in
// one write under an advisory lock; what a killed writer left of its line is closed off first, so that it costs no
// other record. A reader takes what it can use and lists the rest; it needs no lock.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rtcg/tune/wisdom_record.h"

namespace rtcg {

struct WisdomEntry {
  WisdomRecord record;
  std::size_t line = 0;  ///< from 1
};

struct WisdomFile {
  struct Remark {
    std::size_t line = 0;  ///< 0: the file as a whole
    std::string what;
  };
  std::filesystem::path path;
  std::vector<WisdomEntry> entries;  ///< in the file's order
  std::vector<Remark> bad;           ///< lines that are no wisdom, each with what is wrong
  std::vector<Remark> foreign;       ///< lines of another schema
};

/// A file that is not there is empty; one that cannot be read is empty with a remark.
WisdomFile read_wisdom(const std::filesystem::path& path);
/// At most one line for a file: where the first bad line is, what is wrong with it, and how many more there are.
void warn_about(const WisdomFile& file);

/// Makes the file and its directory when need be. InputError when it cannot be written; then the file is as before.
/// UsageError for a record that no reader would take.
void append_wisdom(const std::filesystem::path& path, const WisdomRecord& record);

/// Drops the records that `unwanted` names, and nothing else: lines that this reader does not understand stay. Written
/// aside and renamed; appending processes wait meanwhile. Returns how many were dropped; a file without any is not
/// touched. InputError when it cannot be written.
std::size_t remove_wisdom(const std::filesystem::path& path, const std::function<bool(const WisdomEntry&)>& unwanted);

/// Of equal problems the newest by date, of one date the last.
std::vector<WisdomRecord> newest_of(const std::vector<WisdomRecord>& records);

/// Adds records to a file, of equal problems only the newest by date (of one date the later in order: the file's own
/// first). Written aside and renamed; lines that are not understood stay. Returns how many of `added` are in it.
std::size_t merge_wisdom(const std::filesystem::path& path, const std::vector<WisdomRecord>& added);

/// "filterbank.jsonl". UsageError for a family whose name is no plain file name.
std::string wisdom_file_name(const std::string& family);

}  // namespace rtcg
