#include "radar/io/gotcha.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "radar/io/mat_file.h"
#include "rtcg/error.h"
#include "support/mat_writer.h"
#include "support/scratch_directory.h"

namespace rtcg::radar {
namespace {

namespace fs = std::filesystem;

fs::path gotcha_file(int azimuth) {
  const char* source = std::getenv("RTCG_SOURCE_DIR");
  return fs::path(source ? source : ".") / fmt::format("../shared/data/radar/data_3dsar_pass1_az{:03}_HH.mat", azimuth);
}

/// Fields of `pulses` pulses of 4 samples, the first at `degrees`; sample k of pulse p is first + p + i k.
mat::Fields degree(double degrees, std::uint32_t pulses, float first, bool corrections = true) {
  std::vector<float> re, im, x, y, z, r0, ones(pulses, 0.5f);
  for (std::uint32_t p = 0; p < pulses; ++p) {
    const double azimuth = (degrees + 0.01 * p) * std::numbers::pi / 180;
    x.push_back(static_cast<float>(7000 * std::cos(azimuth)));
    y.push_back(static_cast<float>(7000 * std::sin(azimuth)));
    z.push_back(7200);
    r0.push_back(10041.9f);
    for (int k = 0; k < 4; ++k) {
      re.push_back(first + static_cast<float>(p));
      im.push_back(static_cast<float>(k));
    }
  }
  mat::Fields fields{{"fp", mat::complex_single(4, pulses, re, im)},
                     {"freq", mat::single(4, 1, {9.288e9f, 9.2895e9f, 9.291e9f, 9.2925e9f})},
                     {"x", mat::single(1, pulses, x)},
                     {"y", mat::single(1, pulses, y)},
                     {"z", mat::single(1, pulses, z)},
                     {"r0", mat::single(1, pulses, r0)}};
  if (corrections)
    fields.emplace_back("af", mat::structure("", {{"r_correct", mat::single(1, pulses, ones)},
                                                  {"ph_correct", mat::single(1, pulses, ones)}}));
  return fields;
}

mat::Fields with(mat::Fields fields, const std::string& name, const std::string& array) {
  for (auto& [field, bytes] : fields)
    if (field == name) bytes = array;
  return fields;
}

class Gotcha : public testing::Test {
 protected:
  void SetUp() override {
    if (!mat_files_supported()) GTEST_SKIP() << "this build reads no MATLAB files";
  }
  fs::path save(const std::string& name, const std::string& bytes) {
    write_bytes(scratch_ / name, bytes);
    return scratch_ / name;
  }
  fs::path save(const std::string& name, const mat::Fields& fields) {
    return save(name, mat::file(mat::structure("data", fields)));
  }
  static std::unique_ptr<PulseSource> open(const std::vector<fs::path>& files) { return open_pulses(files); }
  static std::vector<std::complex<float>> read(const std::vector<fs::path>& files) {
    const std::unique_ptr<PulseSource> source = open(files);
    std::vector<std::complex<float>> all(source->collection().pulses() * source->collection().samples);
    source->read(0, source->collection().pulses(), all);
    return all;
  }
  std::string refusal(const mat::Fields& fields) {
    return message_of<InputError>([&] { read({save("bad.mat", fields)}); });
  }
  std::string refusal(const std::string& bytes) {
    return message_of<InputError>([&] { read({save("bad.mat", bytes)}); });
  }

  ScratchDirectory scratch_;
};

TEST_F(Gotcha, RealFilesJoinInAzimuth) {
  const std::vector<fs::path> files{gotcha_file(2), gotcha_file(1)};
  for (const fs::path& file : files)
    if (!fs::exists(file)) GTEST_SKIP() << file << " is not here";
  const std::unique_ptr<PulseSource> source = open_pulses(files);
  const Collection& c = source->collection();
  ASSERT_EQ(c.pulses(), 234u);
  EXPECT_EQ(c.samples, 424u);
  EXPECT_NEAR(c.frequency_step[0], 1471301.6, 1);
  EXPECT_NEAR(c.first_frequency[0], 9.2881e9, 1e5);
  EXPECT_NEAR(c.swath(), 101.9, 0.1);
  double previous = -1;
  for (std::size_t p = 0; p < c.pulses(); ++p) {
    const double azimuth = std::atan2(c.antenna[p].y(), c.antenna[p].x());
    EXPECT_GT(azimuth, previous);
    previous = azimuth;
    EXPECT_NEAR(c.antenna[p].norm(), c.reference_range[p], 2e-3);
  }
  EXPECT_EQ(c.range_correction.size(), 234u);
  std::vector<std::complex<float>> all(234 * 424), part(3 * 424);
  source->read(0, 234, all);
  source->read(116, 3, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 116 * 424));
}

TEST_F(Gotcha, SamplesAreComplexFrequencyFastestAndTheStepIsOfTheWholeBand) {
  const std::unique_ptr<PulseSource> source = open({save("a.mat", degree(1, 3, 10))});
  EXPECT_DOUBLE_EQ(source->collection().frequency_step[0], (double{9.2925e9f} - double{9.288e9f}) / 3);
  EXPECT_EQ(source->collection().phase_correction, (std::vector<double>{0.5, 0.5, 0.5}));
  std::vector<std::complex<float>> last(4);
  source->read(2, 1, last);
  EXPECT_EQ(last, (std::vector<std::complex<float>>{{12, 0}, {12, 1}, {12, 2}, {12, 3}}));
}

TEST_F(Gotcha, CompressedVariablesReadAlike) {
  const mat::Fields fields = degree(1, 3, 10);
  EXPECT_EQ(read({save("z.mat", mat::file(mat::compressed(mat::structure("data", fields))))}),
            read({save("a.mat", fields)}));
}

TEST_F(Gotcha, OtherVariablesBeforeTheStructDoNotMatter) {
  const std::string other = mat::array(7, {1, 2}, "other", mat::floats({1, 2}));
  EXPECT_EQ(read({save("a.mat", mat::file(other + mat::structure("data", degree(1, 3, 10))))}).size(), 12u);
}

TEST_F(Gotcha, ACollectionAcrossZeroDegreesStaysInOnePiece) {
  const std::vector<fs::path> files{save("001.mat", degree(0.0, 2, 30)), save("360.mat", degree(359.5, 2, 20)),
                                    save("359.mat", degree(358.5, 2, 10))};
  const std::vector<std::complex<float>> all = read(files);
  std::vector<float> order;
  for (std::size_t p = 0; p < 6; ++p) order.push_back(all[4 * p].real());
  EXPECT_EQ(order, (std::vector<float>{10, 11, 20, 21, 30, 31}));
}

TEST_F(Gotcha, CorrectionsOfOnlySomeFilesAreLeftOutWithARemark) {
  const std::unique_ptr<PulseSource> source =
      open({save("a.mat", degree(1, 2, 0)), save("b.mat", degree(2, 2, 0, false))});
  EXPECT_TRUE(source->collection().range_correction.empty());
  EXPECT_NE(source->collection().remarks.at(0).find("only 1 of 2"), std::string::npos);
}

TEST_F(Gotcha, FilesThatDoNotBelongTogetherAreRefused) {
  const fs::path a = save("a.mat", degree(1, 2, 0)), again = save("again.mat", degree(1, 2, 0));
  EXPECT_MESSAGE(InputError, "give every file once", open({a, again}));
  const fs::path band =
      save("band.mat", with(degree(2, 2, 0), "freq", mat::single(4, 1, {9.388e9f, 9.3895e9f, 9.391e9f, 9.3925e9f})));
  EXPECT_MESSAGE(InputError, "band.mat: frequencies from", open({a, band}));
  mat::Fields short_fields = with(degree(3, 2, 0), "freq", mat::single(2, 1, {9.288e9f, 9.2895e9f}));
  short_fields = with(short_fields, "fp", mat::complex_single(2, 2, {0, 0, 0, 0}, {0, 0, 0, 0}));
  EXPECT_MESSAGE(InputError, "short.mat: 2 samples per pulse but 4", open({a, save("short.mat", short_fields)}));
}

TEST_F(Gotcha, WrongContentsAreNamed) {
  const mat::Fields good = degree(1, 3, 0);
  for (const std::string name : {"fp", "freq", "x", "y", "z", "r0"}) {
    mat::Fields fields = good;
    std::erase_if(fields, [&](const auto& field) { return field.first == name; });
    EXPECT_NE(refusal(fields).find("bad.mat: no field 'data." + name + "'"), std::string::npos) << refusal(fields);
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> twelve(12, 1.0f);
  EXPECT_NE(refusal(with(good, "fp", mat::single(4, 3, twelve))).find("'data.fp' is real; complex"), std::string::npos);
  EXPECT_NE(refusal(with(good, "x", mat::complex_single(1, 3, {1, 2, 3}, {1, 2, 3}))).find("'data.x' is complex; real"),
            std::string::npos);
  EXPECT_NE(refusal(with(good, "x", mat::single(1, 2, {1, 2}))).find("'data.x' is 1 x 2; one value per pulse (3)"),
            std::string::npos);
  EXPECT_NE(refusal(with(good, "x", mat::array(4, {1, 3}, "", mat::element(4, "abcdef"))))
                .find("'data.x' is of MATLAB class 4"),
            std::string::npos);
  EXPECT_NE(refusal(with(good, "x", mat::structure("", {{"y", mat::single(1, 1, {1})}})))
                .find("'data.x' is of MATLAB class 2"),
            std::string::npos);
  EXPECT_NE(
      refusal(with(good, "freq", mat::single(3, 1, {1, 2, 3}))).find("'data.freq' has 3 values and 'data.fp' 4 rows"),
      std::string::npos);
  EXPECT_NE(refusal(with(good, "freq", mat::single(4, 1, {4e9f, 3e9f, 2e9f, 1e9f}))).find("does not ascend"),
            std::string::npos);
  EXPECT_NE(
      refusal(with(good, "freq", mat::single(4, 1, {1e9f, 2e9f, 2.5e9f, 4e9f}))).find("not evenly spaced at sample 2"),
      std::string::npos);
  EXPECT_NE(refusal(with(good, "r0", mat::single(1, 3, {1, 0, 1}))).find("pulse 1: 'data.r0' is 0"), std::string::npos);
  EXPECT_NE(refusal(with(good, "z", mat::single(1, 3, {1, 1, nan}))).find("pulse 2: 'data.z'"), std::string::npos);
  EXPECT_NE(refusal(with(good, "fp", mat::complex_single(4, 0, {}, {}))).find("'data.fp' is 4 x 0"), std::string::npos);
  std::vector<float> bad = twelve;
  bad[6] = nan;
  EXPECT_NE(refusal(with(good, "fp", mat::complex_single(4, 3, twelve, bad))).find("bad.mat: pulse 1, sample 2"),
            std::string::npos);
  EXPECT_NE(refusal(with(good, "af", mat::single(1, 1, {1}))).find("'data.af' is not a 1 x 1 struct"),
            std::string::npos);
  EXPECT_NE(refusal(mat::file(mat::structure("date", good))).find("no struct 'data'"), std::string::npos);
  EXPECT_NE(refusal(mat::file("")).find("no struct 'data'"), std::string::npos);
}

TEST_F(Gotcha, DamagedElementsAreFoundBeforeTheyAreRead) {
  const mat::Fields good = degree(1, 3, 0);
  EXPECT_NE(
      refusal(with(good, "fp", mat::complex_single(4, 2000000000, {1}, {1}))).find("4 bytes for 8000000000 numbers"),
      std::string::npos);
  EXPECT_NE(refusal(with(good, "fp", mat::complex_single(0xffffffff, 3, {1}, {1}))).find("a dimension of 4294967295"),
            std::string::npos);
  EXPECT_NE(refusal(mat::file(mat::words({14, 0xfffffff0}))).find("an element of 4294967280 bytes with 0 left"),
            std::string::npos);
  EXPECT_NE(refusal(mat::file(mat::words({99, 0}))).find("element type 99"), std::string::npos);
  EXPECT_NE(refusal(mat::file(mat::array(2, {1, 1}, "data", mat::words({5 | 4 << 16, 0xffffff}))))
                .find("field names of 16777215 bytes"),
            std::string::npos);
  std::string nested = mat::single(1, 1, {1});
  for (int i = 0; i < 50; ++i) nested = mat::array(1, {1, 1}, "", nested);
  EXPECT_NE(refusal(mat::file(nested)).find("nested more than 8 deep"), std::string::npos);
  std::string mark = mat::file(mat::structure("data", good));
  mark[127] = 'X';
  EXPECT_NE(refusal(mark).find("byte order mark"), std::string::npos);
}

TEST_F(Gotcha, CompressedVariablesCannotAnnounceMoreThanTheyHold) {
  const mat::Fields fields = with(degree(1, 3, 0), "fp", mat::complex_single(4, 500000000, {1}, {1}));
  EXPECT_MESSAGE(InputError, "bad.mat (unpacked): byte",
                 read({save("bad.mat", mat::file(mat::compressed(mat::structure("data", fields))))}));
  const std::string inner = mat::compressed(mat::structure("data", degree(1, 3, 0)));
  EXPECT_NE(refusal(mat::file(mat::compressed(inner + std::string((8 - inner.size() % 8) % 8, 0)))).find("bad.mat"),
            std::string::npos);
  std::string damaged = mat::file(inner);
  damaged[damaged.size() - 1] ^= 1;
  EXPECT_NE(refusal(damaged).find("damaged (incorrect data check)"), std::string::npos);
}

TEST_F(Gotcha, AVariableThatUnpacksWithoutEndIsRefused) {
  // A deflate block of fixed codes: one zero, then 258 times zero for every further 13 bits.
  std::string bits =
      "110"
      "00110000";
  for (int i = 0; i < 20000; ++i)
    bits +=
        "11000101"
        "00000";
  bits += "0000000";
  std::string stream = "\x78\x01";
  for (std::size_t i = 0; i < bits.size(); i += 8) {
    unsigned char byte = 0;
    for (std::size_t b = 0; b < 8 && i + b < bits.size(); ++b)
      byte |= static_cast<unsigned char>((bits[i + b] - '0') << b);
    stream += static_cast<char>(byte);
  }
  EXPECT_NE(refusal(mat::file(mat::words({15, static_cast<std::uint32_t>(stream.size())}) + stream))
                .find("unpacks to more than"),
            std::string::npos);
}

TEST_F(Gotcha, TruncationAnywhereIsAnError) {
  for (const bool packed : {false, true}) {
    const std::string variable = mat::structure("data", degree(1, 3, 0));
    const std::string bytes = mat::file(packed ? mat::compressed(variable) : variable);
    for (std::size_t size = 0; size < bytes.size() - 8; size += size < 400 ? 1 : 5) {
      save("cut.mat", bytes.substr(0, size));
      EXPECT_MESSAGE(InputError, "cut.mat", read({scratch_ / "cut.mat"}));
    }
  }
}

}  // namespace
}  // namespace rtcg::radar
