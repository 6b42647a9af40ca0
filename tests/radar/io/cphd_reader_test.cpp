#include "radar/io/cphd_reader.h"

#include <limits>

#include "radar/io/example_pulses.h"
#include "rtcg/error.h"
#include "support/cphd_writer.h"
#include "support/scratch_directory.h"

namespace rtcg::radar {
namespace {

namespace fs = std::filesystem;

class Cphd : public testing::Test {
 protected:
  std::unique_ptr<PulseSource> open(const CphdExample& example, const Collection& c,
                                    const std::vector<std::complex<float>>& samples, const std::string& channel = "") {
    write_bytes(scratch_ / "s.cphd", cphd_bytes(example, c, samples));
    const fs::path path = scratch_ / ("s.cphd" + channel);
    return open_pulses(std::span(&path, 1));
  }
  std::unique_ptr<PulseSource> open(const CphdExample& example) { return open(example, collection_, samples_); }
  std::string refusal(const CphdExample& example) {
    return message_of<InputError>([&] { read_all(*open(example)); });
  }

  ScratchDirectory scratch_;
  const std::vector<Vec3> targets_{{3, -2, 0}, {0, 5, 1}};
  const Collection collection_ = example_collection(7, 9);
  const std::vector<std::complex<float>> samples_ = phase_history(collection_, targets_);
};

TEST_F(Cphd, ASimulatedSceneComesBackFromEveryFormat) {
  for (const auto& [format, tolerance] :
       std::vector<std::pair<std::string, double>>{{"CF8", 1e-6}, {"CI4", 2.0 / 32767}, {"CI2", 2.0 / 127}})
    for (const int sgn : {-1, 1})
      for (const std::string version : {"1.0.1", "1.1.0"}) {
        CphdExample example;
        example.format = format;
        example.sgn = sgn;
        example.version = version;
        const std::unique_ptr<PulseSource> source = open(example);
        const Collection& c = source->collection();
        ASSERT_EQ(c.pulses(), 7u);
        ASSERT_EQ(c.samples, 9u);
        for (std::size_t p = 0; p < 7; ++p) {
          EXPECT_LT((c.antenna[p] - collection_.antenna[p]).norm(), 1e-6);
          EXPECT_NEAR(c.reference_range[p], collection_.reference_range[p], 1e-6);
        }
        EXPECT_EQ(c.first_frequency, collection_.first_frequency);
        EXPECT_EQ(c.frequency_step, collection_.frequency_step);
        const std::vector<std::complex<float>> back = read_all(*source);
        for (std::size_t i = 0; i < back.size(); ++i)
          EXPECT_LT(std::abs(back[i] - samples_[i]), tolerance) << format << sgn << i;
      }
}

TEST_F(Cphd, AmplitudeFactorsScaleFloatsToo) {
  CphdExample example;
  example.amplitude_factors = true;
  const std::vector<std::complex<float>> back = read_all(*open(example));
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_LT(std::abs(back[i] - samples_[i]), 1e-6);
}

TEST_F(Cphd, AxesOfThePlaneAndPrefixedNamesAreUsed) {
  CphdExample example;
  example.plane_axes = true;
  example.latitude = -0.4;
  example.longitude = 2.2;
  example.xml_prefix = "c";
  const std::unique_ptr<PulseSource> source = open(example);
  for (std::size_t p = 0; p < 7; ++p)
    EXPECT_LT((source->collection().antenna[p] - collection_.antenna[p]).norm(), 1e-6);
}

TEST_F(Cphd, FramesHoldAtThePolesAndTheEquator) {
  for (const double latitude : {0.0, 0.5 * std::numbers::pi, -0.5 * std::numbers::pi}) {
    CphdExample example;
    example.latitude = latitude;
    const std::unique_ptr<PulseSource> source = open(example);
    // At a pole the longitude is lost to rounding: heights and ranges must hold, azimuth cannot.
    for (std::size_t p = 0; p < 7; ++p) {
      EXPECT_NEAR(source->collection().antenna[p].z(), collection_.antenna[p].z(), 1e-5);
      EXPECT_NEAR(source->collection().antenna[p].norm(), collection_.antenna[p].norm(), 1e-5);
    }
  }
}

TEST_F(Cphd, StripmapReferencesBelongToTheirVectors) {
  CphdExample example;
  Collection moving = collection_;
  for (std::size_t p = 0; p < 7; ++p) {
    example.reference.emplace_back(2.0 * static_cast<double>(p), -3, 0.5);
    moving.reference_range[p] = (moving.antenna[p] - example.reference[p]).norm();
  }
  const std::vector<std::complex<float>> expected = phase_history(moving, targets_);
  const std::unique_ptr<PulseSource> source = open(example, moving, expected);
  for (std::size_t p = 0; p < 7; ++p)
    EXPECT_NEAR(source->collection().reference_range[p], moving.reference_range[p], 1e-6);
  example.scene_reference = false;  // the origin is then the mean of the references
  const std::unique_ptr<PulseSource> mean = open(example, moving, expected);
  EXPECT_NEAR(mean->collection().antenna[0].x(), moving.antenna[0].x() - 6, 1e-2);
}

TEST_F(Cphd, InvalidVectorsAreLeftOutWithARemark) {
  CphdExample example;
  example.signal = {1, 1, 0, 1, 0, 0, 1};
  const std::unique_ptr<PulseSource> source = open(example);
  const std::vector<std::complex<float>> back = read_all(*source);
  ASSERT_EQ(source->collection().pulses(), 4u);
  ASSERT_EQ(source->collection().remarks.size(), 1u);
  EXPECT_NE(source->collection().remarks[0].find("3 of 7"), std::string::npos);
  const std::size_t kept[] = {0, 1, 3, 6};
  for (std::size_t p = 0; p < 4; ++p) {
    EXPECT_LT((source->collection().antenna[p] - collection_.antenna[kept[p]]).norm(), 1e-6);
    for (std::size_t k = 0; k < 9; ++k) EXPECT_LT(std::abs(back[p * 9 + k] - samples_[kept[p] * 9 + k]), 1e-6);
  }
  example.signal.assign(7, 0);
  EXPECT_NE(refusal(example).find("no vector has a valid signal"), std::string::npos);
}

TEST_F(Cphd, ChannelsAreChosenByName) {
  CphdExample example;
  example.channels = {"HH", "VV"};
  EXPECT_NE(open(example)->collection().remarks.at(0).find("'HH' of 2"), std::string::npos);
  EXPECT_TRUE(open(example, collection_, samples_, "#VV")->collection().remarks.empty());
  EXPECT_MESSAGE(InputError, "no channel 'HV'; there are: HH, VV", open(example, collection_, samples_, "#HV"));
}

TEST_F(Cphd, SmallBaselinesAreBoundedAndLargeOnesRefused) {
  CphdExample example;
  example.apart = 2;  // b^2 / 8r = 0.05 mm
  const std::unique_ptr<PulseSource> source = open(example);
  ASSERT_EQ(source->collection().remarks.size(), 1u);
  EXPECT_NE(source->collection().remarks[0].find("2 m apart"), std::string::npos);
  example.apart = 50;  // 31 mm, more than a wavelength
  EXPECT_NE(refusal(example).find("bistatic"), std::string::npos);
}

TEST_F(Cphd, FilesJoinInTheFrameOfTheFirst) {
  CphdExample example, elsewhere;
  elsewhere.height = 130;
  write_bytes(scratch_ / "a.cphd", cphd_bytes(example, collection_, samples_));
  write_bytes(scratch_ / "b.cphd", cphd_bytes(elsewhere, collection_, samples_));
  const std::unique_ptr<PulseSource> joined =
      open_pulses(std::vector<fs::path>{scratch_ / "a.cphd", scratch_ / "b.cphd"});
  ASSERT_EQ(joined->collection().pulses(), 14u);
  EXPECT_LT((joined->collection().antenna[7] - collection_.antenna[0] - Vec3(0, 0, 10)).norm(), 1e-6);
}

TEST_F(Cphd, WhatIsNotReadIsRefusedByName) {
  const auto with = [](const std::string& from, const std::string& to) {
    CphdExample example;
    example.edit_xml = [=](std::string& xml) { xml.replace(xml.find(from), from.size(), to); };
    return example;
  };
  EXPECT_NE(refusal(with(">FX<", ">TOA<")).find("TOA domain; transform it to the FX domain"), std::string::npos);
  EXPECT_NE(refusal(with("<SGN>-1", "<SGN>-2")).find("SGN is -2"), std::string::npos);
  EXPECT_NE(refusal(with("CF8", "CF4")).find("SignalArrayFormat is 'CF4'"), std::string::npos);
  EXPECT_NE(
      refusal(with("<NumBytesPVP>", "<SignalCompressionID>x</SignalCompressionID><NumBytesPVP>")).find("compressed"),
      std::string::npos);
  EXPECT_NE(
      refusal(with("<NumVectors>", "<CompressedSignalSize>9</CompressedSignalSize><NumVectors>")).find("compressed"),
      std::string::npos);
  EXPECT_NE(refusal(with("TxPos>", "TxPoz>")).find("mismatch"), std::string::npos);
  EXPECT_NE(refusal(with("<NumVectors>7", "<NumVectors>0")).find("0 vectors of 9 samples"), std::string::npos);
  EXPECT_NE(refusal(with("<NumVectors>7", "<NumVectors>8")).find("lie outside the PVP block"), std::string::npos);
  EXPECT_NE(refusal(with("<NumVectors>7", "<NumVectors>18446744073709551615")).find("lie outside"), std::string::npos);
  EXPECT_NE(refusal(with("<NumVectors>7", "<NumVectors>18446744073709551616")).find("a number is needed"),
            std::string::npos);
  EXPECT_NE(refusal(with("<NumSamples>9", "<NumSamples>10")).find("lie outside the SIGNAL block"), std::string::npos);
  EXPECT_NE(refusal(with("<NumSamples>9", "<NumSamples>2305843009213693953")).find("SIGNAL block"), std::string::npos);
  EXPECT_NE(refusal(with("<SignalArrayByteOffset>0", "<SignalArrayByteOffset>8")).find("lie outside the SIGNAL block"),
            std::string::npos);
  EXPECT_NE(refusal(with("<PVPArrayByteOffset>0", "<PVPArrayByteOffset>-8")).find("a number is needed"),
            std::string::npos);
  EXPECT_NE(refusal(with("<Offset>10<", "<Offset>13<")).find("PVP/SC0 at word 13 lies outside"), std::string::npos);
  EXPECT_NE(refusal(with("<Offset>10<", "<Offset>18446744073709551615<")).find("lies outside"), std::string::npos);
  EXPECT_NE(refusal(with("<Size>3<", "<Size>2<")).find("PVP/TxPos has size 2"), std::string::npos);
  EXPECT_NE(refusal(with("<NumBytesPVP>104", "<NumBytesPVP>100")).find("multiple of 8"), std::string::npos);
}

TEST_F(Cphd, HeadersAreChecked) {
  const auto with = [](const std::string& from, const std::string& to) {
    CphdExample example;
    example.edit_header = [=](std::string& header) { header.replace(header.find(from), from.size(), to); };
    return example;
  };
  EXPECT_NE(refusal(with("CPHD/1.1.0", "CPHD/0.3.0")).find("version '0.3.0'; 1.0.1 and 1.1.0"), std::string::npos);
  EXPECT_NE(refusal(with("XML_BLOCK_SIZE", "XML_BLOCK_SIXE")).find("no XML_BLOCK_SIZE"), std::string::npos);
  EXPECT_NE(refusal(with("PVP_BLOCK_SIZE := ", "PVP_BLOCK_SIZE := 1844674407370955161")).find("PVP"),
            std::string::npos);
  EXPECT_NE(refusal(with("SIGNAL_BLOCK_SIZE := ", "SIGNAL_BLOCK_SIZE := x")).find("number of bytes"),
            std::string::npos);
  EXPECT_NE(refusal(with("SIGNAL_BLOCK_SIZE := ", "SIGNAL_BLOCK_SIZE := 9")).find("outside the file"),
            std::string::npos);
  EXPECT_NE(refusal(with(" := UNC", " = UNC")).find("line 8 is not of the form"), std::string::npos);
  EXPECT_NE(refusal(with("\f\n", "\n\n")).find("CPHD header"), std::string::npos);
}

TEST_F(Cphd, TruncationAnywhereIsAnError) {
  const std::string bytes = cphd_bytes({}, collection_, samples_);
  const std::size_t header = bytes.find("\f\n") + 8;
  for (std::size_t size = 0; size < bytes.size(); size += size < header ? 1 : 13) {
    write_bytes(scratch_ / "cut.cphd", bytes.substr(0, size));
    const fs::path path = scratch_ / "cut.cphd";
    EXPECT_MESSAGE(InputError, "cut.cphd", read_all(*open_pulses(std::span(&path, 1))));
  }
}

TEST_F(Cphd, ValuesThatAreNotFiniteNameTheirVector) {
  std::vector<std::complex<float>> samples = samples_;
  samples[4 * 9 + 2] = {0, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_MESSAGE(InputError, "pulse 4, sample 2", read_all(*open({}, collection_, samples)));
  Collection c = collection_;
  c.antenna[5].z() = std::numeric_limits<double>::infinity();
  EXPECT_MESSAGE(InputError, "vector 5: TxPos", open({}, c, samples_));
  c = collection_;
  c.frequency_step[3] = -1;
  EXPECT_MESSAGE(InputError, "s.cphd: pulse 3: frequency step is -1", open({}, c, samples_));
}

}  // namespace
}  // namespace rtcg::radar
