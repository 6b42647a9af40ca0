#include "rtcg/array/interchange/npy.h"

#include <gtest/gtest.h>

#include <numeric>

#include "rtcg/array/expression.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

class NpyTest : public test::DeviceTest {
 protected:
  ScratchDirectory scratch_;
  std::filesystem::path file_ = scratch_.path() / "a.npy";
};

/// A file as the format's document describes it.
std::string npy(int version, const std::string& dict, const std::string& data) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  const std::string padded = dict + "\n";
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    text += static_cast<char>(padded.size() >> (8 * byte) & 255);
  return text + padded + data;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST_P(NpyTest, ReadsEveryVersionOfTheFormat) {
  const Stream queue = stream();
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  for (const int version : {1, 2, 3}) {
    write_bytes(file_, npy(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", bytes_of(values)));
    const Array a = read_npy(queue, file_);
    EXPECT_EQ(a.shape(), (Shape{2, 3}));
    EXPECT_EQ(a.to_vector<float>(), values);
  }
}

TEST_P(NpyTest, ReadsFortranOrderAndBigEndian) {
  const Stream queue = stream();
  write_bytes(file_, npy(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }",
                         bytes_of(std::vector<int>{1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(read_npy(queue, file_).to_vector<int>(), (std::vector<int>{1, 3, 5, 2, 4, 6}));
  const std::string big("\x3f\x80\0\0\xc0\0\0\0", 8);
  write_bytes(file_, npy(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", big));
  EXPECT_EQ(read_npy(queue, file_).to_vector<float>(), (std::vector<float>{1, -2}));
  write_bytes(file_, npy(1, "{'shape': (), 'descr': '>c8', 'fortran_order': False}", big));
  EXPECT_EQ(read_npy(queue, file_).item<std::complex<float>>(), std::complex<float>(1, -2));
  write_bytes(file_, npy(1, "{\"shape\": (3L,), \"descr\": \"|b1\", \"fortran_order\": False}", {"\1\0\1", 3}));
  EXPECT_EQ(read_npy(queue, file_).to_vector<bool>(), (std::vector<bool>{true, false, true}));
}

TEST_P(NpyTest, WritesTheBytesThatNumPyWrites) {
  write_npy(file_, Array::from(stream(), {1.0, 2.0, 3.0}));
  std::string head("\x93NUMPY\1\0\x76\0", 10);
  head += "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
  head.append(127 - head.size(), ' ');
  EXPECT_EQ(read_bytes(file_), head + "\n" + bytes_of(std::vector<double>{1, 2, 3}));
}

TEST_P(NpyTest, EveryTypeComesBackAsItWas) {
  const Stream queue = stream();
  for (const Dtype type : {Dtype::boolean, Dtype::i8, Dtype::u8, Dtype::i16, Dtype::u16, Dtype::i32, Dtype::u32,
                           Dtype::i64, Dtype::u64, Dtype::f16, Dtype::f32, Dtype::f64, Dtype::c64, Dtype::c128}) {
    write_npy(file_, Array::arange(queue, 30, type).reshape({5, 6}));
    const Array back = read_npy(queue, file_);
    ASSERT_EQ(back.dtype(), type);
    ASSERT_EQ(back.shape(), (Shape{5, 6}));
    const auto values = back.astype(Dtype::f64).to_vector<double>();
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], type == Dtype::boolean ? i != 0 : static_cast<double>(i)) << dtype_name(type);
  }
}

TEST_P(NpyTest, ViewsAreWrittenAsTheyShow) {
  const Stream queue = stream();
  const Array a = Array::arange(queue, 30, Dtype::i32).reshape({5, 6});
  for (const Array& view : {a, a.transpose(), a(Slice{1, 4}, Slice{{}, {}, -2}), a(2, 3), a(Slice{0, 0}), a(3)}) {
    write_npy(file_, view);
    const Array back = read_npy(queue, file_);
    ASSERT_EQ(back.shape(), view.shape());
    ASSERT_EQ(back.to_vector<int>(), view.to_vector<int>());
  }
  write_npy(file_, Array::zeros(queue, {2, 3}, Dtype::u8).transpose());
  EXPECT_NE(read_bytes(file_).find("'fortran_order': True, 'shape': (3, 2)"), std::string::npos);
}

TEST_P(NpyTest, MoreThanOnePieceArrivesInOrder) {
  const Stream queue = stream();
  std::vector<std::int32_t> values(5'000'001);
  std::iota(values.begin(), values.end(), 0);
  write_npy(file_, Array::from(queue, values));
  EXPECT_EQ(read_npy(queue, file_).to_vector<std::int32_t>(), values);
}

TEST_P(NpyTest, DamagedFilesAreNamedWithThePlace) {
  const Stream queue = stream();
  const std::string data(8, '\0');
  const auto refused = [&](const std::string& bytes) {
    write_bytes(file_, bytes);
    const std::string message = message_of<InputError>([&] { read_npy(queue, file_); });
    EXPECT_EQ(message.rfind(file_.string() + ": ", 0), 0u) << message;
    return message.substr(file_.string().size() + 2);
  };
  const auto refused_dict = [&](const std::string& dict) { return refused(npy(1, dict, data)); };
  EXPECT_EQ(refused(""), "not a .npy file (it does not start with \\x93NUMPY)");
  EXPECT_EQ(refused("\x93NUMPZ\1"), "not a .npy file (it does not start with \\x93NUMPY)");
  EXPECT_EQ(refused("\x93NUMPY"), "the .npy header ends at byte 6");
  EXPECT_EQ(refused(std::string("\x93NUMPY\4\0\0\0\0\0\0\0\0", 14)),
            ".npy format version 4.0; 1.0, 2.0 and 3.0 are read");
  EXPECT_EQ(refused(std::string("\x93NUMPY\1\0\xff\xff{}", 12)), "the .npy header of 65545 bytes ends at byte 12");
  EXPECT_EQ(refused(std::string("\x93NUMPY\2\0\xff\xff\xff\xff{}", 14)),
            "a .npy header of 4294967295 bytes; at most 1048576 are read");
  EXPECT_EQ(refused_dict("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}"),
            "shape (3,) of float32 needs 3 elements of 4 bytes, 8 bytes follow the header");
  EXPECT_EQ(refused_dict("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}"),
            "shape (1,) of float32 needs 1 elements of 4 bytes, 8 bytes follow the header");
  EXPECT_EQ(refused_dict("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 2, 8)}"),
            "byte 89 of the .npy header: shape (4611686018427387904, 2, 8) has more than 2^63 - 1 elements");
  EXPECT_EQ(refused_dict("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}"),
            "byte 61 of the .npy header: an extent of 0 ... 2^63 - 1 is missing");
  EXPECT_EQ(refused_dict("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}"),
            "byte 61 of the .npy header: an extent of 0 ... 2^63 - 1 is missing");
  EXPECT_EQ(refused_dict("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}"),
            "byte 77 of the .npy header: more than 8 dimensions");
  EXPECT_EQ(refused_dict("{'a\n\x1b[31m': 1}"), "byte 20 of the .npy header: unknown key 'a??[31m'");
  EXPECT_EQ(refused_dict("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}"),
            "byte 24 of the .npy header: element type '|O'; bool, integers of 1 to 8 bytes, f2 to f8, c8 and c16 are "
            "read");
  EXPECT_EQ(refused_dict("{'descr': '|f4', 'fortran_order': False, 'shape': (2,)}").substr(0, 45),
            "byte 25 of the .npy header: element type '|f4");
  EXPECT_EQ(refused_dict("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}"),
            "byte 20 of the .npy header: a structured type; only arrays of plain numbers are read");
  EXPECT_EQ(refused_dict("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}"),
            "byte 44 of the .npy header: True or False is missing");
  EXPECT_EQ(refused_dict("{'descr': '<f4', 'shape': (2,)}"), "byte 42 of the .npy header: 'fortran_order' is missing");
  EXPECT_EQ(refused_dict("{'descr': '<f4', 'descr': '<f8'}"), "byte 34 of the .npy header: 'descr' appears twice");
  EXPECT_EQ(refused_dict("{'descr': '<f4', 'order': False}"), "byte 34 of the .npy header: unknown key 'order'");
  EXPECT_EQ(refused_dict("{'descr': '<f4"), "byte 20 of the .npy header: a string is not closed");
  EXPECT_EQ(refused_dict("{'descr' '<f4'}"), "byte 19 of the .npy header: ':' is missing");
  EXPECT_EQ(refused_dict("{'descr': '<f4' 'shape': (2,)}"), "byte 26 of the .npy header: ',' or '}' is missing");
  EXPECT_EQ(refused_dict("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} import os"),
            "byte 66 of the .npy header: text after the closing '}'");
}

TEST_P(NpyTest, EveryTruncationIsRefused) {
  const Stream queue = stream();
  write_npy(file_, Array::from(queue, {1.0f, 2.0f}));
  const std::string whole = read_bytes(file_);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_bytes(file_, whole.substr(0, length));
    EXPECT_THROW(read_npy(queue, file_), InputError) << length;
  }
}

TEST_P(NpyTest, FlippedBytesOfTheHeaderAreRefusedOrHarmless) {
  const Stream queue = stream();
  const std::string whole = npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", std::string(8, '\0'));
  for (std::size_t at = 0; at + 8 < whole.size(); ++at)
    for (const char flip : {'\x01', '\x08', '\x40', '\x80'}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      write_bytes(file_, damaged);
      try {
        EXPECT_EQ(read_npy(queue, file_).bytes(), 8u) << at;
      } catch (const InputError&) {
      }
    }
}

TEST_P(NpyTest, PlacesThatCannotBeReadOrWrittenAreNamed) {
  const Stream queue = stream();
  EXPECT_MESSAGE(InputError, "a.npy: cannot be read: No such file", read_npy(queue, file_));
  EXPECT_THROW(read_npy(queue, scratch_.path()), InputError);
  EXPECT_THROW(write_npy(scratch_.path() / "none" / "a.npy", Array::zeros(queue, {1}, Dtype::u8)), InputError);
}

RTCG_INSTANTIATE_FOR_DEVICES(NpyTest);

}  // namespace
}  // namespace rtcg
