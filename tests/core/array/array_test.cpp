#include "rtcg/array/array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "rtcg/array/expression.h"
#include "rtcg/device/pool.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

class ArrayTest : public test::DeviceTest {};

Shape as_shape(const std::vector<std::int64_t>& extents) {
  return Shape(std::span(extents));
}

/// What a view shows: the elements themselves in C order, so that no stride is ever computed.
struct Plain {
  std::vector<std::int64_t> shape;
  std::vector<int> values;

  int at(const std::vector<std::int64_t>& index) const {
    std::int64_t linear = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) linear = linear * shape[d] + index[d];
    return values[static_cast<std::size_t>(linear)];
  }
};

/// The elements of shape `shape`, each taken from where `source` says.
template <class F>
Plain gather(const Plain& from, const std::vector<std::int64_t>& shape, const F& source) {
  Plain result{shape, {}};
  std::vector<std::int64_t> index(shape.size(), 0);
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return result;
  for (;;) {
    result.values.push_back(from.at(source(index)));
    std::size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return result;
  }
}

/// Python's list(range(extent))[start:stop:step], by stepping.
std::vector<std::int64_t> places(const Slice& slice, std::int64_t extent) {
  const bool forward = slice.step > 0;
  const auto place = [&](std::int64_t i) { return i < 0 ? i + extent : i; };
  std::int64_t i = slice.start ? place(*slice.start) : forward ? 0 : extent - 1;
  const std::int64_t stop = slice.stop ? place(*slice.stop) : forward ? extent : -1;
  if (forward) i = std::max<std::int64_t>(i, 0);
  if (!forward) i = std::min(i, extent - 1);
  std::vector<std::int64_t> list;
  for (; forward ? i < std::min(stop, extent) : i > std::max<std::int64_t>(stop, -1); i += slice.step)
    list.push_back(i);
  return list;
}

class Views {
 public:
  Views(const Stream& stream, unsigned seed) : random_(seed) {
    const int dimensions = 1 + static_cast<int>(random_() % 4);
    Shape shape;
    for (int d = 0; d < dimensions; ++d) shape.push_back(1 + static_cast<std::int64_t>(random_() % 6));
    plain.shape.assign(shape.begin(), shape.end());
    plain.values.resize(static_cast<std::size_t>(element_count(shape)));
    std::iota(plain.values.begin(), plain.values.end(), 0);
    array = Array::from(stream, plain.values, shape);
  }

  void step() {
    const auto dimensions = plain.shape.size();
    switch (random_() % 6) {
      case 0:
        return subscript();
      case 1: {
        std::vector<int> axes(dimensions);
        std::iota(axes.begin(), axes.end(), 0);
        std::shuffle(axes.begin(), axes.end(), random_);
        std::vector<std::int64_t> shape;
        for (const int axis : axes) shape.push_back(plain.shape[static_cast<std::size_t>(axis)]);
        note += "transpose ";
        plain = gather(plain, shape, [&](const auto& index) {
          auto from = index;
          for (std::size_t d = 0; d < dimensions; ++d) from[static_cast<std::size_t>(axes[d])] = index[d];
          return from;
        });
        array = array.transpose(axes);
        return;
      }
      case 2: {
        if (dimensions == 0) return;
        const auto axis = static_cast<std::size_t>(random_()) % dimensions;
        note += "flip ";
        plain = gather(plain, plain.shape, [&](auto index) {
          index[axis] = plain.shape[axis] - 1 - index[axis];
          return index;
        });
        array = array.flip(static_cast<int>(axis));
        return;
      }
      case 3: {
        note += "ravel and fold ";
        std::vector<std::int64_t> shape;
        auto left = static_cast<std::int64_t>(plain.values.size());
        for (const std::int64_t factor : {2, 3, 5})
          if (left != 0 && left % factor == 0) shape.push_back(factor), left /= factor;
        shape.push_back(left);
        plain.shape = shape;
        shape[random_() % shape.size()] = plain.values.empty() ? shape.back() : -1;
        array = array.reshape(plain.values.empty() ? as_shape(plain.shape) : as_shape(shape));
        return;
      }
      case 4: {
        note += "squeeze ";
        std::erase(plain.shape, 1);
        array = array.squeeze();
        return;
      }
      default: {
        if (dimensions > 4) return;
        note += "expand and broadcast ";
        const auto axis = random_() % (dimensions + 1);
        plain.shape.insert(plain.shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
        auto shape = plain.shape;
        shape[axis] = 2;
        const Plain wide = gather(plain, shape, [&](auto index) {
          index[axis] = 0;
          return index;
        });
        if (plain.values.size() > 200) {
          array = array.expand_dims(static_cast<int>(axis));
          return;
        }
        plain = wide;
        array = array.expand_dims(static_cast<int>(axis)).broadcast_to(as_shape(shape));
      }
    }
  }

  Array array;
  Plain plain;
  std::string note;

 private:
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }

  void subscript() {
    std::vector<Index> subscripts;
    std::vector<std::vector<std::int64_t>> sources;
    std::vector<bool> dropped;
    for (const std::int64_t extent : plain.shape) {
      if (extent > 0 && below(3) == 0) {
        const std::int64_t i = below(2 * extent) - extent;
        subscripts.emplace_back(i);
        sources.push_back({i < 0 ? i + extent : i});
        dropped.push_back(true);
        note += "[" + std::to_string(i) + "]";
        continue;
      }
      Slice slice;
      if (below(2) == 0) slice.start = below(2 * extent + 4) - extent - 2;
      if (below(2) == 0) slice.stop = below(2 * extent + 4) - extent - 2;
      slice.step = below(2) == 0 ? 1 + below(3) : -1 - below(3);
      subscripts.emplace_back(slice);
      sources.push_back(places(slice, extent));
      dropped.push_back(false);
      note += "[" + (slice.start ? std::to_string(*slice.start) : "") + ":" +
              (slice.stop ? std::to_string(*slice.stop) : "") + ":" + std::to_string(slice.step) + "]";
    }
    std::vector<std::int64_t> shape;
    for (std::size_t d = 0; d < sources.size(); ++d)
      if (!dropped[d]) shape.push_back(static_cast<std::int64_t>(sources[d].size()));
    plain = gather(plain, shape, [&](const auto& index) {
      std::vector<std::int64_t> from;
      std::size_t next = 0;
      for (std::size_t d = 0; d < sources.size(); ++d)
        from.push_back(dropped[d] ? sources[d][0] : sources[d][static_cast<std::size_t>(index[next++])]);
      return from;
    });
    array = array.at(subscripts);
  }

  std::mt19937_64 random_;
};

TEST_P(ArrayTest, RandomChainsOfViewsShowWhatAPlainInterpreterShows) {
  const Stream queue = stream();
  for (unsigned seed = 0; seed < 400; ++seed) {
    Views views(queue, seed);
    for (int step = 0; step < 4; ++step) views.step();
    ASSERT_EQ(views.array.shape(), as_shape(views.plain.shape)) << seed << ": " << views.note;
    ASSERT_EQ(views.array.to_vector<int>(), views.plain.values) << seed << ": " << views.note;
    if (views.array.is_contiguous() && views.array.size() > 0) {
      EXPECT_EQ(views.array.contiguous().buffer().native(), views.array.buffer().native());
    }
  }
}

TEST_P(ArrayTest, SubscriptsWithEllipsisAndNewAxes) {
  const Stream queue = stream();
  const Array a = Array::arange(queue, 24, Dtype::i32).reshape({2, 3, 4});
  EXPECT_EQ(a(1, ellipsis).shape(), (Shape{3, 4}));
  EXPECT_EQ(a(ellipsis, -1).to_vector<int>(), (std::vector<int>{3, 7, 11, 15, 19, 23}));
  EXPECT_EQ(a(new_axis, 0, ellipsis, new_axis).shape(), (Shape{1, 3, 4, 1}));
  EXPECT_EQ(a(1, 2, 3).item<int>(), 23);
  EXPECT_EQ(a(1, 2, 3, ellipsis).shape(), Shape{});
  EXPECT_EQ(a(all_of, 1).to_vector<int>(), (std::vector<int>{4, 5, 6, 7, 16, 17, 18, 19}));
  EXPECT_EQ(a(0, 0, Slice{{}, {}, -2}).to_vector<int>(), (std::vector<int>{3, 1}));
  EXPECT_EQ(a(0, 0, Slice{-100, 100}).size(), 4);
  EXPECT_EQ(a(0, 0, Slice{3, 1}).size(), 0);
  EXPECT_EQ(a(0, 0, Slice{{}, {}, INT64_MAX}).to_vector<int>(), std::vector<int>{0});
  EXPECT_EQ(a(0, 0, Slice{{}, {}, INT64_MIN}).to_vector<int>(), std::vector<int>{3});
}

TEST_P(ArrayTest, BadSubscriptsNameIndexAxisAndExtent) {
  const Array a = Array::zeros(stream(), {2, 3}, Dtype::f32);
  EXPECT_MESSAGE(UsageError, "index 3 is out of range for axis 1 of extent 3", a(0, 3));
  EXPECT_MESSAGE(UsageError, "index -3 is out of range for axis 0 of extent 2", a(-3));
  EXPECT_MESSAGE(UsageError, "3 indices for an array of shape (2, 3)", a(0, 0, 0));
  EXPECT_MESSAGE(UsageError, "step 0", a(Slice{0, 1, 0}));
  EXPECT_MESSAGE(UsageError, "more than one ellipsis", a(ellipsis, ellipsis));
  EXPECT_MESSAGE(UsageError, "at most 8 dimensions",
                 a(new_axis, new_axis, new_axis, new_axis, new_axis, new_axis, new_axis));
}

TEST_P(ArrayTest, BadViewsSayWhatDoesNotFit) {
  const Array a = Array::zeros(stream(), {2, 3}, Dtype::f32);
  EXPECT_MESSAGE(UsageError, "6 elements of shape (2, 3) do not make shape (4, -1)", a.reshape({4, -1}));
  EXPECT_MESSAGE(UsageError, "do not make shape (7,)", a.reshape({7}));
  EXPECT_MESSAGE(UsageError, "leaves two extents open", a.reshape({-1, -1}));
  EXPECT_MESSAGE(UsageError, "do not make shape (0, -1)", a.reshape({0, -1}));
  EXPECT_MESSAGE(UsageError, "negative extent", a.reshape({-2, -3}));
  EXPECT_MESSAGE(UsageError, "axis 0 appears twice", a.transpose({0, 0}));
  EXPECT_MESSAGE(UsageError, "1 axes for an array of 2", a.transpose({1}));
  EXPECT_MESSAGE(UsageError, "axis 2 is out of range", a.flip(2));
  EXPECT_MESSAGE(UsageError, "axis 4 is out of range", a.expand_dims(4));
  EXPECT_MESSAGE(UsageError, "shape (2, 3) does not broadcast to (3, 2)", a.broadcast_to({3, 2}));
  EXPECT_MESSAGE(UsageError, "elements of float32 have 4 bytes, those of int64 8", a.view_as(Dtype::i64));
  EXPECT_MESSAGE(UsageError, "an array of float32 has no imaginary part", a.imag());
}

TEST_P(ArrayTest, SizesThatOverflowAreRefusedBeforeAnythingIsAllocated) {
  const Stream queue = stream();
  EXPECT_MESSAGE(UsageError, "more than 2^63 - 1 elements",
                 Array::empty(queue, {std::int64_t{1} << 40, std::int64_t{1} << 40}, Dtype::u8));
  EXPECT_MESSAGE(UsageError, "is more than 2^63 - 1 bytes",
                 Array::zeros(queue, {std::int64_t{1} << 60, 4}, Dtype::c128));
  EXPECT_MESSAGE(UsageError, "negative extent", Array::empty(queue, {-1}, Dtype::u8));
  EXPECT_MESSAGE(UsageError, "element type is unknown", Array::empty(queue, {1}, Dtype::unknown));
}

TEST_P(ArrayTest, OutOfMemorySaysWhatWasAsked) {
  const Stream queue = stream();
  // The debug device allocates without the pool that words the others' message.
  const char* asked = device().driver().pools_memory() ? "8.00 PiB asked for" : "9007199254740992 bytes";
  EXPECT_MESSAGE(OutOfMemory, asked, Array::empty(queue, {std::int64_t{1} << 50}, Dtype::f64));
}

TEST_P(ArrayTest, MemoryThatExistsIsCheckedAgainstShapeAndStrides) {
  const Stream queue = stream();
  const Buffer buffer = Buffer::from(queue, std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Array diagonal(buffer, Dtype::i32, {3}, {4}, 1);
  EXPECT_EQ(diagonal.to_vector<int>(), (std::vector<int>{1, 5, 9}));
  const Array backwards(buffer, Dtype::i32, {2, 2}, {-3, -1}, 9);
  EXPECT_EQ(backwards.to_vector<int>(), (std::vector<int>{9, 8, 6, 5}));
  EXPECT_MESSAGE(UsageError, "shape (3,) with strides (4,) at offset 2 passes the 10 elements",
                 Array(buffer, Dtype::i32, {3}, {4}, 2));
  EXPECT_MESSAGE(UsageError, "passes the 10 elements", Array(buffer, Dtype::i32, {3}, {-1}, 1));
  EXPECT_MESSAGE(UsageError, "passes the 5 elements", Array(buffer, Dtype::f64, {6}, {1}));
  EXPECT_MESSAGE(UsageError, "passes the", Array(buffer, Dtype::i32, {3}, {INT64_MAX}, 0));
  EXPECT_MESSAGE(UsageError, "strides (1,) for shape (2, 2)", Array(buffer, Dtype::i32, {2, 2}, {1}));
  EXPECT_MESSAGE(UsageError, "empty", Array(Buffer(), Dtype::i32, {1}, {1}));
}

TEST_P(ArrayTest, HoldsEveryTypeThere) {
  const Stream queue = stream();
  const auto round_trip = [&]<class T>(const std::vector<T>& values) {
    EXPECT_EQ(Array::from(queue, values).template to_vector<T>(), values) << dtype_name(scalar_type<T>());
    const Array reversed = Array::from(queue, values).flip(0);
    EXPECT_EQ(reversed.template to_vector<T>(), std::vector<T>(values.rbegin(), values.rend()));
  };
  round_trip(std::vector<std::int8_t>{-128, 0, 127});
  round_trip(std::vector<std::uint8_t>{0, 255});
  round_trip(std::vector<std::int16_t>{-32768, 5, 32767});
  round_trip(std::vector<std::uint16_t>{0, 65535});
  round_trip(std::vector<std::int32_t>{INT32_MIN, INT32_MAX});
  round_trip(std::vector<std::uint32_t>{1, UINT32_MAX});
  round_trip(std::vector<std::int64_t>{INT64_MIN, 1, INT64_MAX});
  round_trip(std::vector<std::uint64_t>{0, UINT64_MAX});
  round_trip(std::vector<float>{-1.5f, 3e38f, 1e-40f});
  round_trip(std::vector<double>{-1.5, 1e300});
  round_trip(std::vector<std::complex<float>>{{1, 2}, {3, -4}});
  round_trip(std::vector<std::complex<double>>{{1, 2}, {3, -4}, {5, 6}});
  const Array flags = Array::from(queue, {true, false, true});
  EXPECT_EQ(flags.dtype(), Dtype::boolean);
  EXPECT_EQ(flags.to_vector<bool>(), (std::vector<bool>{true, false, true}));
}

TEST_P(ArrayTest, HostCopiesCheckTypeAndCount) {
  const Stream queue = stream();
  const Array a = Array::from(queue, {1.0f, 2.0f, 3.0f, 4.0f}, Shape{2, 2});
  EXPECT_MESSAGE(UsageError, "the array is of float32, the host values are of float64", a.to_vector<double>());
  EXPECT_MESSAGE(UsageError, "3 host values for 4 elements of shape (2, 2)", a.write<float>(std::vector<float>(3)));
  EXPECT_MESSAGE(UsageError, "3 host values for 4 elements", Array::from(queue, {1, 2, 3}, Shape{2, 2}));
  EXPECT_MESSAGE(UsageError, "shape (2, 2) has 4 elements, not one", a.item<float>());
  EXPECT_EQ(a(1, 0).item<float>(), 3.0f);
  EXPECT_EQ(a(1, 0).item<int>(), 3);
  EXPECT_EQ(a(1, 0).item<std::complex<double>>(), 3.0);
}

TEST_P(ArrayTest, WritesThroughStridedViews) {
  const Stream queue = stream();
  const Array a = Array::zeros(queue, {3, 4}, Dtype::i32);
  a(all_of, Slice{1, {}, 2}).write<int>(std::vector<int>{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(a.to_vector<int>(), (std::vector<int>{0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6}));
  a(1).write<int>(std::vector<int>{9, 8, 7, 6});
  EXPECT_EQ(a(1).to_vector<int>(), (std::vector<int>{9, 8, 7, 6}));
  a.transpose()(0).assign(-1);
  EXPECT_EQ(a(all_of, 0).to_vector<int>(), (std::vector<int>{-1, -1, -1}));
  EXPECT_MESSAGE(UsageError, "axis 0 of shape (2, 3, 4) is broadcast", a.broadcast_to({2, 3, 4}).assign(1));
}

TEST_P(ArrayTest, AssignsInPlaceWithBroadcastingAndSafeCasts) {
  const Stream queue = stream();
  const Array a = Array::from(queue, {1, 2, 3, 4, 5, 6}, Shape{2, 3});
  const Array row = Array::from(queue, {10, 20, 30});
  a += row;
  EXPECT_EQ(a.to_vector<int>(), (std::vector<int>{11, 22, 33, 14, 25, 36}));
  a -= 1;
  a *= row(Slice{0, 1});
  EXPECT_EQ(a.to_vector<int>(), (std::vector<int>{100, 210, 320, 130, 240, 350}));
  EXPECT_THROW(a /= 2, UsageError);  // true division gives reals
  EXPECT_THROW(a.assign(Array::zeros(queue, {2, 2}, Dtype::i32)), UsageError);
  EXPECT_THROW(row.assign(a), UsageError);
  EXPECT_THROW(a.assign(Array::zeros(queue, {3}, Dtype::f32)), UsageError);
  const Array bytes = Array::zeros(queue, {3}, Dtype::u8);
  bytes += 7;
  EXPECT_EQ(bytes.to_vector<std::uint8_t>(), std::vector<std::uint8_t>(3, 7));
  const Array x = Array::from(queue, {1.0f, 2.0f});
  x /= 4;
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0.25f, 0.5f}));
}

TEST_P(ArrayTest, AssignmentBetweenSlicesOfOneBufferReadsTheOldValues) {
  constexpr std::int64_t count = 5000;
  const std::size_t step = device().properties().base_alignment, shift = step / sizeof(float);
  const Buffer whole(stream(), count * sizeof(float));
  const Array x(whole, Dtype::f32, {count}, {1});
  x.assign(indices({count}).astype(Dtype::f32));
  const std::int64_t rest = count - static_cast<std::int64_t>(shift);
  const Array y(whole.slice(step, whole.bytes() - step), Dtype::f32, {rest}, {1});
  y.assign(x(Slice{0, rest}) + 1.0f);
  const std::vector<float> values = y.to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<float>(i + 1)) << i;
}

TEST_P(ArrayTest, AssignmentFromOverlappingMemoryReadsTheOldValues) {
  const Stream queue = stream();
  const Array a = Array::arange(queue, 10000, Dtype::i32);
  a(Slice{1, {}}).assign(a(Slice{0, -1}));
  std::vector<int> expected(10000);
  for (int i = 1; i < 10000; ++i) expected[static_cast<std::size_t>(i)] = i - 1;
  EXPECT_EQ(a.to_vector<int>(), expected);
  a.assign(a.flip(0));
  EXPECT_EQ(a.to_vector<int>(), std::vector<int>(expected.rbegin(), expected.rend()));
}

TEST_P(ArrayTest, FillsAndCounts) {
  const Stream queue = stream();
  EXPECT_EQ(Array::full(queue, {3}, Dtype::c128, std::complex<double>(1, -2)).to_vector<std::complex<double>>(),
            std::vector<std::complex<double>>(3, {1, -2}));
  EXPECT_EQ(Array::full(queue, {2, 2}, Dtype::i16, -7.9).to_vector<std::int16_t>(), std::vector<std::int16_t>(4, -7));
  EXPECT_EQ(Array::full(queue, {3}, Dtype::boolean, 5).to_vector<bool>(), std::vector<bool>(3, true));
  EXPECT_EQ(Array::arange(queue, 5, Dtype::f32).to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4}));
  EXPECT_EQ(Array::arange(queue, 0).size(), 0);
  EXPECT_EQ(Array::zeros(queue, {0, 3}, Dtype::f64).to_vector<double>(), std::vector<double>{});
}

TEST_P(ArrayTest, CopiesAreOfTheirOwn) {
  const Stream queue = stream();
  const Array a = Array::from(queue, {1, 2, 3, 4});
  const Array copy = a.copy(), strided = a(Slice{{}, {}, -2}).copy(), same = a.astype(Dtype::i32);
  a.assign(0);
  EXPECT_EQ(copy.to_vector<int>(), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(same.to_vector<int>(), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(strided.to_vector<int>(), (std::vector<int>{4, 2}));
  EXPECT_EQ(copy.astype(Dtype::f64).to_vector<double>(), (std::vector<double>{1, 2, 3, 4}));
}

TEST_P(ArrayTest, PartsOfComplexArraysAreViews) {
  const Stream queue = stream();
  const Array z = Array::from(queue, std::vector<std::complex<float>>{{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(z.real().to_vector<float>(), (std::vector<float>{1, 3, 5}));
  EXPECT_EQ(z.imag().flip(0).to_vector<float>(), (std::vector<float>{6, 4, 2}));
  z.imag().assign(0.5f);
  EXPECT_EQ(z(1).item<std::complex<float>>(), std::complex<float>(3, 0.5f));
  EXPECT_EQ(Array::from(queue, {1.0f, -2.0f}).view_as(Dtype::u32).to_vector<std::uint32_t>(),
            (std::vector<std::uint32_t>{0x3f800000, 0xc0000000}));
}

TEST_P(ArrayTest, MovesBetweenStreamsInOrder) {
  const Stream first = stream(), second = stream();
  const Array a = Array::arange(first, 100000, Dtype::i32);
  a += 5;
  const Array b = a(Slice{{}, {}, 2}).on(second);
  EXPECT_EQ(b.stream(), second);
  EXPECT_EQ(b(49999).item<int>(), 100003);
}

TEST_P(ArrayTest, AsynchronousCopiesTakeContiguousArraysOnly) {
  const Stream queue = stream();
  const HostBuffer in(device(), 12), out(device(), 12);
  for (int i = 0; i < 3; ++i) in.as<int>()[static_cast<std::size_t>(i)] = 10 + i;
  const Array a = Array::zeros(queue, {2, 3}, Dtype::i32);
  a(1).write_async(in);
  a(1).read_async(out);
  queue.synchronize();
  EXPECT_TRUE(std::equal(out.as<int>().begin(), out.as<int>().end(), in.as<int>().begin()));
  EXPECT_EQ(a(0).to_vector<int>(), std::vector<int>(3, 0));
  EXPECT_MESSAGE(UsageError, "is not contiguous", a.transpose().read_async(out));
  EXPECT_MESSAGE(UsageError, "the array has 24 bytes, the host memory 12", a.write_async(in));
}

RTCG_INSTANTIATE_FOR_DEVICES(ArrayTest);

}  // namespace
}  // namespace rtcg
