// Arrays on a device: a value that shares its memory with its views and copies of the handle, as NumPy's do. An Array
// always has its elements (or work already queued on its stream that writes them); lazy values are Expressions. Views
// (slices, transposes, reshapes) copy nothing. Work on an Array runs on its stream.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "rtcg/array/node.h"

namespace rtcg {

class Expression;

/// Python's start:stop:step; negative values count from the end, absent ones mean "to the end in this direction".
struct Slice {
  std::optional<std::int64_t> start, stop;
  std::int64_t step = 1;
};
inline constexpr struct NewAxis {
} new_axis;
inline constexpr struct Ellipsis {
} ellipsis;  ///< as many whole dimensions as are left
inline const Slice all_of{};

/// One place of a subscript: an index (drops the dimension), a Slice, new_axis or ellipsis.
using Index = std::variant<std::int64_t, Slice, NewAxis, Ellipsis>;

class Array {
 public:
  Array() = default;  ///< none; only assignment and `bool` are allowed
  /// Evaluates in as few kernels as the completion rule allows, on the expression's stream.
  Array(const Expression& expression);  // NOLINT(google-explicit-constructor): assignment evaluates
  /// Memory that exists already. UsageError when an element lies outside of the buffer.
  Array(Buffer buffer, Dtype type, Shape shape, Strides strides, std::int64_t offset = 0);

  /// Uninitialised.
  static Array empty(const Stream& stream, const Shape& shape, Dtype type);
  static Array zeros(const Stream& stream, const Shape& shape, Dtype type);
  static Array full(const Stream& stream, const Shape& shape, Dtype type, const Scalar& value);
  /// 0, 1, ... n - 1.
  static Array arange(const Stream& stream, std::int64_t n, Dtype type = Dtype::i64);
  /// Copies from the host; one dimension unless a shape of as many elements is given.
  template <class T>
  static Array from(const Stream& stream, std::span<const T> values, std::optional<Shape> shape = {}) {
    return from_host(stream, values.data(), values.size(), scalar_type<T>(), shape);
  }
  template <class T>
  static Array from(const Stream& stream, const std::vector<T>& values, std::optional<Shape> shape = {}) {
    return from(stream, std::span<const T>(values), shape);
  }
  template <class T>
  static Array from(const Stream& stream, std::initializer_list<T> values, std::optional<Shape> shape = {}) {
    return from(stream, std::span<const T>(values.begin(), values.size()), shape);
  }

  explicit operator bool() const { return node_ != nullptr; }
  Dtype dtype() const { return node_->dtype; }
  const Shape& shape() const { return node_->shape; }
  const Strides& strides() const { return node_->strides; }
  int dimensions() const { return shape().size(); }
  std::int64_t extent(int axis) const { return shape()[normalized_axis(axis, dimensions())]; }
  std::int64_t size() const { return node_->size; }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * size_of(dtype()); }
  bool is_contiguous() const { return node_->is_contiguous; }
  const Buffer& buffer() const { return node_->buffer; }  ///< none when there are no elements
  std::int64_t offset() const { return node_->offset; }   ///< of element (0, 0, ...) in the buffer, in elements
  const Stream& stream() const { return node_->on; }
  const Device& device() const { return stream().device(); }

  // Views. UsageError for indices out of range, naming index, axis and extent.
  template <class... Indices>
  Array operator()(const Indices&... indices) const {
    const Index list[] = {as_index(indices)...};
    return at(list);
  }
  Array at(std::span<const Index> indices) const;
  Array transpose() const;                           ///< axes reversed
  Array transpose(std::span<const int> axes) const;  ///< axis d of the result is axis axes[d]
  Array transpose(std::initializer_list<int> axes) const { return transpose(std::span(axes.begin(), axes.size())); }
  /// A view when the strides allow it, a copy otherwise. One extent may be -1.
  Array reshape(const Shape& shape) const;
  Array ravel() const { return reshape({-1}); }
  Array squeeze() const;  ///< without the dimensions of extent 1
  Array expand_dims(int axis) const;
  Array broadcast_to(const Shape& shape) const;  ///< stride 0 along new dimensions; not to be written to
  Array flip(int axis) const;
  /// The same bits as another type of the same size.
  Array view_as(Dtype type) const;
  Array real() const;  ///< real part of a complex array as a strided view; imag likewise
  Array imag() const;

  Array copy() const;        ///< contiguous, of its own
  Array contiguous() const;  ///< itself when contiguous already
  Array astype(Dtype type) const;
  Array on(const Stream& stream) const;  ///< a copy on another stream or device, ordered after this array's work

  /// Writes the elements of this view in place; the value is broadcast and cast (a cast to a smaller kind is a
  /// UsageError, as NumPy's "same_kind"). Right also when the value reads the same memory at other places.
  const Array& assign(const Expression& value) const;
  const Array& operator+=(const Expression& value) const;
  const Array& operator-=(const Expression& value) const;
  const Array& operator*=(const Expression& value) const;
  const Array& operator/=(const Expression& value) const;

  /// Blocking copies in C order. UsageError when T is not the dtype or the count differs.
  template <class T>
  std::vector<T> to_vector() const {
    const auto count = static_cast<std::size_t>(size());
    if constexpr (std::is_same_v<T, bool>) {  // std::vector<bool> has no elements to copy to
      const auto values = std::make_unique<bool[]>(count);
      read(values.get(), count, Dtype::boolean);
      return std::vector<bool>(values.get(), values.get() + count);
    } else {
      std::vector<T> values(count);
      read(values.data(), count, scalar_type<T>());
      return values;
    }
  }
  template <class T>
  void read_into(std::span<T> values) const {
    read(values.data(), values.size(), scalar_type<T>());
  }
  template <class T>
  void write(std::span<const T> values) const {
    write(values.data(), values.size(), scalar_type<T>());
  }
  /// The only element, converted. UsageError when there are more.
  template <class T>
  T item() const {
    const Scalar value = scalar().as(scalar_type<T>());
    T result;
    std::memcpy(&result, value.data(), sizeof(T));
    return result;
  }
  Scalar scalar() const;

  /// Contiguous arrays only (UsageError): page-locked memory of bytes() bytes, on this array's stream.
  void read_async(const HostBuffer& target) const;
  void write_async(const HostBuffer& source) const;

  /// The leaf of the expression graph that this is a handle on, and back.
  const std::shared_ptr<const ArrayNode>& node() const { return node_; }
  explicit Array(std::shared_ptr<const ArrayNode> node) : node_(std::move(node)) {}

 private:
  static Index as_index(std::integral auto i) { return static_cast<std::int64_t>(i); }
  static Index as_index(const Slice& s) { return s; }
  static Index as_index(NewAxis a) { return a; }
  static Index as_index(Ellipsis e) { return e; }
  static Array from_host(const Stream& stream, const void* data, std::size_t count, Dtype type,
                         const std::optional<Shape>& shape);
  void read(void* target, std::size_t count, Dtype type) const;
  void write(const void* source, std::size_t count, Dtype type) const;
  Array with(const Shape& shape, const Strides& strides, std::int64_t offset) const;
  Array part(int which) const;

  std::shared_ptr<const ArrayNode> node_;
};

/// Of a node that is an array.
inline Array as_array(const NodePtr& node) {
  return Array(std::static_pointer_cast<const ArrayNode>(node));
}

}  // namespace rtcg
