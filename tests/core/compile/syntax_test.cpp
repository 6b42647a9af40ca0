#include "rtcg/compile/syntax.h"

#include "rtcg/error.h"

namespace rtcg::syntax {
namespace {

TEST(Syntax, PrintsEveryStatementIndented) {
  Function function{"f", {{"__global float*", "y"}, {"int", "n"}}, {}};
  function.body = {
      Comment{"two\nlines"},
      Declaration{"int", "i"},
      Declaration{"float", "s", "0.0f"},
      Line{"#pragma unroll"},
      For{"i = 0", "i < n", "i++", {Assign{"s", "s + y[i]"}, While{"s > 1.0f", {Assign{"s", "s * 0.5f"}}}}},
      If{"n == 0", {Return{}}},
      Blank{},
      Scope{{Expression{"barrier(CLK_LOCAL_MEM_FENCE)"}}},
      Assign{"y[0]", "s"},
  };
  EXPECT_EQ((Module{Line{"#define A 1"}, function}.text()),
            "#define A 1\n"
            "__kernel void f(__global float* y, int n) {\n"
            "  // two\n"
            "  // lines\n"
            "  int i;\n"
            "  float s = 0.0f;\n"
            "#pragma unroll\n"
            "  for (i = 0; i < n; i++) {\n"
            "    s = s + y[i];\n"
            "    while (s > 1.0f) {\n"
            "      s = s * 0.5f;\n"
            "    }\n"
            "  }\n"
            "  if (n == 0) {\n"
            "    return;\n"
            "  }\n"
            "\n"
            "  {\n"
            "    barrier(CLK_LOCAL_MEM_FENCE);\n"
            "  }\n"
            "  y[0] = s;\n"
            "}\n");
}

TEST(Syntax, ChainsElseIf) {
  const If last{"b", {Assign{"x", "2"}}, {Assign{"x", "3"}}};
  Function function{"f", {}, {If{"a", {Assign{"x", "1"}}, {last}}}, "int"};
  EXPECT_EQ(Module{function}.text(),
            "int f() {\n  if (a) {\n    x = 1;\n  } else if (b) {\n    x = 2;\n  } else {\n    x = 3;\n  }\n}\n");
}

TEST(Syntax, UnrollsALoop) {
  const Block body = unrolled(3, [](int k) { return Block{Assign{"y[" + std::to_string(k) + "]", "0"}}; });
  EXPECT_EQ((Module{Function{"f", {}, body, "void"}}.text()), "void f() {\n  y[0] = 0;\n  y[1] = 0;\n  y[2] = 0;\n}\n");
}

TEST(Syntax, ABlockCanBeAddedToItself) {
  Block block{Return{}};
  block.add(block).add(block);
  EXPECT_EQ(block.statements().size(), 4u);
}

TEST(Syntax, BreaksLongParameterListsUnderTheFirst) {
  Function function{"f", {}, {}};
  for (int i = 0; i < 6; ++i) function.parameters.push_back({"__global const float*", "parameter" + std::to_string(i)});
  const std::string text = Module{function}.text();
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 102u);
    begin = end + 1;
  }
  EXPECT_NE(text.find("\n" + std::string(16, ' ') + "__global"), std::string::npos) << text;
}

TEST(Syntax, RefusesNamesThatCannotBe) {
  EXPECT_THROW((Module{Function{"2f", {}, {}}}.text()), UsageError);
  EXPECT_THROW((Module{Function{"", {}, {}}}.text()), UsageError);
  EXPECT_THROW((Module{Function{"f", {{"int", "a b"}}, {}}}.text()), UsageError);
  EXPECT_THROW((Module{Function{"f", {{"int", "a"}, {"int", "a"}}, {}}}.text()), UsageError);
  EXPECT_THROW((Module{Function{"f", {}, {}}, Function{"f", {}, {}}}.text()), UsageError);
}

}  // namespace
}  // namespace rtcg::syntax
