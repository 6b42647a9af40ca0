// CPHD files for tests: a collection given in a local frame goes to earth-centred coordinates and into bytes by
// formulas of its own, so that reading it back is an independent check.
#pragma once

#include <Eigen/Geometry>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>

#include <fmt/format.h>

#include "radar/pulses.h"

namespace rtcg::radar {

struct CphdExample {
  std::string version = "1.1.0", format = "CF8", domain = "FX", xml_prefix;
  int sgn = -1;
  bool amplitude_factors = false, plane_axes = false, scene_reference = true;
  double latitude = 0.9, longitude = -1.3, height = 120;  ///< of the scene's reference; rad and m
  double plane_angle = 0.4;                               ///< rad from east, of uIAX when plane_axes is set
  double apart = 0;                                       ///< m between TxPos and RcvPos
  std::vector<Vec3> reference;                            ///< SRP of every vector in the local frame; empty: the origin
  std::vector<std::int64_t> signal;                       ///< SIGNAL of every vector; empty: no such parameter
  std::vector<std::string> channels{"1"};                 ///< every one holds the same vectors
  std::function<void(std::string&)> edit_xml = [](std::string&) {};
  std::function<void(std::string&)> edit_header = [](std::string&) {};
};

namespace cphd_detail {

inline void put(std::string& to, std::uint64_t word, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) to += static_cast<char>(word >> (8 * i) & 0xff);
}
inline void put(std::string& to, double value) {
  put(to, std::bit_cast<std::uint64_t>(value), 8);
}
inline void put(std::string& to, const Vec3& v) {
  put(to, v.x()), put(to, v.y()), put(to, v.z());
}

struct Site {
  Vec3 origin, east, north, up;
};

/// The textbook geodetic formulas of WGS 84.
inline Site site(double latitude, double longitude, double height) {
  const double a = 6378137, e2 = 0.00669437999014132, sine = std::sin(latitude), cosine = std::cos(latitude);
  const double n = a / std::sqrt(1 - e2 * sine * sine);
  Site result;
  result.origin = {(n + height) * cosine * std::cos(longitude), (n + height) * cosine * std::sin(longitude),
                   (n * (1 - e2) + height) * sine};
  result.up = {cosine * std::cos(longitude), cosine * std::sin(longitude), sine};
  result.east = {-std::sin(longitude), std::cos(longitude), 0};
  result.north = {-sine * std::cos(longitude), -sine * std::sin(longitude), cosine};
  return result;
}

inline std::string xyz(const char* name, const Vec3& v) {
  return fmt::format("<{0}><X>{1:.17g}</X><Y>{2:.17g}</Y><Z>{3:.17g}</Z></{0}>", name, v.x(), v.y(), v.z());
}

inline std::string signal_bytes(const CphdExample& e, const std::complex<float>* samples, std::size_t k,
                                double factor) {
  // Integers use their whole range, scaled back by AmpSF.
  std::string out;
  for (std::size_t i = 0; i < k; ++i)
    for (double part : {double{samples[i].real()}, double{samples[i].imag()} * -e.sgn}) {
      const double stored = part / factor;
      if (e.format == "CF8")
        put(out, std::bit_cast<std::uint32_t>(static_cast<float>(stored)), 4);
      else
        put(out, static_cast<std::uint64_t>(std::llround(stored)), e.format == "CI4" ? 2 : 1);
    }
  return out;
}

}  // namespace cphd_detail

/// `collection` and `samples` are in the frame that the reader should arrive at; reference_range of the file is what
/// follows from the example's SRP, not the collection's.
inline std::string cphd_bytes(const CphdExample& e, const Collection& c,
                              const std::vector<std::complex<float>>& samples) {
  using namespace cphd_detail;
  const Site at = site(e.latitude, e.longitude, e.height);
  const Vec3 x = e.plane_axes ? Vec3(std::cos(e.plane_angle) * at.east + std::sin(e.plane_angle) * at.north) : at.east;
  const Vec3 y = at.up.cross(x);
  const auto earth = [&](const Vec3& v) -> Vec3 { return at.origin + v.x() * x + v.y() * y + v.z() * at.up; };

  float largest = 1e-30f;
  for (const std::complex<float>& s : samples) largest = std::max({largest, std::abs(s.real()), std::abs(s.imag())});
  const double steps = e.format == "CI2" ? 127 : e.format == "CI4" ? 32767 : 1;
  const bool scaled = e.amplitude_factors || e.format != "CF8";
  std::string pvp, signal;
  const std::size_t words = 13 + (scaled ? 1 : 0) + (e.signal.empty() ? 0 : 1);
  for (std::size_t p = 0; p < c.pulses(); ++p) {
    const double factor = !scaled ? 1.0 : e.format == "CF8" ? 0.5 + static_cast<double>(p) : largest / steps;
    const Vec3 apart = 0.5 * e.apart * Vec3(1, 0, 0);
    put(pvp, c.frequency_step[p]);  // not in the order of the XML
    put(pvp, earth(c.antenna[p] + apart));
    put(pvp, earth(c.antenna[p] - apart));
    put(pvp, earth(e.reference.empty() ? Vec3::Zero() : e.reference[p]));
    put(pvp, c.first_frequency[p]);
    put(pvp, 12345.0);  // a parameter that is not used
    put(pvp, c.first_frequency[p] + static_cast<double>(c.samples) * c.frequency_step[p]);
    if (scaled) put(pvp, factor);
    if (!e.signal.empty()) put(pvp, static_cast<std::uint64_t>(e.signal[p]), 8);
    signal += signal_bytes(e, samples.data() + p * c.samples, c.samples, factor);
  }
  std::string all_pvp, all_signal;
  for (std::size_t i = 0; i < e.channels.size(); ++i) {
    all_pvp += pvp;
    all_signal += signal;
  }

  const std::string q = e.xml_prefix.empty() ? "" : e.xml_prefix + ":";
  const auto parameter = [&](const char* name, int offset, int size, const char* format) {
    return fmt::format("<{0}><Offset>{1}</Offset><Size>{2}</Size><Format>{3}</Format></{0}>\n", name, offset, size,
                       format);
  };
  std::string xml = fmt::format(
      "<CPHD "
      "xmlns=\"http://api.nsgreg.nga.mil/schema/cphd/{}\">\n<Global><DomainType>{}</DomainType><SGN>{}</SGN></"
      "Global>\n",
      e.version, e.domain, e.sgn);
  xml += "<SceneCoordinates><EarthModel>WGS_84</EarthModel>";
  if (e.scene_reference) xml += "<IARP>" + xyz("ECF", at.origin) + "</IARP>";
  xml += e.plane_axes ? "<ReferenceSurface><Planar>" + xyz("uIAX", x) + xyz("uIAY", y) + "</Planar></ReferenceSurface>"
                      : "<ReferenceSurface><HAE><uIAXLL><Lat>0</Lat><Lon>0</Lon></uIAXLL></HAE></ReferenceSurface>";
  xml +=
      fmt::format("</SceneCoordinates>\n<Data><SignalArrayFormat>{}</SignalArrayFormat><NumBytesPVP>{}</NumBytesPVP>\n",
                  e.format, 8 * words);
  for (std::size_t i = 0; i < e.channels.size(); ++i)
    xml += fmt::format(
        "<Channel><Identifier>{}</Identifier><NumVectors>{}</NumVectors><NumSamples>{}</NumSamples>"
        "<SignalArrayByteOffset>{}</SignalArrayByteOffset><PVPArrayByteOffset>{}</PVPArrayByteOffset></Channel>\n",
        e.channels[i], c.pulses(), c.samples, i * signal.size(), i * pvp.size());
  xml += "</Data>\n<PVP>\n" + parameter("TxPos", 1, 3, "X=F8;Y=F8;Z=F8;") +
         parameter("RcvPos", 4, 3, "X=F8;Y=F8;Z=F8;") + parameter("SRPPos", 7, 3, "X=F8;Y=F8;Z=F8;") +
         parameter("SC0", 10, 1, "F8") + parameter("aFDOP", 11, 1, "F8") + parameter("FX2", 12, 1, "F8") +
         parameter("SCSS", 0, 1, "F8");
  if (scaled) xml += parameter("AmpSF", 13, 1, "F8");
  if (!e.signal.empty()) xml += parameter("SIGNAL", scaled ? 14 : 13, 1, "I8");
  xml += "</PVP>\n</CPHD>";
  if (!q.empty()) {
    std::string prefixed;
    for (std::size_t i = 0; i < xml.size(); ++i) {
      prefixed += xml[i];
      if (xml[i] == '<' && xml[i + 1] != '/') prefixed += q;
      if (xml[i] == '<' && xml[i + 1] == '/') prefixed += "/" + q, ++i;
    }
    prefixed.replace(prefixed.find("xmlns="), 6, "xmlns:" + e.xml_prefix + "=");
    xml = prefixed;
  }
  e.edit_xml(xml);

  // The offsets are absolute, so the header's own length must not depend on their digits.
  const auto header = [&](std::size_t begin) {
    const std::size_t pvp_at = begin + xml.size() + 2, signal_at = pvp_at + all_pvp.size();
    return fmt::format(
        "CPHD/{}\nXML_BLOCK_SIZE := {}\nXML_BLOCK_BYTE_OFFSET := {:06}\nPVP_BLOCK_SIZE := {}\nPVP_BLOCK_BYTE_OFFSET := "
        "{:06}\n"
        "SIGNAL_BLOCK_SIZE := {}\nSIGNAL_BLOCK_BYTE_OFFSET := {:06}\nCLASSIFICATION := UNCLASSIFIED\nRELEASE_INFO := "
        "UNRESTRICTED\n\f\n",
        e.version, xml.size(), begin, all_pvp.size(), pvp_at, all_signal.size(), signal_at);
  };
  std::string head = header(header(0).size());
  e.edit_header(head);
  return head + xml + "\f\n" + all_pvp + all_signal;
}

}  // namespace rtcg::radar
