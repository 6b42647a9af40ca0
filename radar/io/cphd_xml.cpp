#include "radar/io/cphd_xml.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <pugixml.hpp>

#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

std::string_view local_name(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

class Reader {
 public:
  Reader(const pugi::xml_node& root, const std::string& name) : root_(root), name_(name) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: CPHD XML: {}", name_, what));
  }

  /// Empty when a step of "A/B/C" is missing.
  pugi::xml_node find(pugi::xml_node from, std::string_view path) const {
    while (from && !path.empty()) {
      const std::size_t slash = path.find('/');
      const std::string_view step = path.substr(0, slash);
      path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
      from = from.find_child([&](const pugi::xml_node& child) { return local_name(child) == step; });
    }
    return from;
  }
  pugi::xml_node find(std::string_view path) const { return find(root_, path); }

  std::string text(const pugi::xml_node& from, std::string_view path) const {
    const pugi::xml_node node = find(from, path);
    if (!node) fail(fmt::format("no element {} in {}", path, local_name(from)));
    return std::string(trimmed(node.text().get()));
  }

  template <class Number>
  Number number(const pugi::xml_node& from, std::string_view path) const {
    std::string value = text(from, path);
    const char* begin = value.data() + (value.starts_with('+') ? 1 : 0);
    Number result{};
    const auto [end, error] = std::from_chars(begin, value.data() + value.size(), result);
    if (error != std::errc() || end != value.data() + value.size() || begin == end)
      fail(fmt::format("{} in {} is '{}'; a number is needed", path, local_name(from), value.substr(0, 40)));
    return result;
  }

  Vec3 vector(const pugi::xml_node& node) const {
    const Vec3 v{number<double>(node, "X"), number<double>(node, "Y"), number<double>(node, "Z")};
    if (!v.allFinite()) fail(fmt::format("{} is not finite", local_name(node)));
    return v;
  }

  std::optional<CphdParameter> parameter(std::string_view name, std::uint64_t words, char type,
                                         std::uint64_t record_bytes) const {
    const pugi::xml_node node = find(fmt::format("PVP/{}", name));
    if (!node) return std::nullopt;
    const CphdParameter result{number<std::uint64_t>(node, "Offset"), number<std::uint64_t>(node, "Size")};
    const std::string format = text(node, "Format");
    const std::string expected = words == 1 ? fmt::format("{}8", type) : fmt::format("X={0}8;Y={0}8;Z={0}8;", type);
    if (result.words != words || format != expected)
      fail(fmt::format("PVP/{} has size {} and format '{}'; {} and '{}' are needed", name, result.words,
                       format.substr(0, 40), words, expected));
    if (result.offset > record_bytes / 8 || words > record_bytes / 8 - result.offset)
      fail(fmt::format("PVP/{} at word {} lies outside a record of {} bytes", name, result.offset, record_bytes));
    return result;
  }

  CphdParameter needed(std::string_view name, std::uint64_t words, std::uint64_t record_bytes) const {
    const std::optional<CphdParameter> found = parameter(name, words, 'F', record_bytes);
    if (!found) fail(fmt::format("no element PVP/{}", name));
    return *found;
  }

 private:
  pugi::xml_node root_;
  std::string name_;
};

void read_global(const Reader& reader, CphdMetadata& result) {
  const pugi::xml_node global = reader.find("Global");
  if (!global) reader.fail("no element Global");
  const std::string domain = reader.text(global, "DomainType");
  if (domain == "TOA")
    reader.fail("the signal is in the TOA domain; transform it to the FX domain first (FFT of every vector)");
  if (domain != "FX") reader.fail(fmt::format("DomainType is '{}'; FX is read", domain.substr(0, 20)));
  result.phase_sign = reader.number<int>(global, "SGN");
  if (result.phase_sign != 1 && result.phase_sign != -1)
    reader.fail(fmt::format("SGN is {}; -1 or +1 is needed", result.phase_sign));
}

void read_data(const Reader& reader, CphdMetadata& result) {
  const pugi::xml_node data = reader.find("Data");
  if (!data) reader.fail("no element Data");
  const std::string format = reader.text(data, "SignalArrayFormat");
  if (format == "CF8")
    result.signal = CphdSignal::cf8;
  else if (format == "CI4")
    result.signal = CphdSignal::ci4;
  else if (format == "CI2")
    result.signal = CphdSignal::ci2;
  else
    reader.fail(fmt::format("SignalArrayFormat is '{}'; CF8, CI4 and CI2 are read", format.substr(0, 20)));
  if (reader.find(data, "SignalCompressionID"))
    reader.fail("the signal arrays are compressed; only uncompressed ones are read");
  result.pvp_bytes = reader.number<std::uint64_t>(data, "NumBytesPVP");
  if (result.pvp_bytes == 0 || result.pvp_bytes % 8 != 0 || result.pvp_bytes > 1 << 20)
    reader.fail(fmt::format("NumBytesPVP is {}; a multiple of 8 up to 1 MiB is needed", result.pvp_bytes));
  for (const pugi::xml_node& node : data) {
    if (local_name(node) != "Channel") continue;
    if (reader.find(node, "CompressedSignalSize"))
      reader.fail("the signal arrays are compressed; only uncompressed ones are read");
    CphdChannel channel;
    channel.identifier = reader.text(node, "Identifier");
    channel.vectors = reader.number<std::uint64_t>(node, "NumVectors");
    channel.samples = reader.number<std::uint64_t>(node, "NumSamples");
    channel.signal_offset = reader.number<std::uint64_t>(node, "SignalArrayByteOffset");
    channel.pvp_offset = reader.number<std::uint64_t>(node, "PVPArrayByteOffset");
    result.channels.push_back(std::move(channel));
  }
  if (result.channels.empty()) reader.fail("no element Data/Channel; at least one channel is needed");
}

}  // namespace

CphdMetadata parse_cphd_xml(std::string_view text, const std::string& name) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed)
    throw InputError(
        fmt::format("{}: CPHD XML: {} at byte {} of the XML block", name, parsed.description(), parsed.offset));
  const Reader reader(document.document_element(), name);
  if (local_name(document.document_element()) != "CPHD") reader.fail("the root element is not CPHD");
  CphdMetadata result;
  read_global(reader, result);
  read_data(reader, result);
  result.tx_position = reader.needed("TxPos", 3, result.pvp_bytes);
  result.rcv_position = reader.needed("RcvPos", 3, result.pvp_bytes);
  result.reference_position = reader.needed("SRPPos", 3, result.pvp_bytes);
  result.first_frequency = reader.needed("SC0", 1, result.pvp_bytes);
  result.frequency_step = reader.needed("SCSS", 1, result.pvp_bytes);
  result.amplitude = reader.parameter("AmpSF", 1, 'F', result.pvp_bytes);
  result.validity = reader.parameter("SIGNAL", 1, 'I', result.pvp_bytes);
  if (const pugi::xml_node node = reader.find("SceneCoordinates/IARP/ECF"))
    result.scene_reference = reader.vector(node);
  const pugi::xml_node planar = reader.find("SceneCoordinates/ReferenceSurface/Planar");
  if (const pugi::xml_node x = reader.find(planar, "uIAX"), y = reader.find(planar, "uIAY"); x && y)
    result.plane_axes = {reader.vector(x), reader.vector(y)};
  return result;
}

}  // namespace rtcg::radar
