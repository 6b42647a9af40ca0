#include "rtcg/array/host_view.h"

#include <gtest/gtest.h>

#include <numeric>

#include "rtcg/array/expression.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

class HostViewTest : public test::DeviceTest {};

TEST_P(HostViewTest, AsynchronousCopiesKeepTheShape) {
  const Stream queue = stream();
  const HostView<float> in = host_memory<float>(device(), {2, 3}), out = host_memory<float>(device(), {2, 3});
  std::iota(in.begin(), in.end(), 1.0f);
  EXPECT_EQ(in(1, 2), 6.0f);
  const Array a = Array::empty(queue, {2, 3}, Dtype::f32);
  write_async(a, in);
  a *= 2;
  read_async(a, out);
  queue.synchronize();
  EXPECT_EQ(out(0, 1), 4.0f);
  EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0.0f), 42.0f);
}

TEST_P(HostViewTest, MappedArraysAreSeenFromBothSides) {
  const Stream queue = stream();
  const Array a = mapped_array(queue, {3, 4}, Dtype::i32);
  {
    const HostView<int> host = host_view<int>(a, Access::write);
    std::iota(host.begin(), host.end(), 0);
  }
  a += 100;
  const HostView<int> columns = host_view<int>(a.transpose()(Slice{1, {}}), Access::read);
  EXPECT_EQ(columns.shape(), (Shape{3, 3}));
  EXPECT_EQ(columns(0, 2), 109);
  EXPECT_EQ(columns(2, 0), 103);
}

TEST_P(HostViewTest, RefusesWhatDoesNotFit) {
  const Stream queue = stream();
  const Array a = Array::zeros(queue, {2, 3}, Dtype::f32), mapped = mapped_array(queue, {2, 3}, Dtype::f32);
  const HostView<float> host = host_memory<float>(device(), {2, 3});
  EXPECT_MESSAGE(UsageError, "the array is of float32, the host view of float64",
                 read_async(a, host_memory<double>(device(), {2, 3})));
  EXPECT_MESSAGE(UsageError, "the array has the shape (3, 2), the host view (2, 3)", write_async(a.transpose(), host));
  EXPECT_MESSAGE(UsageError, "is not contiguous", read_async(a.transpose(), host_memory<float>(device(), {3, 2})));
  EXPECT_MESSAGE(UsageError, "the host view is mapped memory", read_async(a, host_view<float>(mapped)));
  EXPECT_MESSAGE(UsageError, "MemoryKind::mapped", host_view<float>(a));
  EXPECT_MESSAGE(UsageError, "more than 2^63 - 1 bytes", host_memory<float>(device(), {std::int64_t{1} << 62}));
  EXPECT_EQ(host_view<float>(mapped(Slice{0, 0})).size(), 0);
}

RTCG_INSTANTIATE_FOR_DEVICES(HostViewTest);

}  // namespace
}  // namespace rtcg
