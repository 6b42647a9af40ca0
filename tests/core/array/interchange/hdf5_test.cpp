#include "rtcg/array/interchange/hdf5.h"

#include <gtest/gtest.h>

#include <numeric>

#include "rtcg/array/expression.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

class ArrayHdf5Test : public test::DeviceTest {
 protected:
  ScratchDirectory scratch_;
  std::filesystem::path file_ = scratch_ / "a.h5";
};

TEST_P(ArrayHdf5Test, EveryTypeComesBackAsItWas) {
  const Stream queue = stream();
  for (int k = 1; k <= static_cast<int>(Dtype::c128); ++k) {
    const auto type = static_cast<Dtype>(k);
    std::vector<std::byte> bytes(6 * size_of(type));
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = type == Dtype::boolean ? std::byte(i % 2) : std::byte(7 * i + 1);
    const Array a = Array::empty(queue, {2, 3}, type);
    a.buffer().write(bytes.data(), bytes.size());
    write_hdf5(file_, "/group/values", a);
    const Array back = read_hdf5(queue, file_, "/group/values");
    ASSERT_EQ(back.dtype(), type);
    ASSERT_EQ(back.shape(), a.shape());
    EXPECT_EQ(back.buffer().read<std::byte>(), bytes) << dtype_name(type);
  }
}

TEST_P(ArrayHdf5Test, BoxesAndViews) {
  const Stream queue = stream();
  const Array a = Array::arange(queue, 24, Dtype::i32).reshape({2, 3, 4});
  hdf5::File file = hdf5::File::create(file_);
  write_hdf5(file, "/a", a.transpose(), 2);
  write_hdf5(file, "/a", Shape{1, 0, 1}, Array::full(queue, {2, 1, 1}, Dtype::i32, -1));
  file.close();
  const hdf5::File back = hdf5::File::open(file_);
  EXPECT_EQ(back.shape("/a"), (hdf5::Shape{4, 3, 2}));
  const Array part = read_hdf5(queue, back, "/a", Box{{1, 0, 0}, {3, 2, 2}});
  EXPECT_EQ(part.to_vector<int>(), (std::vector<int>{1, -1, 5, 17, 2, -1, 6, 18, 3, 15, 7, 19}));
  const Array real = read_hdf5(queue, back, "/a", Box{{0, 0, 0}, {1, 3, 1}}, Dtype::f64);
  EXPECT_EQ(real.to_vector<double>(), (std::vector<double>{0, 4, 8}));
  EXPECT_EQ(read_hdf5(queue, back, "/a", Box{{4, 0, 0}, {0, 3, 2}}).shape(), (Shape{0, 3, 2}));
}

TEST_P(ArrayHdf5Test, MoreThanOnePieceArrivesInOrder) {
  const Stream queue = stream();
  std::vector<double> values(3'000'000);
  std::iota(values.begin(), values.end(), 0.0);
  write_hdf5(file_, "/a", Array::from(queue, values, Shape{1000, 3000}));
  EXPECT_EQ(read_hdf5(queue, file_, "/a").to_vector<double>(), values);
  write_hdf5(file_, "/b", Array::full(queue, {}, Dtype::f32, 2.5));
  EXPECT_EQ(read_hdf5(queue, file_, "/b").item<float>(), 2.5f);
}

TEST_P(ArrayHdf5Test, RefusesWhatTheFileDoesNotHold) {
  const Stream queue = stream();
  hdf5::File made = hdf5::File::create(file_);
  write_hdf5(made, "/a", Array::zeros(queue, {3, 4}, Dtype::f32));
  made.create_dataset("/huge", hdf5::Element::float64, {std::size_t{1} << 40}, 1 << 10);
  made.close();
  const hdf5::File file = hdf5::File::open(file_);
  EXPECT_MESSAGE(InputError, "/a: 2 to 4 asked for along dimension 0 of 3",
                 read_hdf5(queue, file, "/a", Box{{2, 0}, {2, 4}}));
  EXPECT_MESSAGE(InputError, "2 dimensions; a box of 1", read_hdf5(queue, file, "/a", Box{{2}, {1}}));
  EXPECT_MESSAGE(UsageError, "negative extent", read_hdf5(queue, file, "/a", Box{{-1, 0}, {1, 1}}));
  EXPECT_MESSAGE(InputError, "/a: holds real numbers", read_hdf5(queue, file, "/a", {}, Dtype::c64));
  EXPECT_MESSAGE(InputError, "/b: no such dataset", read_hdf5(queue, file, "/b"));
  EXPECT_MESSAGE(InputError, "1099511627776 numbers announced but only 0 bytes stored",
                 read_hdf5(queue, file, "/huge"));
}

RTCG_INSTANTIATE_FOR_DEVICES(ArrayHdf5Test);

}  // namespace
}  // namespace rtcg
