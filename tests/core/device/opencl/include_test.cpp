// A private header of the OpenCL driver: it has no device in it.
#include "rtcg/device/opencl/include.h"

#include <gtest/gtest.h>

namespace rtcg {
namespace {

std::string inlined(std::string text, std::vector<CompileRequest::Header> headers) {
  return opencl::inline_headers({"user.cl", std::move(text), std::move(headers), {}});
}

TEST(InlineHeaders, APlainTextStaysAsItIs) {
  const std::string text = "int a;\n#define B 1\n\nint c;\n";
  EXPECT_EQ(inlined(text, {{"unused.h", "x"}}), text);
}

TEST(InlineHeaders, TextsComeBetweenLineDirectives) {
  EXPECT_EQ(inlined("int a;\n#include \"one.h\"\nint b;\n", {{"one.h", "int one;\n"}}),
            "int a;\n#line 1 \"one.h\"\nint one;\n#line 3 \"user.cl\"\nint b;\n");
}

TEST(InlineHeaders, LineDirectivesOfTheTextAreFollowed) {
  EXPECT_EQ(inlined("prelude\n#line 1 \"mine.cl\"\nint a;\n# include <one.h>\nint b;\n", {{"one.h", "int one;"}}),
            "prelude\n#line 1 \"mine.cl\"\nint a;\n#line 1 \"one.h\"\nint one;\n#line 3 \"mine.cl\"\nint b;\n");
}

TEST(InlineHeaders, NestedHeadersAreFollowedAndCyclesAreCut) {
  EXPECT_EQ(inlined("#include \"a.h\"\n", {{"a.h", "A\n#include \"b.h\"\n"}, {"b.h", "#include \"a.h\"\nB\n"}}),
            "#line 1 \"a.h\"\nA\n#line 1 \"b.h\"\n#line 2 \"b.h\"\nB\n#line 3 \"a.h\"\n#line 2 \"user.cl\"\n");
}

TEST(InlineHeaders, PragmaOnceBecomesAGuard) {
  const std::string result = inlined("#include \"a.h\"\n#include \"a.h\"\n", {{"a.h", "#pragma once\nint a;\n"}});
  EXPECT_EQ(result.find("#pragma once"), std::string::npos);
  EXPECT_EQ(result.find("#ifndef RTCG_INCLUDED_0\n#define RTCG_INCLUDED_0\n#line 1 \"a.h\"\n\nint a;\n#endif\n"), 0u)
      << result;
}

TEST(InlineHeaders, CommentsAndUnknownHeadersAreLeftAlone) {
  const std::string text =
      "/* start\n#include \"a.h\"\n*/\n// #include \"a.h\"\n#include \"other.h\"\nchar c = '\"'; /*\n#include "
      "\"a.h\"\n*/\n";
  EXPECT_EQ(inlined(text, {{"a.h", "int a;\n"}}), text);
}

TEST(RestorePlaces, PhysicalLinesBecomeTheUsersOwn) {
  const std::string text =
      "prelude\nprelude\n#line 1 \"user.cl\"\none\ntwo\n#line 1 \"a.h\"\nheader\n#line 4 \"user.cl\"\nfour\n";
  EXPECT_EQ(opencl::restore_places("<kernel>:5:3: error: x\n<kernel>:7:1: error: y\n<kernel>:9: z", text),
            "user.cl:2:3: error: x\na.h:1:1: error: y\nuser.cl:4: z");
  EXPECT_EQ(opencl::restore_places("<kernel>:2:3: error: x, <kernel>:99:1: y, <kernel>: z", text),
            "<kernel>:2:3: error: x, <kernel>:99:1: y, <kernel>: z");
  EXPECT_EQ(opencl::restore_places("user.cl:1:1: error: x", text), "user.cl:1:1: error: x");
}

}  // namespace
}  // namespace rtcg
