#include "rtcg/io/hdf5_detail.h"

#include <array>

#include "rtcg/error.h"

namespace rtcg::hdf5::detail {

std::string library_reason() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* entry, void* to) -> herr_t {
        auto& text = *static_cast<std::string*>(to);
        if (text.empty() && entry->desc) text = entry->desc;
        return 0;
      },
      &reason);
  for (char& c : reason)
    if (c == '\n') c = ' ';
  // Of "file write failed: time = ..., error message = 'No space left on device', buf = ..." only the system's word.
  constexpr std::string_view mark = "error message = '";
  if (const std::size_t at = reason.find(mark); at != std::string::npos) {
    const std::size_t start = at + mark.size();
    return ": " + reason.substr(start, reason.find('\'', start) - start);
  }
  return reason.empty() ? reason : " (HDF5: " + reason + ")";
}

hid_t real_type(Element element) {
  switch (element) {
    case Element::float32:
    case Element::complex64:
      return H5T_NATIVE_FLOAT;
    case Element::float64:
    case Element::complex128:
      return H5T_NATIVE_DOUBLE;
    case Element::int32:
      return H5T_NATIVE_INT32;
    case Element::int64:
      return H5T_NATIVE_INT64;
    case Element::uint8:
      return H5T_NATIVE_UINT8;
    case Element::uint32:
      return H5T_NATIVE_UINT32;
    case Element::uint64:
      return H5T_NATIVE_UINT64;
    case Element::int8:
    case Element::boolean:
      return H5T_NATIVE_INT8;
    case Element::int16:
      return H5T_NATIVE_INT16;
    case Element::uint16:
    case Element::float16:
      return H5T_NATIVE_UINT16;
  }
  throw UsageError("no such HDF5 element");
}

namespace {

/// IEEE binary16, which HDF5 1.10 has no name for.
Handle half_type(hid_t float_type) {
  Handle type{H5Tcopy(float_type), H5Tclose};
  H5Tset_fields(type, 15, 10, 5, 0, 10);
  H5Tset_size(type, 2);
  H5Tset_ebias(type, 15);
  return type;
}

Handle boolean_type() {
  Handle type{H5Tenum_create(H5T_STD_I8LE), H5Tclose};
  for (const std::int8_t value : {0, 1}) H5Tenum_insert(type, value == 0 ? "FALSE" : "TRUE", &value);
  return type;
}

}  // namespace

bool is_complex(Element element) {
  return element == Element::complex64 || element == Element::complex128;
}

Handle memory_type(Element element) {
  if (element == Element::float16) return half_type(H5T_IEEE_F32LE);
  if (element == Element::boolean) return boolean_type();
  const hid_t real = real_type(element);
  if (!is_complex(element)) return {H5Tcopy(real), H5Tclose};
  const std::size_t size = H5Tget_size(real);
  Handle compound{H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose};
  H5Tinsert(compound, "r", 0, real);
  H5Tinsert(compound, "i", size, real);
  return compound;
}

std::optional<Element> plain_element(hid_t type) {
  struct Entry {
    hid_t little, big;
    Element element;
  };
  const std::array<Entry, 10> known{{{H5T_IEEE_F32LE, H5T_IEEE_F32BE, Element::float32},
                                     {H5T_IEEE_F64LE, H5T_IEEE_F64BE, Element::float64},
                                     {H5T_STD_I8LE, H5T_STD_I8BE, Element::int8},
                                     {H5T_STD_I16LE, H5T_STD_I16BE, Element::int16},
                                     {H5T_STD_I32LE, H5T_STD_I32BE, Element::int32},
                                     {H5T_STD_I64LE, H5T_STD_I64BE, Element::int64},
                                     {H5T_STD_U8LE, H5T_STD_U8BE, Element::uint8},
                                     {H5T_STD_U16LE, H5T_STD_U16BE, Element::uint16},
                                     {H5T_STD_U32LE, H5T_STD_U32BE, Element::uint32},
                                     {H5T_STD_U64LE, H5T_STD_U64BE, Element::uint64}}};
  for (const Entry& entry : known)
    if (H5Tequal(type, entry.little) > 0 || H5Tequal(type, entry.big) > 0) return entry.element;
  for (const hid_t order : {H5T_IEEE_F32LE, H5T_IEEE_F32BE})
    if (H5Tequal(type, half_type(order)) > 0) return Element::float16;
  if (H5Tget_class(type) == H5T_ENUM && H5Tequal(type, boolean_type()) > 0) return Element::boolean;
  return std::nullopt;
}

std::optional<Element> stored_element(hid_t type) {
  if (H5Tget_class(type) != H5T_COMPOUND) return plain_element(type);
  const int r = H5Tget_member_index(type, "r"), i = H5Tget_member_index(type, "i");
  if (H5Tget_nmembers(type) != 2 || r < 0 || i < 0) return std::nullopt;
  const Handle real{H5Tget_member_type(type, static_cast<unsigned>(r)), H5Tclose};
  const Handle imaginary{H5Tget_member_type(type, static_cast<unsigned>(i)), H5Tclose};
  if (!real.valid() || !imaginary.valid()) return std::nullopt;
  const std::optional<Element> a = plain_element(real), b = plain_element(imaginary);
  if (a != b || !a) return std::nullopt;
  if (*a == Element::float32) return Element::complex64;
  if (*a == Element::float64) return Element::complex128;
  return std::nullopt;
}

}  // namespace rtcg::hdf5::detail
