#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string_view>

#include "radar/io/cphd_reader.h"
#include "radar/io/gotcha.h"
#include "radar/io/joined_pulses.h"
#include "radar/io/pulse_file.h"
#include "radar/pulses.h"
#include "rtcg/error.h"
#include "rtcg/io/hdf5.h"

namespace rtcg::radar {
namespace {

namespace fs = std::filesystem;

enum class Format { gotcha, cphd, hdf5 };

Format format_of(const fs::path& path) {
  const fs::path file = CphdPath::parse(path).file;
  const std::string name = file.string();
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) throw InputError(fmt::format("{}: no such file", name));
  if (fs::is_directory(status)) throw InputError(fmt::format("{}: a directory; give the files in it by name", name));
  if (!fs::is_regular_file(status)) throw InputError(fmt::format("{}: not a regular file", name));
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(fmt::format("{}: cannot be opened for reading; check its permissions", name));
  std::array<char, 128> head{};
  in.read(head.data(), head.size());
  const std::string_view text(head.data(), static_cast<std::size_t>(in.gcount()));
  if (text.empty()) throw InputError(fmt::format("{}: the file is empty", name));
  if (text.starts_with("MATLAB 7.3")) throw InputError(fmt::format("{}: a MATLAB 7.3 file; save it with -v7", name));
  if (text.starts_with("MATLAB 5.0")) return Format::gotcha;
  if (text.starts_with("CPHD/")) return Format::cphd;
  if (hdf5::is_hdf5(file)) return Format::hdf5;
  throw InputError(fmt::format("{}: no pulse file; Gotcha .mat, CPHD 1.x and the suite's HDF5 are read", name));
}

}  // namespace

std::unique_ptr<PulseSource> open_pulses(std::span<const fs::path> files) {
  if (files.empty()) throw InputError("no pulse files given; at least one is needed");
  const Format format = format_of(files[0]);
  for (const fs::path& file : files.subspan(1))
    if (format_of(file) != format)
      throw InputError(
          fmt::format("{}: not of the format of {}; files joined must be alike", file.string(), files[0].string()));
  if (format == Format::gotcha) return open_gotcha(files);
  if (format == Format::cphd) return open_cphd(files);
  std::vector<std::unique_ptr<PulseSource>> parts;
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    parts.push_back(open_pulse_file(file));
    names.push_back(file.string());
  }
  return join_pulses(std::move(parts), names);
}

}  // namespace rtcg::radar
