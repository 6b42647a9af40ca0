#include "dgfem/output/time_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <pugixml.hpp>
#include <sstream>

#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"

namespace rtcg::dgfem {

TimeSeries::TimeSeries(std::filesystem::path file, std::string extension)
    : file_(std::move(file)), extension_(std::move(extension)) {}

TimeSeries TimeSeries::continued(std::filesystem::path file, double time, std::string extension) {
  TimeSeries series(std::move(file), std::move(extension));
  if (!std::filesystem::exists(series.file_)) return series;
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{}: {}; remove it to start a new list", series.file_.string(), what));
  };
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_file(series.file_.c_str());
  if (!parsed) fail(fmt::format("no XML at byte {}: {}", parsed.offset, parsed.description()));
  const pugi::xml_node collection = document.child("VTKFile").child("Collection");
  if (!collection) fail("no list of times (a VTKFile with a Collection)");
  for (const pugi::xml_node data : collection.children("DataSet")) {
    const std::string text = data.attribute("timestep").value(), name = data.attribute("file").value();
    double at = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), at);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(at) || name.empty())
      fail(fmt::format("an entry with timestep \"{}\" and file \"{}\"", text, name));
    if (at > time) break;
    if (!series.entries_.empty() && !(at > series.entries_.back().time)) fail("its times do not ascend");
    series.entries_.push_back({at, name});
  }
  return series;
}

std::filesystem::path TimeSeries::file_of(double time) const {
  for (const Entry& entry : entries_)
    if (entry.time == time) return file_.parent_path() / entry.file;
  for (std::size_t number = entries_.size();; ++number) {
    const std::string name = fmt::format("{}_{:06}{}", file_.stem().string(), number, extension_);
    if (std::none_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.file == name; }))
      return file_.parent_path() / name;
  }
}

void TimeSeries::add(double time) {
  std::vector<Entry> entries = entries_;
  const std::string name = file_of(time).filename().string();
  const auto at = std::lower_bound(entries.begin(), entries.end(), time,
                                   [](const Entry& entry, double value) { return entry.time < value; });
  if (at == entries.end() || at->time != time) entries.insert(at, {time, name});

  pugi::xml_document document;
  pugi::xml_node root = document.append_child("VTKFile");
  root.append_attribute("type") = "Collection";
  root.append_attribute("version") = "0.1";
  root.append_attribute("byte_order") = "LittleEndian";
  pugi::xml_node collection = root.append_child("Collection");
  for (const Entry& entry : entries) {
    pugi::xml_node data = collection.append_child("DataSet");
    data.append_attribute("timestep") = fmt::format("{}", entry.time).c_str();  // the shortest that reads back the same
    data.append_attribute("part") = "0";
    data.append_attribute("file") = entry.file.c_str();
  }
  std::ostringstream text;
  document.save(text, "  ");
  write_file(file_, text.str());
  entries_ = std::move(entries);
}

}  // namespace rtcg::dgfem
