#include "radar/io/pulse_file.h"

#include <limits>

#include "radar/io/example_pulses.h"
#include "rtcg/error.h"
#include "rtcg/io/hdf5.h"
#include "support/scratch_directory.h"

namespace rtcg::radar {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<PulseSource> open(const fs::path& file) {
  return open_pulses(std::span(&file, 1));
}

TEST(PulseFile, EverythingComesBack) {
  const ScratchDirectory scratch;
  Collection c = example_collection();
  c.range_correction.assign(c.pulses(), 0.25);
  c.phase_correction.assign(c.pulses(), -1.5);
  StoredPulses pulses(c, phase_history(c, {{1, 2, 3}}));
  write_pulses(scratch / "p.h5", pulses);
  const std::unique_ptr<PulseSource> back = open(scratch / "p.h5");
  const Collection& b = back->collection();
  EXPECT_EQ(b.samples, c.samples);
  EXPECT_EQ(b.antenna, c.antenna);
  EXPECT_EQ(b.reference_range, c.reference_range);
  EXPECT_EQ(b.first_frequency, c.first_frequency);
  EXPECT_EQ(b.frequency_step, c.frequency_step);
  EXPECT_EQ(b.range_correction, c.range_correction);
  EXPECT_EQ(b.phase_correction, c.phase_correction);
  EXPECT_EQ(b.description, "example");
  EXPECT_EQ(read_all(*back), read_all(pulses));
}

TEST(PulseFile, BlocksAcrossChunksAreTheWhole) {
  const ScratchDirectory scratch;
  StoredPulses pulses = example_pulses(301, 1024);  // chunks of 128 pulses
  write_pulses(scratch / "p.h5", pulses);
  const std::unique_ptr<PulseSource> back = open(scratch / "p.h5");
  const std::vector<std::complex<float>> all = read_all(pulses);
  for (const auto& [first, count] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {120, 20}, {300, 1}, {17, 0}, {301, 0}, {5, 296}}) {
    std::vector<std::complex<float>> block(count * 1024);
    back->read(first, count, block);
    EXPECT_TRUE(std::equal(block.begin(), block.end(), all.begin() + static_cast<std::ptrdiff_t>(first * 1024)))
        << first;
  }
  std::vector<std::complex<float>> room(1024);
  EXPECT_MESSAGE(UsageError, "301", back->read(301, 1, room));
  EXPECT_MESSAGE(UsageError, "room for 1024", back->read(0, 2, room));
}

TEST(PulseFile, FilesJoinAsGiven) {
  const ScratchDirectory scratch;
  StoredPulses a = example_pulses(3), b = example_pulses(4), odd = example_pulses(2, 5);
  write_pulses(scratch / "a.h5", a);
  write_pulses(scratch / "b.h5", b);
  write_pulses(scratch / "odd.h5", odd);
  const std::vector<fs::path> files{scratch / "b.h5", scratch / "a.h5"};
  const std::unique_ptr<PulseSource> joined = open_pulses(files);
  EXPECT_EQ(joined->collection().pulses(), 7u);
  std::vector<std::complex<float>> expected = read_all(b), tail = read_all(a);
  expected.insert(expected.end(), tail.begin(), tail.end());
  EXPECT_EQ(read_all(*joined), expected);
  std::vector<std::complex<float>> middle(3 * 9);
  joined->read(2, 3, middle);
  EXPECT_TRUE(std::equal(middle.begin(), middle.end(), expected.begin() + 2 * 9));
  EXPECT_MESSAGE(InputError, "odd.h5: 5 samples",
                 open_pulses(std::vector<fs::path>{scratch / "a.h5", scratch / "odd.h5"}));
}

class WrongPulseFile : public testing::Test {
 protected:
  // A file of 3 pulses by 4 samples in which one dataset is replaced, or left out when empty.
  fs::path without(const std::string& dataset, const std::function<void(hdf5::File&)>& instead = {}) {
    const fs::path path = scratch_ / "wrong.h5";
    hdf5::File file = hdf5::File::create(path);
    const std::vector<double> ones(3, 1.0), positions(9, 1.0);
    const std::vector<std::complex<float>> samples(12, 1.0f);
    if (dataset != "/samples") file.write<std::complex<float>>("/samples", {3, 4}, samples);
    if (dataset != "/antenna") file.write<double>("/antenna", {3, 3}, positions);
    for (const char* name : {"/reference_range", "/first_frequency", "/frequency_step"})
      if (dataset != name) file.write<double>(name, {3}, ones);
    if (instead) instead(file);
    file.close();
    return path;
  }

  ScratchDirectory scratch_;
};

TEST_F(WrongPulseFile, EveryMissingDatasetIsNamed) {
  for (const std::string name : {"/samples", "/antenna", "/reference_range", "/first_frequency", "/frequency_step"})
    EXPECT_MESSAGE(InputError, "wrong.h5: " + name + ": no such dataset", open(without(name)));
}

TEST_F(WrongPulseFile, ShapesAndTypesAreNamed) {
  const std::vector<double> numbers(12, 1.0);
  EXPECT_MESSAGE(InputError, "/antenna is [4][3]", open(without("/antenna", [&](auto& f) {
                   f.template write<double>("/antenna", {4, 3}, numbers);
                 })));
  EXPECT_MESSAGE(InputError, "/samples has 1 dimensions", open(without("/samples", [](auto& f) {
                   f.template write<std::complex<float>>("/samples", {3}, std::vector<std::complex<float>>(3));
                 })));
  EXPECT_MESSAGE(InputError, "real numbers; complex ones", open(without("/samples", [&](auto& f) {
                   f.template write<double>("/samples", {3, 4}, numbers);
                 })));
  EXPECT_MESSAGE(InputError, "/frequency_step is [2]; [3] is needed", open(without("/frequency_step", [](auto& f) {
                   f.template write<double>("/frequency_step", {2}, std::vector<double>(2, 1.0));
                 })));
  EXPECT_MESSAGE(InputError, "complex numbers; real ones", open(without("/frequency_step", [](auto& f) {
                   f.template write<std::complex<double>>("/frequency_step", {3},
                                                          std::vector<std::complex<double>>(3, 1.0));
                 })));
}

TEST_F(WrongPulseFile, ZeroPulsesAndBadValuesAreNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_MESSAGE(InputError, "pulse 1: frequency step is -5", open(without("/frequency_step", [](auto& f) {
                   f.template write<double>("/frequency_step", {3}, std::vector<double>{1, -5, 1});
                 })));
  EXPECT_MESSAGE(InputError, "pulse 2: reference range is nan", open(without("/reference_range", [&](auto& f) {
                   f.template write<double>("/reference_range", {3}, std::vector<double>{1, 1, nan});
                 })));
  const fs::path empty = scratch_ / "empty.h5";
  hdf5::File file = hdf5::File::create(empty);
  file.write<std::complex<float>>("/samples", {0, 4}, {});
  file.write<double>("/antenna", {0, 3}, {});
  for (const char* name : {"/reference_range", "/first_frequency", "/frequency_step"})
    file.write<double>(name, {0}, {});
  file.close();
  EXPECT_MESSAGE(InputError, "empty.h5: no pulses", open(empty));
}

TEST_F(WrongPulseFile, SamplesThatAreNotFiniteNameThePulse) {
  std::vector<std::complex<float>> samples(12, 1.0f);
  samples[9] = {0, std::numeric_limits<float>::infinity()};
  const std::unique_ptr<PulseSource> source = open(without("/samples", [&](auto& f) {
    f.template write<std::complex<float>>("/samples", {3, 4}, samples);
  }));
  std::vector<std::complex<float>> two(8);
  source->read(0, 2, two);
  EXPECT_MESSAGE(InputError, "wrong.h5: pulse 2, sample 1", source->read(1, 2, two));
}

TEST_F(WrongPulseFile, TruncationAtAnyPlaceIsAnError) {
  StoredPulses pulses = example_pulses();
  write_pulses(scratch_ / "whole.h5", pulses);
  const std::string bytes = read_bytes(scratch_ / "whole.h5");
  const std::vector<std::complex<float>> all = read_all(pulses);
  for (std::size_t size = 0; size < bytes.size(); size += 37) {
    write_bytes(scratch_ / "cut.h5", bytes.substr(0, size));
    EXPECT_MESSAGE(InputError, "cut.h5", read_all(*open(scratch_ / "cut.h5")));
  }
}

TEST_F(WrongPulseFile, AnOldFileStaysWhenWritingFails) {
  StoredPulses good = example_pulses();
  write_pulses(scratch_ / "p.h5", good);
  struct Failing : StoredPulses {
    using StoredPulses::StoredPulses;
    void read(std::size_t, std::size_t, std::span<std::complex<float>>) override { throw InputError("source: broken"); }
  } failing(example_collection(), read_all(good));
  EXPECT_MESSAGE(InputError, "broken", write_pulses(scratch_ / "p.h5", failing));
  EXPECT_EQ(read_all(*open(scratch_ / "p.h5")), read_all(good));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace rtcg::radar
