#include "rtcg/compile/diagnostics.h"

#include <gtest/gtest.h>

namespace rtcg {
namespace {

constexpr const char* nvrtc_log =
    "user.cl(7): error: identifier \"foo\" is undefined\n"
    "    for (int i = 0; i < n; ++i) x[i] = helper(foo) + 1;\n"
    "                                              ^\n"
    "\n"
    "user.cl(5): warning #177-D: variable \"unused\" was declared but never referenced\n"
    "    int unused = 3;\n"
    "        ^\n"
    "\n"
    "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
    "\n"
    "user.cl(9): error: no instance of overloaded function \"bar\" matches the argument list\n"
    "            argument types are: (float *)\n"
    "    bar(x);\n"
    "    ^\n"
    "\n"
    "2 errors detected in the compilation of \"user.cl\".\n";

TEST(ParseLog, ReadsNvrtc) {
  const std::vector<Diagnostic> d = parse_log(nvrtc_log);
  ASSERT_EQ(d.size(), 3u);
  EXPECT_EQ(d[0].file, "user.cl");
  EXPECT_EQ(d[0].line, 7);
  EXPECT_EQ(d[0].column, 45);
  EXPECT_EQ(d[0].message, "identifier \"foo\" is undefined");
  EXPECT_EQ(d[1].severity, Diagnostic::Severity::warning);
  EXPECT_EQ(d[1].column, 7);
  EXPECT_EQ(d[2].message,
            "no instance of overloaded function \"bar\" matches the argument list; argument types are: (float *)");
  EXPECT_EQ(d[2].column, 3);
}

TEST(ParseLog, ReadsPoclAndClang) {
  const std::vector<Diagnostic> d = parse_log(
      "error: user.cl:7:45: use of undeclared identifier 'foo'\n"
      "warning: dir/h.h:2:1: loop not unrolled: the optimizer gave up\n"
      "user.cl:8:2: fatal error: 'x.h' file not found\n"
      "#include \"x.h\"\n"
      "         ^~~~~\n"
      "<kernel>:3:5: note: previous definition is here\n"
      "Device pthread-skylake failed to build the program\n");
  ASSERT_EQ(d.size(), 4u);
  EXPECT_EQ(d[0].message, "use of undeclared identifier 'foo'");
  EXPECT_EQ(d[0].line, 7);
  EXPECT_EQ(d[0].column, 45);
  EXPECT_EQ(d[1].file, "dir/h.h");
  EXPECT_EQ(d[1].severity, Diagnostic::Severity::warning);
  EXPECT_EQ(d[2].severity, Diagnostic::Severity::error);
  EXPECT_EQ(d[2].message, "'x.h' file not found");
  EXPECT_EQ(d[3].severity, Diagnostic::Severity::note);
}

TEST(ParseLog, MakesNothingOfOtherText) {
  for (const char* text : {"", "\n\n", ": error: ", "error: ", "(3): error: x", ":3: error: y", "a: b: c: d",
                           "error: error: error:", "nvrtc: error: invalid value for --gpu-architecture (-arch)"})
    EXPECT_TRUE(parse_log(text).empty()) << text;
}

CompileRequest request() {
  CompileRequest r;
  r.name = "user.cl";
  r.text =
      "#line 1 \"rtcg_prelude\"\nsecret\n#define N 1\n#line 1 \"user.cl\"\nfirst\n#line 1 \"dir/h.h\"\nheader "
      "one\n\theader two\n"
      "#line 2 \"user.cl\"\n\nthird\n";
  return r;
}

TEST(Show, PointsAtTheUsersLineAndAtHeaders) {
  const std::vector<Diagnostic> d{{Diagnostic::Severity::error, "user.cl", 3, 2, "wrong"},
                                  {Diagnostic::Severity::error, "dir/h.h", 2, 9, "worse"}};
  EXPECT_EQ(show(d, request()),
            "user.cl:3:2: error: wrong\n  third\n   ^\ndir/h.h:2:9: error: worse\n  \theader two\n  \t       ^");
}

TEST(Show, HidesThePreludeAndWarningsAndStopsAfterTheFirstFew) {
  std::vector<Diagnostic> d{{Diagnostic::Severity::error, "rtcg_prelude", 1, 1, "inner"},
                            {Diagnostic::Severity::warning, "user.cl", 1, 1, "careful"}};
  EXPECT_EQ(show(d, request()), "rtcg_prelude:1:1: error: inner");
  for (int i = 0; i < 12; ++i) d.push_back({Diagnostic::Severity::error, "user.cl", 1, 0, "no " + std::to_string(i)});
  const std::string text = show(d, request(), 3);
  EXPECT_EQ(text.find("secret"), std::string::npos);
  EXPECT_EQ(text.find("inner"), std::string::npos);
  EXPECT_EQ(text.find("careful"), std::string::npos);
  EXPECT_NE(text.find("user.cl:1: error: no 2\n  first"), std::string::npos);
  EXPECT_EQ(text.find("no 3"), std::string::npos);
  EXPECT_TRUE(text.ends_with("... and 9 more"));
}

TEST(Show, CutsLongLinesRoundTheCaretAndKeepsControlCharactersFromTheTerminal) {
  CompileRequest request;
  request.name = "k.cl";
  const std::string line = std::string(5000, 'a') + "\x1b[31m!" + std::string(5000, 'b');
  request.text = "#line 1 \"k.cl\"\n" + line + "\n";
  for (const int column : {1, 2, 100, 5006, 10000, static_cast<int>(line.size()), static_cast<int>(line.size()) + 1}) {
    SCOPED_TRACE(column);
    const std::vector<Diagnostic> diagnostics = parse_log("k.cl:1:" + std::to_string(column) + ": error: bad\n");
    const std::string text = show(diagnostics, request);
    EXPECT_LT(text.size(), 400u);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    const std::size_t shown = text.find('\n') + 1, caret = text.rfind('\n') + 1;
    const std::size_t at = text.find('^', caret) - caret;
    const std::string excerpt = text.substr(shown, caret - 1 - shown);
    if (static_cast<std::size_t>(column) > line.size())
      EXPECT_EQ(at, excerpt.size());
    else
      EXPECT_EQ(excerpt.at(at), line.at(static_cast<std::size_t>(column) - 1));
  }
}

TEST(Show, DoesNotMindLinesThatAreNotThere) {
  const std::vector<Diagnostic> d{{Diagnostic::Severity::error, "user.cl", 99, 5, "x"},
                                  {Diagnostic::Severity::error, "user.cl", 3, 99, "y"},
                                  {Diagnostic::Severity::error, "", 0, 0, "z"}};
  EXPECT_EQ(show(d, request()), "user.cl:99:5: error: x\nuser.cl:3:99: error: y\n  third\nuser.cl: error: z");
}

TEST(CompileError, FallsBackToTheFirstLineOfTheLog) {
  try {
    throw_compile_error("\nnvrtc: error: invalid value for --gpu-architecture (-arch)\n", request(), "sm_1");
  } catch (const CompileError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("user.cl: error: nvrtc: error: invalid value")) << error.what();
    EXPECT_TRUE(error.diagnostics().empty());
    return;
  }
  FAIL();
}

}  // namespace
}  // namespace rtcg
