#include "rtcg/compile/manifest.h"

#include <random>
#include <set>

#include "rtcg/error.h"

namespace rtcg {
namespace {

Manifest of(std::vector<std::pair<std::string, std::string>> parts) {
  Manifest manifest;
  for (auto& [label, value] : parts) manifest.add(label, value);
  return manifest;
}

TEST(Manifest, ReadsBackWhatItWrote) {
  const Manifest manifest = of({{"compiler", "NVRTC 13.0"},
                                {"source", std::string("a\0b\n", 4)},
                                {"", ""},
                                {"option", "-O3"},
                                {"option", "-g"}});
  EXPECT_EQ(Manifest::parse(manifest.serialise()).parts(), manifest.parts());
}

TEST(Manifest, ListsThatConcatenateToTheSameTextHaveDifferentKeys) {
  const std::vector<Manifest> all = {of({}),
                                     of({{"", ""}}),
                                     of({{"a", "bc"}}),
                                     of({{"ab", "c"}}),
                                     of({{"abc", ""}}),
                                     of({{"", "abc"}}),
                                     of({{"a", "b"}, {"c", ""}}),
                                     of({{"a", ""}, {"b", "c"}}),
                                     of({{"x", "1"}, {"y", "2"}}),
                                     of({{"y", "2"}, {"x", "1"}}),
                                     of({{"x", "1"}, {"x", "1"}}),
                                     of({{"x", "2"}, {"x", "2"}})};
  std::set<CacheKey> keys;
  for (const Manifest& manifest : all) EXPECT_TRUE(keys.insert(manifest.key()).second) << manifest.serialise();
}

TEST(Manifest, KeyIsStableAcrossRunsAndMachines) {
  // XXH3-128 of no bytes, from the hash's published test vectors.
  EXPECT_EQ(of({}).key().hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(Manifest, TruncatedBytesAreRefused) {
  const std::string bytes = of({{"compiler", "x"}, {"source", "text"}}).serialise();
  // 8 + 8 + 8 + 1 bytes is exactly the first part, which is a manifest by itself.
  for (std::size_t length = 1; length < bytes.size(); ++length) {
    if (length == 25)
      EXPECT_EQ(Manifest::parse(bytes.substr(0, length)).parts().size(), 1u);
    else
      EXPECT_THROW(Manifest::parse(bytes.substr(0, length)), InputError) << length;
  }
}

TEST(Manifest, HostileLengthsAreRefusedWithoutAllocatingThem) {
  EXPECT_THROW(Manifest::parse(std::string(8, '\xff')), InputError);
  EXPECT_THROW(Manifest::parse(std::string(64, '\x7f')), InputError);
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 64, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 4 == 0 ? random() : 0);
    try {
      EXPECT_EQ(Manifest::parse(bytes).serialise(), bytes);
    } catch (const InputError&) {
    }
  }
}

TEST(Manifest, DifferencesNameThePartAndTheFirstDifferingLine) {
  const Manifest mine =
      of({{"compiler", "13.0"}, {"option", "-a"}, {"option", "-b"}, {"source", "one\ntwo\nthree\n"}, {"extra", "1"}});
  const Manifest theirs = of({{"compiler", "12.8"}, {"option", "-a"}, {"option", "-c"}, {"source", "one\n2\nthree\n"}});
  const std::vector<std::string> differences = mine.differences(theirs);
  EXPECT_EQ(differences,
            (std::vector<std::string>{"compiler: \"13.0\" against \"12.8\"", "extra: \"1\" against nothing",
                                      "option: \"-b\" against \"-c\"", "source, line 2: \"two\" against \"2\""}));
}

TEST(Manifest, DifferencesSeeAddedLinesMissingLineEndsAndOrder) {
  EXPECT_EQ(of({{"s", "a\nb\n"}}).differences(of({{"s", "a\n"}})),
            std::vector<std::string>{"s, line 2: \"b\" against the end"});
  EXPECT_EQ(of({{"s", "a\nb\n"}}).differences(of({{"s", "a\nb"}})).size(), 1u);
  EXPECT_EQ(of({{"a", "1"}, {"b", "2"}}).differences(of({{"b", "2"}, {"a", "1"}})),
            std::vector<std::string>{"the same parts in another order"});
  EXPECT_TRUE(of({{"a", "1"}}).differences(of({{"a", "1"}})).empty());
}

}  // namespace
}  // namespace rtcg
