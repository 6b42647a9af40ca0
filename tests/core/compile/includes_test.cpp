#include "rtcg/compile/includes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "rtcg/error.h"

namespace rtcg {
namespace {

namespace fs = std::filesystem;

class Includes : public testing::Test {
 protected:
  Includes() : directory(fs::temp_directory_path() / ("rtcg_includes_test_" + std::to_string(::getpid()))) {
    fs::create_directories(directory);
  }
  ~Includes() override { fs::remove_all(directory); }
  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((directory / name).parent_path());
    std::ofstream(directory / name, std::ios::binary) << text;
    return directory / name;
  }
  fs::path directory;
};

TEST_F(Includes, HeaderTakesThePlaceOfItsDirective) {
  Source source("main.cl", "int a;\n#include \"h.h\"\nint c;\n");
  source.header("h.h", "int b;\n");
  EXPECT_EQ(resolve_includes(source).text,
            "#line 1 \"main.cl\"\nint a;\n#line 1 \"h.h\"\nint b;\n#line 2 \"main.cl\"\n\nint c;\n");
}

TEST_F(Includes, InMemoryHeadersComeBeforeOwnDirectoryBeforeIncludeDirectories) {
  write("own/x.h", "own");
  write("other/x.h", "other");
  const fs::path main = write("own/main.cl", "#include \"x.h\"\n");
  Source source = Source::file(main).include_directory(directory / "other");
  EXPECT_NE(resolve_includes(source).text.find("own\n"), std::string::npos);
  EXPECT_NE(resolve_includes(source.header("x.h", "memory")).text.find("memory\n"), std::string::npos);
  fs::remove(directory / "own/x.h");
  EXPECT_NE(resolve_includes(Source::file(main).include_directory(directory / "other")).text.find("other\n"),
            std::string::npos);
}

TEST_F(Includes, AHeadersOwnDirectoryIsSearchedFirst) {
  write("a/outer.h", "#include \"inner.h\"\n");
  write("a/inner.h", "right");
  write("inner.h", "wrong");
  Source source("main.cl", "#include \"a/outer.h\"\n");
  const IncludedText included = resolve_includes(source.include_directory(directory));
  EXPECT_NE(included.text.find("right"), std::string::npos);
  EXPECT_EQ(included.text.find("wrong"), std::string::npos);
  ASSERT_EQ(included.files.size(), 3u);
}

TEST_F(Includes, CommentsAndStringsHideDirectives) {
  Source source(
      "main.cl",
      "/* \n#include \"h.h\"\n*/ // #include \"h.h\"\n// continued \\\n#include \"h.h\"\nconstant char* s = \"/*\";\n"
      "  #  include \"h.h\" /* opens\n closes */\n");
  source.header("h.h", "HERE\n");
  const std::string text = resolve_includes(source).text;
  EXPECT_EQ(text.find("HERE"), text.rfind("HERE"));
  EXPECT_NE(text.find("HERE\n#line 7 \"main.cl\"\n /* opens\n closes */\n"), std::string::npos) << text;
}

TEST_F(Includes, PragmaOnceHoldsForRepeatedInclusion) {
  Source source("main.cl", "#include \"h.h\"\n#include \"h.h\"\n");
  source.header("h.h", "#pragma once\nint once;\n");
  const std::string text = resolve_includes(source).text;
  EXPECT_NE(text.find("#ifndef RTCG_ONCE_1\n#define RTCG_ONCE_1\n#line 1 \"h.h\"\n\nint once;\n#endif\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("pragma"), std::string::npos);
}

TEST_F(Includes, WhatIsNotFoundIsLeftAndNamed) {
  Source source("main.cl", "#include <cuda_fp16.h>\n#include \"none.h\"\n#include MACRO\n");
  const IncludedText included = resolve_includes(source);
  EXPECT_EQ(included.missing, (std::vector<std::string>{"<cuda_fp16.h>", "\"none.h\""}));
  EXPECT_NE(included.text.find("#include \"none.h\"\n"), std::string::npos);
}

TEST_F(Includes, HeadersThatIncludeEachOtherEnd) {
  Source source("main.cl", "#include \"a.h\"\n");
  source.header("a.h", "#ifndef A\n#define A\n#include \"b.h\"\nint a;\n#endif\n");
  source.header("b.h", "#include \"a.h\"\nint b;\n");
  const std::string text = resolve_includes(source).text;
  EXPECT_EQ(text.find("int a;"), text.rfind("int a;"));
  EXPECT_LT(text.find("int b;"), text.find("int a;"));
}

TEST_F(Includes, RunawayInclusionIsAnError) {
  Source source("main.cl", "#include \"0.h\"\n");
  for (int i = 0; i < 24; ++i)
    source.header(std::to_string(i) + ".h",
                  "#include \"" + std::to_string(i + 1) + ".h\"\n#include \"" + std::to_string(i + 1) + ".h\"\n");
  source.header("24.h", std::string(64, ' '));
  EXPECT_THROW(resolve_includes(source), InputError);
}

TEST_F(Includes, ANulByteIsAnErrorThatNamesItsLine) {
  const auto message_of = [](const Source& source) {
    try {
      resolve_includes(source);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string text("int a;\nint b;\0int c;\n", 21);
  EXPECT_NE(message_of(Source("main.cl", text)).find("main.cl:2: a NUL byte"), std::string::npos);
  Source source("main.cl", "#include \"h.h\"\n");
  EXPECT_NE(message_of(source.header("h.h", text)).find("h.h:2: a NUL byte"), std::string::npos);
}

TEST_F(Includes, FilesAreReadWithoutTheirByteOrderMarkAndMayBeEmpty) {
  const fs::path main = write("main.cl", "\xef\xbb\xbf#include \"h.h\"\n#include \"empty.h\"\n");
  write("h.h", "\xef\xbb\xbfint b;\n");
  write("empty.h", "");
  const IncludedText read = resolve_includes(Source::file(main));
  EXPECT_EQ(read.text.find('\xef'), std::string::npos);
  EXPECT_NE(read.text.find("int b;"), std::string::npos);
  EXPECT_TRUE(read.missing.empty());
  EXPECT_EQ(Source::file(directory / "empty.h").text(), "");
  EXPECT_THROW(Source::file(directory), InputError);
}

TEST_F(Includes, AnEditedHeaderIsReadAgain) {
  write("h.h", "old!");
  Source source("main.cl", "#include \"h.h\"\n");
  source.include_directory(directory);
  EXPECT_NE(resolve_includes(source).text.find("old!"), std::string::npos);
  // Same size, same second.
  write("h.h", "new!");
  EXPECT_NE(resolve_includes(source).text.find("new!"), std::string::npos);
}

TEST_F(Includes, AnEditThatSetsTheTimeBackIsSeenToo) {
  const fs::path header = write("h.h", "old!");
  const auto time = fs::last_write_time(header);
  Source source("main.cl", "#include \"h.h\"\n");
  source.include_directory(directory);
  std::this_thread::sleep_for(std::chrono::milliseconds(3200));  // old enough to be remembered
  EXPECT_NE(resolve_includes(source).text.find("old!"), std::string::npos);
  write("h.h", "new!");
  fs::last_write_time(header, time);
  EXPECT_NE(resolve_includes(source).text.find("new!"), std::string::npos);
}

TEST_F(Includes, DirectoriesOfOptionsAreSearchedToo) {
  write("h.h", "found");
  for (Source source : {Source("m.cl", "#include <h.h>\n").option("-I" + directory.string()),
                        Source("m.cl", "#include <h.h>\n").option("-I").option(directory.string())})
    EXPECT_TRUE(resolve_includes(source).missing.empty());
}

TEST_F(Includes, TheAnonymousTextDoesNotKnowWhereHeadersLie) {
  write("here/h.h", "text");
  write("there/h.h", "text");
  const auto anonymous = [&](const char* place) {
    Source source(std::string(place) + ".cl", "#include \"h.h\"\n");
    return resolve_includes(source.include_directory(directory / place)).anonymous;
  };
  EXPECT_EQ(anonymous("here"), anonymous("there"));
}

}  // namespace
}  // namespace rtcg
