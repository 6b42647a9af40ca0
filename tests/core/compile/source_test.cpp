#include "rtcg/compile/source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "rtcg/error.h"

namespace rtcg {
namespace {

// Reads what a C compiler would read of a literal without integer suffix and parentheses.
double value_of(std::string literal) {
  std::erase_if(literal, [](char c) { return c == '(' || c == ')'; });
  return std::strtod(literal.c_str(), nullptr);
}

TEST(Source, RealLiteralsReadBackToTheSameBits) {
  for (const float value : {0.1f, 1.0f / 3, 3.0f, -2.5f, 1e-45f, std::numeric_limits<float>::max(), -0.0f}) {
    const std::string literal = Source::literal(value);
    EXPECT_EQ(static_cast<float>(value_of(literal)), value) << literal;
    EXPECT_EQ(std::signbit(value_of(literal)), std::signbit(value)) << literal;
    EXPECT_NE(literal.find('f', literal.find('p')), std::string::npos) << literal;
  }
  for (const double value : {0.1, 1.0 / 3, -1e308, 5e-324}) EXPECT_EQ(value_of(Source::literal(value)), value);
}

TEST(Source, LiteralsThatAreNotFiniteUseTheKernelLanguagesWords) {
  EXPECT_EQ(Source::literal(std::numeric_limits<float>::infinity()), "INFINITY");
  EXPECT_EQ(Source::literal(-std::numeric_limits<double>::infinity()), "(-INFINITY)");
  EXPECT_EQ(Source::literal(std::nan("")), "NAN");
}

TEST(Source, IntegerLiteralsHaveTheSuffixTheirValueNeeds) {
  EXPECT_EQ(Source::literal(7), "7");
  EXPECT_EQ(Source::literal(7u), "7u");
  EXPECT_EQ(Source::literal(std::size_t{7}), "7u");
  EXPECT_EQ(Source::literal(std::size_t{1} << 40), "1099511627776ul");
  EXPECT_EQ(Source::literal(-(1ll << 40)), "(-1099511627776l)");
  EXPECT_EQ(Source::literal(std::numeric_limits<int>::min()), "(-2147483647 - 1)");
  EXPECT_EQ(Source::literal(std::numeric_limits<long long>::min()), "(-9223372036854775807l - 1)");
}

TEST(Source, DefinesMustBeIdentifiersOfOneLine) {
  Source source("a.cl", "");
  EXPECT_THROW(source.define("2x", "1"), UsageError);
  EXPECT_THROW(source.define("", "1"), UsageError);
  EXPECT_THROW(source.define("x", "1\n#error"), UsageError);
  EXPECT_THROW(source.define("x", "1\r#error"), UsageError);
  EXPECT_THROW(source.define("x", std::string("1\0", 2)), UsageError);
  EXPECT_THROW(source.option(std::string("-DX=1\0-w", 8)), UsageError);
  EXPECT_THROW(source.define("f(a\n)", "1"), UsageError);
  EXPECT_THROW(source.define("x", "1 \\"), UsageError);  // would take in the define after it
  EXPECT_THROW(source.define("x", "1 \\ \t"), UsageError);
  EXPECT_NO_THROW(source.define("square(x)", "((x) * (x))"));
  EXPECT_THROW(Source("", "text"), UsageError);
}

TEST(Source, FileKnowsItsDialectAndSearchesItsOwnDirectory) {
  const auto directory = std::filesystem::temp_directory_path() / ("rtcg_source_test_" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "a.cu") << "text";
  const Source source = Source::file(directory / "a.cu");
  EXPECT_EQ(source.dialect(), Dialect::cuda);
  EXPECT_EQ(source.text(), "text");
  EXPECT_EQ(source.include_directories(), std::vector<std::filesystem::path>{directory});
  EXPECT_THROW(Source::file(directory / "missing.cl"), InputError);
  EXPECT_THROW(Source::file(directory), InputError);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace rtcg
