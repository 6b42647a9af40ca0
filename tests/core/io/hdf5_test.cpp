#include "rtcg/io/hdf5.h"

#include <chrono>
#include <fstream>
#include <thread>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::hdf5 {
namespace {

using Complex = std::complex<float>;

TEST(Hdf5, ValuesOfEveryElementComeBack) {
  const ScratchDirectory scratch;
  const auto round_trip = [&]<class T>(const std::vector<T>& values) {
    File file = File::create(scratch / "f.h5");
    file.write<T>("/a/b", {values.size()}, values);
    file.close();
    const File back = File::open(scratch / "f.h5");
    EXPECT_EQ(back.element("/a/b"), element_of<T>());
    EXPECT_EQ(back.read<T>("/a/b"), values);
  };
  round_trip(std::vector<float>{1.5f, -2});
  round_trip(std::vector<double>{1.0 / 3});
  round_trip(std::vector<std::int32_t>{-7, 1 << 30});
  round_trip(std::vector<std::int64_t>{-(std::int64_t{1} << 60)});
  round_trip(std::vector<std::uint8_t>{0, 255});
  round_trip(std::vector<std::int8_t>{-128, 127});
  round_trip(std::vector<std::int16_t>{-32768, 32767});
  round_trip(std::vector<std::uint16_t>{0, 65535});
  round_trip(std::vector<std::uint32_t>{0xffffffff});
  round_trip(std::vector<std::uint64_t>{~std::uint64_t{0}});
  round_trip(std::vector<Complex>{{1, 2}, {3, -4}});
  round_trip(std::vector<std::complex<double>>{{0.1, 0.2}});
  EXPECT_EQ(bytes_of(Element::complex128), 16u);
}

TEST(Hdf5, TheSameContentsGiveTheSameFileLater) {
  const ScratchDirectory scratch;
  const auto bytes = [&](const char* name) {
    File file = File::create(scratch / name);
    file.write<double>("/a/b/c", {2}, std::vector<double>{1, 2});
    file.write_texts("/a/names", std::vector<std::string>{"x", "yy"});
    file.close();
    std::ifstream stream(scratch / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string first = bytes("first.h5");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // the format keeps whole seconds, where it keeps any
  EXPECT_TRUE(bytes("second.h5") == first);
}

TEST(Hdf5, NumbersAreConvertedWithinTheirKind) {
  const ScratchDirectory scratch;
  File file = File::create(scratch / "f.h5");
  file.write<std::int32_t>("/n", {3}, std::vector<std::int32_t>{1, 2, 3});
  file.write<Complex>("/c", {1}, std::vector<Complex>{{1, 2}});
  file.close();
  const File back = File::open(scratch / "f.h5");
  EXPECT_EQ(back.read<double>("/n"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(back.read<std::complex<double>>("/c")[0], std::complex<double>(1, 2));
  EXPECT_MESSAGE(InputError, "f.h5: /n: holds real numbers; complex", back.read<Complex>("/n"));
  EXPECT_MESSAGE(InputError, "f.h5: /c: holds complex numbers; real", back.read<float>("/c"));
}

TEST(Hdf5, RowsAreReadAndWrittenInBlocks) {
  const ScratchDirectory scratch;
  File file = File::create(scratch / "f.h5");
  file.create_dataset("/m", Element::float32, {5, 2}, 2);
  file.write_rows<float>("/m", 0, 2, std::vector<float>{0, 1, 2, 3});
  file.write_rows<float>("/m", 2, 3, std::vector<float>{4, 5, 6, 7, 8, 9});
  EXPECT_MESSAGE(InputError, "rows 4 to 6 asked for of 5", file.write_rows<float>("/m", 4, 2, std::vector<float>(4)));
  file.close();
  const File back = File::open(scratch / "f.h5");
  std::vector<float> rows(6);
  back.read_rows<float>("/m", 1, 3, rows);
  EXPECT_EQ(rows, (std::vector<float>{2, 3, 4, 5, 6, 7}));
  EXPECT_MESSAGE(InputError, "rows 3 to 6 asked for of 5", back.read_rows<float>("/m", 3, 3, rows));
  EXPECT_MESSAGE(UsageError, "room for 6 numbers given for 4", back.read_rows<float>("/m", 0, 2, rows));
}

TEST(Hdf5, BoxesAreReadAndWrittenInPlace) {
  const ScratchDirectory scratch;
  File file = File::create(scratch / "f.h5");
  file.write<std::int32_t>("/m", {3, 4}, std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const std::vector<std::int32_t> patch{-1, -2};
  file.write_box("/m", Element::int32, {1, 3}, {2, 1}, std::as_bytes(std::span(patch)));
  file.close();
  const File back = File::open(scratch / "f.h5");
  std::vector<float> box(4);
  back.read_box("/m", Element::float32, {1, 2}, {2, 2}, std::as_writable_bytes(std::span(box)));
  EXPECT_EQ(box, (std::vector<float>{6, -1, 10, -2}));
  const auto room = std::as_writable_bytes(std::span(box));
  EXPECT_MESSAGE(InputError, "/m: 3 to 5 asked for along dimension 1 of 4",
                 back.read_box("/m", Element::float32, {0, 3}, {2, 2}, room));
  EXPECT_MESSAGE(InputError, "2 dimensions; a box of 1 asked for",
                 back.read_box("/m", Element::float32, {0}, {2}, room));
  EXPECT_MESSAGE(UsageError, "room for 16 bytes given for 2 numbers",
                 back.read_box("/m", Element::float32, {0, 0}, {1, 2}, room));
}

TEST(Hdf5, AttributesAreNumbersOrText) {
  const ScratchDirectory scratch;
  File file = File::create(scratch / "f.h5");
  file.write<float>("/d", {1}, std::vector<float>{1});
  file.set_attribute("/d", "units", "m");
  file.set_attribute("/", "version", 2.5);
  file.set_attribute("/", "empty", "");
  file.close();
  const File back = File::open(scratch / "f.h5");
  EXPECT_EQ(back.attributes("/d"), (Attributes{{"units", "m"}}));
  EXPECT_EQ(back.attributes("/"), (Attributes{{"version", 2.5}, {"empty", ""}}));
  EXPECT_TRUE(back.has("/d"));
  EXPECT_FALSE(back.has("/d/e"));
  EXPECT_FALSE(back.has("/x/y"));
}

TEST(Hdf5, AnnouncedButAbsentDataIsRefusedBeforeAllocation) {
  const ScratchDirectory scratch;
  File file = File::create(scratch / "f.h5");
  file.create_dataset("/huge", Element::float64, {std::size_t{1} << 40}, 1 << 10);
  file.close();
  EXPECT_MESSAGE(InputError, "1099511627776 numbers announced but only 0 bytes stored",
                 File::open(scratch / "f.h5").read<double>("/huge"));
}

TEST(Hdf5, FlippedBitsAreFoundOrHarmless) {
  const ScratchDirectory scratch;
  File file = File::create(scratch / "f.h5");
  file.write<float>("/g/d", {4}, std::vector<float>{1, 2, 3, 4});
  file.set_attribute("/g/d", "units", "m");
  file.close();
  const std::string bytes = read_bytes(scratch / "f.h5");
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] ^= 0x10;
    write_bytes(scratch / "d.h5", damaged);
    try {
      const File back = File::open(scratch / "d.h5");
      EXPECT_EQ(back.read<float>("/g/d").size(), 4u);
      (void)back.attributes("/g/d");
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20u);
}

TEST(Hdf5, AUserBlockMayStandBeforeTheFile) {
  const ScratchDirectory scratch;
  File file = File::create(scratch / "f.h5");
  file.write<float>("/a", {2}, std::vector<float>{1, 2});
  file.close();
  const std::string bytes = read_bytes(scratch / "f.h5");
  for (const std::size_t block : {512, 1024, 4096}) {
    write_bytes(scratch / "u.h5", std::string(block, 'M') + bytes);
    EXPECT_TRUE(is_hdf5(scratch / "u.h5")) << block;
    EXPECT_EQ(File::open(scratch / "u.h5").read<float>("/a"), (std::vector<float>{1, 2})) << block;
  }
  write_bytes(scratch / "u.h5", std::string(300, 'M') + bytes);
  EXPECT_FALSE(is_hdf5(scratch / "u.h5"));
}

TEST(Hdf5, WhatIsNoFileIsExplained) {
  const ScratchDirectory scratch;
  EXPECT_MESSAGE(InputError, "none.h5: cannot be read", File::open(scratch / "none.h5"));
  EXPECT_MESSAGE(InputError, "a directory", File::open(scratch.path()));
  write_bytes(scratch / "t.h5", "text");
  EXPECT_MESSAGE(InputError, "t.h5: not an HDF5 file", File::open(scratch / "t.h5"));
  EXPECT_MESSAGE(InputError, "cannot be created", File::create(scratch / "no/such/directory.h5"));
  File file = File::create(scratch / "f.h5");
  EXPECT_MESSAGE(InputError, "/none: no such dataset", file.shape("/none"));
  file.write<float>("/g/d", {1}, std::vector<float>{1});
  EXPECT_MESSAGE(InputError, "/g: not a dataset", file.shape("/g"));
  EXPECT_MESSAGE(UsageError, "not an absolute HDF5 path", file.shape("g"));
}

}  // namespace
}  // namespace rtcg::hdf5
