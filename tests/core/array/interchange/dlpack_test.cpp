#include "rtcg/array/interchange/dlpack.h"

#include <gtest/gtest.h>

#include "rtcg/array/expression.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg::dlpack {
namespace {

class DlpackTest : public test::DeviceTest {
 protected:
  void SetUp() override {
    if (device().id().rfind("debug", 0) == 0) GTEST_SKIP() << "debug devices have no name in DLPack";
  }
};

/// A tensor of the host that counts how often it is deleted.
struct HostTensor {
  std::vector<float> values;
  std::vector<std::int64_t> shape, strides;
  int deleted = 0;
  ManagedTensor managed{};

  HostTensor(std::vector<float> v, std::vector<std::int64_t> s, std::vector<std::int64_t> t)
      : values(std::move(v)), shape(std::move(s)), strides(std::move(t)) {
    managed.version = {1, 0};
    managed.context = this;
    managed.deleter = [](ManagedTensor* self) { ++static_cast<HostTensor*>(self->context)->deleted; };
    managed.tensor = {values.data(),
                      {cpu, 0},
                      static_cast<std::int32_t>(shape.size()),
                      {float_code, 32, 1},
                      shape.data(),
                      strides.empty() ? nullptr : strides.data(),
                      0};
  }
};

TEST_P(DlpackTest, ExportedViewsDescribeTheArray) {
  const Stream queue = stream();
  const Array a = Array::arange(queue, 24, Dtype::i16).reshape({4, 6});
  const Array view = a(Slice{3, {}, -2}, Slice{1, {}, 2});
  ManagedTensor* managed = export_tensor(view);
  EXPECT_EQ(managed->version.major, 1u);
  const Tensor& tensor = managed->tensor;
  EXPECT_EQ(tensor.dimensions, 2);
  EXPECT_EQ((std::vector<std::int64_t>{tensor.shape[0], tensor.shape[1]}), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ((std::vector<std::int64_t>{tensor.strides[0], tensor.strides[1]}), (std::vector<std::int64_t>{-12, 2}));
  EXPECT_EQ(tensor.type.code, int_code);
  EXPECT_EQ(tensor.type.bits, 16);
  EXPECT_EQ(tensor.type.lanes, 1);
  const std::uint64_t offset = 2 * 19;
  if (device().properties().backend == Backend::cuda) {
    EXPECT_EQ(tensor.device.type, cuda);
    EXPECT_EQ(reinterpret_cast<Handle>(tensor.data), a.buffer().native() + offset);
    EXPECT_EQ(tensor.byte_offset, 0u);
  } else {
    EXPECT_EQ(tensor.device.type, opencl);
    EXPECT_EQ(reinterpret_cast<Handle>(tensor.data), a.buffer().native());
    EXPECT_EQ(tensor.byte_offset, offset);
  }
  managed->deleter(managed);
}

TEST_P(DlpackTest, ImportsShareMemoryAndKeepItAlive) {
  const Stream queue = stream();
  Array shared;
  {
    const Array a = Array::arange(queue, 24, Dtype::i32).reshape({4, 6});
    shared = import_tensor(queue, export_tensor(a(Slice{3, {}, -2}, Slice{1, {}, 2})));
    a(3, 1).assign(-7);
  }
  const Array other = Array::zeros(queue, {4, 6}, Dtype::i32);  // would take over the memory, were it free
  EXPECT_EQ(shared.to_vector<int>(), (std::vector<int>{-7, 21, 23, 7, 9, 11}));
  shared += 1;
  EXPECT_EQ((shared * 2).evaluate().to_vector<int>(), (std::vector<int>{-12, 44, 48, 16, 20, 24}));
  EXPECT_EQ(other.to_vector<int>(), std::vector<int>(24, 0));
}

TEST_P(DlpackTest, TheDeleterRunsOnceWhenTheLastViewIsGone) {
  const Stream queue = stream();
  static int deleted;
  deleted = 0;
  ManagedTensor* inner = export_tensor(Array::arange(queue, 8, Dtype::f64));
  auto* outer = new ManagedTensor(*inner);
  outer->context = inner;
  outer->deleter = [](ManagedTensor* self) {
    ++deleted;
    auto* const wrapped = static_cast<ManagedTensor*>(self->context);
    wrapped->deleter(wrapped);
    delete self;
  };
  {
    Array view;
    {
      const Array whole = import_tensor(queue, outer);
      view = whole(Slice{2, 4});
    }
    EXPECT_EQ(deleted, 0);
    EXPECT_EQ(view.to_vector<double>(), (std::vector<double>{2, 3}));
  }
  EXPECT_EQ(deleted, 1);
}

TEST_P(DlpackTest, EveryTypeAndShapeComesBack) {
  const Stream queue = stream();
  for (int k = 1; k <= static_cast<int>(Dtype::c128); ++k) {
    const auto type = static_cast<Dtype>(k);
    const Array a = Array::zeros(queue, {2, 3}, type);
    EXPECT_EQ(import_tensor(queue, export_tensor(a)).dtype(), type) << dtype_name(type);
  }
  EXPECT_EQ(import_tensor(queue, export_tensor(Array::full(queue, {}, Dtype::f32, 2.5))).item<float>(), 2.5f);
  EXPECT_EQ(import_tensor(queue, export_tensor(Array::zeros(queue, {0, 3}, Dtype::f32))).shape(), (Shape{0, 3}));
}

TEST_P(DlpackTest, HostTensorsAreCopied) {
  const Stream queue = stream();
  HostTensor plain({1, 2, 3, 4, 5, 6}, {2, 3}, {});
  EXPECT_EQ(import_tensor(queue, &plain.managed).to_vector<float>(), plain.values);
  EXPECT_EQ(plain.deleted, 1);
  HostTensor strided({1, 2, 3, 4, 5, 6}, {3, 2}, {-1, 3});
  strided.managed.tensor.byte_offset = 8;
  EXPECT_EQ(import_tensor(queue, &strided.managed).to_vector<float>(), (std::vector<float>{3, 6, 2, 5, 1, 4}));
  UnversionedTensor old{plain.managed.tensor, nullptr, nullptr};
  EXPECT_EQ(import_tensor(queue, &old).shape(), (Shape{2, 3}));
}

TEST_P(DlpackTest, ReadOnlyTensorsAreCopied) {
  const Stream queue = stream();
  const Array a = Array::from(queue, {1.0f, 2.0f});
  ManagedTensor* managed = export_tensor(a);
  managed->flags = flag_read_only;
  const Array copy = import_tensor(queue, managed);
  copy.assign(0.0f);
  EXPECT_EQ(a.to_vector<float>(), (std::vector<float>{1, 2}));
}

TEST_P(DlpackTest, WhatDoesNotFitIsRefusedAndDeleted) {
  const Stream queue = stream();
  const auto refused = [&](const char* text, const auto& change) {
    HostTensor host({1, 2, 3, 4}, {2, 2}, {2, 1});
    change(host.managed);
    EXPECT_MESSAGE(UsageError, text, import_tensor(queue, &host.managed));
    EXPECT_EQ(host.deleted, 1) << text;
  };
  refused("a tensor of version 2.3; version 1 is taken", [](ManagedTensor& t) { t.version = {2, 3}; });
  refused("no element type for code 4, 16 bits, 1 lanes", [](ManagedTensor& t) { t.tensor.type = {4, 16, 1}; });
  refused("no element type for code 2, 32 bits, 4 lanes", [](ManagedTensor& t) { t.tensor.type.lanes = 4; });
  refused("9 dimensions; 0 to 8", [](ManagedTensor& t) { t.tensor.dimensions = 9; });
  refused("-1 dimensions", [](ManagedTensor& t) { t.tensor.dimensions = -1; });
  refused("2 dimensions; 0 to 8 with a shape", [](ManagedTensor& t) { t.tensor.shape = nullptr; });
  refused("has a negative extent", [](ManagedTensor& t) { t.tensor.shape[0] = -2; });
  refused("reach further than any memory", [](ManagedTensor& t) { t.tensor.strides[0] = INT64_MAX; });
  refused("the tensor has no data", [](ManagedTensor& t) { t.tensor.data = nullptr; });
  refused("device 99 of type 2", [](ManagedTensor& t) { t.tensor.device = {cuda, 99}; });
  refused("device 0 of type 7", [](ManagedTensor& t) { t.tensor.device = {7, 0}; });
  EXPECT_MESSAGE(UsageError, "no tensor", import_tensor(queue, static_cast<ManagedTensor*>(nullptr)));
}

RTCG_INSTANTIATE_FOR_DEVICES(DlpackTest);

}  // namespace
}  // namespace rtcg::dlpack
