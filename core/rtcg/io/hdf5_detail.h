// Inside of hdf5.cpp: identifiers that close themselves, errors without printing, types in both directions.
#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <utility>

#include "rtcg/io/hdf5.h"

namespace rtcg::hdf5::detail {

/// Closes an identifier by the call of its kind.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  Close close_;
};

/// While it lives, HDF5 keeps its error stack to itself instead of printing it.
class Quiet {
 public:
  Quiet() {
    // At exit the library complains about what damaged files made it leak; ours are closed by their owners by then.
    static const herr_t at_exit = H5dont_atexit();
    static_cast<void>(at_exit);
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// " (HDF5: ...)" with the innermost entry of the error stack, nearest to the cause; empty when there is none.
std::string library_reason();
hid_t real_type(Element element);
bool is_complex(Element element);
Handle memory_type(Element element);
/// Only plain IEEE floats and two's complement integers, alone or as {r, i}; nullopt for whatever else a file may
/// define.
std::optional<Element> plain_element(hid_t type);
std::optional<Element> stored_element(hid_t type);

}  // namespace rtcg::hdf5::detail
