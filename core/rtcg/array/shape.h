// Shapes and strides: up to eight extents held in place, so that views and expressions allocate nothing for them.
// Strides count elements, not bytes; the last dimension of a contiguous array has stride 1.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace rtcg {

class Dims {
 public:
  static constexpr int most = 8;

  Dims() = default;
  Dims(std::initializer_list<std::int64_t> values) : Dims(std::span(values.begin(), values.size())) {}
  explicit Dims(std::span<const std::int64_t> values);  ///< UsageError for more than `most`
  static Dims filled(int count, std::int64_t value);

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::int64_t operator[](int d) const { return values_[static_cast<std::size_t>(d)]; }
  std::int64_t& operator[](int d) { return values_[static_cast<std::size_t>(d)]; }
  std::int64_t back() const { return values_[static_cast<std::size_t>(size_ - 1)]; }
  const std::int64_t* begin() const { return values_.data(); }
  const std::int64_t* end() const { return values_.data() + size_; }
  void push_back(std::int64_t value) {  ///< UsageError for more than `most`
    if (size_ == most) insert(size_, value);
    values_[static_cast<std::size_t>(size_++)] = value;
  }
  void erase(int d);
  void insert(int d, std::int64_t value);
  friend bool operator==(const Dims& a, const Dims& b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  std::array<std::int64_t, most> values_{};
  int size_ = 0;
};

using Shape = Dims;
using Strides = Dims;

/// Product of the extents; UsageError when it passes 2^63 - 1 or an extent is negative. 1 for no dimensions.
std::int64_t element_count(const Shape& shape);
Strides contiguous_strides(const Shape& shape);
/// "(3, 4)", "(5,)", "()".
std::string to_string(const Dims& dims);
/// NumPy's rule, aligned at the last dimension. UsageError naming both shapes.
Shape broadcast(const Shape& a, const Shape& b);
/// Strides with which an array of `shape` and `strides` is read as one of shape `target`; 0 along broadcast dimensions.
Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target);
/// -1 is the last axis. UsageError naming the axis and the number of dimensions.
int normalized_axis(int axis, int dimensions);

}  // namespace rtcg
