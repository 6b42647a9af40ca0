// The numbers of a Gmsh file, whether written as text or as bytes: both formats hold the same fields in the same order,
// so that one reader serves them.
#pragma once

#include <limits>

#include "dgfem/mesh/mesh_scanner.h"

namespace rtcg::dgfem {

class GmshFields {
 public:
  explicit GmshFields(MeshScanner& scanner) : scanner_(scanner) {}

  void binary(bool binary) { binary_ = binary; }
  bool is_binary() const { return binary_; }

  std::int64_t integer(const char* what) { return binary_ ? scanner_.raw<std::int32_t>(what) : scanner_.integer(what); }
  /// size_t of 4.x.
  std::int64_t large(const char* what) {
    if (!binary_) return scanner_.integer(what);
    const auto value = scanner_.raw<std::uint64_t>(what);
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      scanner_.fail(std::string(what) + " is out of range");
    return static_cast<std::int64_t>(value);
  }
  double real(const char* what) { return binary_ ? scanner_.raw<double>(what) : scanner_.real(what); }
  /// A count of things of at least so many bytes of text, or exactly so many raw.
  std::size_t count(const char* what, std::size_t text_bytes, std::size_t raw_bytes) {
    const std::int64_t value = large(what);
    if (value < 0) scanner_.fail(std::string(what) + " should not be negative");
    scanner_.check_count(static_cast<std::uint64_t>(value), what, binary_ ? raw_bytes : text_bytes);
    return static_cast<std::size_t>(value);
  }
  void skip_reals(std::size_t count, const char* what) {
    for (std::size_t k = 0; k < count; ++k) real(what);
  }
  void skip_integers(std::size_t count, const char* what) {
    for (std::size_t k = 0; k < count; ++k) integer(what);
  }

 private:
  MeshScanner& scanner_;
  bool binary_ = false;
};

}  // namespace rtcg::dgfem
