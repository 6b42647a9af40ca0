// The code of docs/generating-kernels.md, compiled and run; tests/scripts/documents_test.py sees to it that the guide
// shows exactly this text.
#include <fmt/format.h>

#include <numeric>

#include "rtcg/compile/compiler.h"
#include "rtcg/compile/syntax.h"
#include "rtcg/compile/template.h"
#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg {
namespace {

// clang-format off
std::string add_by_substitution(const std::string& type, int group, int unroll) {
  std::string body;
  for (int k = 0; k < unroll; ++k)
    body += substitute("  z[i + ${offset}] = x[i + ${offset}] + y[i + ${offset}];\n",
                       {{"offset", std::to_string(k * group)}});
  return substitute(
      "__kernel void add(__global ${type}* z, __global const ${type}* x, __global const ${type}* y) {\n"
      "  const int i = get_group_id(0) * ${span} + get_local_id(0);\n"
      "${body}"
      "}\n",
      {{"type", type}, {"span", std::to_string(group * unroll)}, {"body", body}});
}

std::string add_by_template(const std::string& type, int group, int unroll) {
  return render(R"(
__kernel void add(__global {{ type }}* z, __global const {{ type }}* x, __global const {{ type }}* y) {
  const int i = get_group_id(0) * {{ group * unroll }} + get_local_id(0);
  {% for k in range(unroll) %}
  {% set offset = k * group %}
  z[i + {{ offset }}] = x[i + {{ offset }}] + y[i + {{ offset }}];
  {% endfor %}
}
)", {{"type", type}, {"group", group}, {"unroll", unroll}}, "add");
}

std::string add_by_syntax_tree(const std::string& type, int group, int unroll) {
  using namespace syntax;
  const std::string input = "__global const " + type + "*";
  Block body{Declaration{"const int", "i", fmt::format("get_group_id(0) * {} + get_local_id(0)", group * unroll)}};
  body.add(unrolled(unroll, [&](int k) {
    const std::string at = fmt::format("[i + {}]", k * group);
    return Block{Assign{"z" + at, "x" + at + " + y" + at}};
  }));
  return syntax::Module{Function{"add", {{"__global " + type + "*", "z"}, {input, "x"}, {input, "y"}}, body}}.text();
}

std::vector<float> add(const Device& device, const std::string& text, int group, int unroll,
                       const std::vector<float>& x, const std::vector<float>& y) {
  Stream stream{device};
  Kernel kernel = compile(device, Source{"add.cl", text}).kernel("add");
  Buffer z = Buffer::of<float>(stream, x.size());
  kernel(stream, Grid::of(x.size() / static_cast<std::size_t>(group * unroll), static_cast<std::size_t>(group)),
         z, Buffer::from(stream, x), Buffer::from(stream, y));
  return z.read<float>();
}
// clang-format on

using Style = std::string (*)(const std::string&, int, int);
constexpr Style styles[] = {add_by_substitution, add_by_template, add_by_syntax_tree};

class GeneratingKernels : public test::DeviceTest {};

TEST_P(GeneratingKernels, TheThreeStylesAddVectors) {
  constexpr int group = 32;
  std::vector<float> x(32 * 4 * 6), y(x.size()), sum(x.size());
  std::iota(x.begin(), x.end(), 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = 0.5f * static_cast<float>(i % 7), sum[i] = x[i] + y[i];
  for (const Style style : styles)
    for (const int unroll : {1, 3, 4})
      EXPECT_EQ(add(device(), style("float", group, unroll), group, unroll, x, y), sum);
}
RTCG_INSTANTIATE_FOR_DEVICES(GeneratingKernels);

TEST(GeneratingKernelsText, TheThreeStylesWriteTheSameStatements) {
  const auto without_blanks = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
  };
  const std::string first = without_blanks(add_by_substitution("double", 64, 5));
  EXPECT_NE(first.find("z[i+256]=x[i+256]+y[i+256];"), std::string::npos) << first;
  EXPECT_EQ(without_blanks(add_by_template("double", 64, 5)), first);
  EXPECT_EQ(without_blanks(add_by_syntax_tree("double", 64, 5)), first);
}

TEST(GeneratingKernelsText, TheGuidesErrorMessageIsTheOneGiven) {
  try {
    render("__kernel void add() {\n  {% for k in range(unrol) %}\n  {% endfor %}\n}\n", {{"unroll", 4}}, "add");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "add:2:21: 'unrol' has no value");
  }
}

}  // namespace
}  // namespace rtcg
