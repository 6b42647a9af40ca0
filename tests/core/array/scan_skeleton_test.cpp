#include "rtcg/array/scan_skeleton.h"

#include <fmt/format.h>

#include <numeric>
#include <random>

#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg {
namespace {

/// A body written by hand: one contiguous operand `x`, its element as the only result.
BodyText plain_body(const std::string& type, bool with_output) {
  BodyText body;
  body.parameters =
      fmt::format("global const {0}* x, {1}", type, with_output ? fmt::format("global {}* y, ", type) : "");
  body.functions = "typedef uint index_t;\n";
  body.declare_lanes =
      fmt::format("{0} in0_[SCAN_V];{1}", type, with_output ? fmt::format(" {} out0_[SCAN_V];", type) : "");
  body.load_run = "for (uint k = 0; k < SCAN_V; ++k) in0_[k] = x[i + k];";
  body.load_one = "in0_[k] = x[i];";
  body.compute = fmt::format("const {} v0_ = in0_[k];", type);
  if (with_output) {
    body.store_run = "for (uint k = 0; k < SCAN_V; ++k) y[i + k] = out0_[k];";
    body.store_one = "y[i] = out0_[k];";
  }
  body.results = {"v0_"};
  return body;
}

struct Affine {
  std::uint32_t a = 1, b = 0;
  friend bool operator==(const Affine&, const Affine&) = default;
};
/// First `f`, then `g`: not commutative, exact in wrapping integers.
Affine then(const Affine& f, const Affine& g) {
  return {g.a * f.a, g.a * f.b + g.b};
}
constexpr const char* affine_text = R"(
typedef struct { uint a, b; } affine;
static inline affine then(const affine f, const affine g) {
  affine h;
  h.a = g.a * f.a;
  h.b = g.a * f.b + g.b;
  return h;
}
static inline affine identity(void) {
  affine one;
  one.a = 1;
  one.b = 0;
  return one;
}
)";

class ScanSkeletonTest : public test::DeviceTest {
 protected:
  std::vector<ScanLoop> loops() const {
    std::vector<ScanLoop> loops{ScanLoop::chunks, ScanLoop::groups};
    if (device().properties().backend == Backend::cuda) loops.push_back(ScanLoop::lookback);
    return loops;
  }
  template <class T>
  std::vector<T> run(ScanLoop loop, const std::vector<T>& x, const BodyText& body, const ScanText& text,
                     unsigned lanes = 4) const {
    const Stream stream = this->stream();
    const Buffer in = Buffer::from(stream, x), out = Buffer::of<T>(stream, std::max<std::size_t>(x.size(), 1));
    const Argument arguments[] = {{in.argument(), {ScalarType::unknown, 1, ArgumentSpace::buffer, 0}},
                                  {out.argument(), {ScalarType::unknown, 1, ArgumentSpace::buffer, 0}}};
    run_scan(stream, loop, text,
             {x.size(), lanes, body.functions + body.declare_lanes, [&] { return body; }, arguments});
    std::vector<T> y(x.size());
    if (!y.empty()) out.read(y.data(), y.size() * sizeof(T));
    return y;
  }
};

ScanText affine_scan() {
  ScanText text;
  text.functions = "";
  text.value_type = "affine", text.value_bytes = 8;
  text.value = "v0_", text.combine = "then(a, b)", text.neutral = "identity()";
  text.output = "out0_[k] = item;";
  return text;
}

std::vector<Affine> random_maps(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<Affine> x(n);
  for (Affine& f : x) f = {static_cast<std::uint32_t>(random()) | 1u, static_cast<std::uint32_t>(random())};
  return x;
}

const std::size_t sizes[] = {1, 2, 3, 5, 255, 1023, 2047, 2048, 2049, 4097, 8191, 8192, 8193, 40001, 300007};

TEST_P(ScanSkeletonTest, CombinesInOrderForEverySize) {
  BodyText body = plain_body("affine", true);
  body.functions += affine_text;
  for (const ScanLoop loop : loops())
    for (const std::size_t n : sizes) {
      SCOPED_TRACE(fmt::format("loop {} n {}", static_cast<int>(loop), n));
      const auto x = random_maps(n);
      std::vector<Affine> expected(n);
      std::inclusive_scan(x.begin(), x.end(), expected.begin(), then);
      EXPECT_TRUE(run(loop, x, body, affine_scan()) == expected);
    }
}

TEST_P(ScanSkeletonTest, ExclusiveAndBackward) {
  BodyText body = plain_body("affine", true);
  body.functions += affine_text;
  ScanText exclusive = affine_scan(), backward = affine_scan();
  exclusive.output = "out0_[k] = prev_item;";
  backward.backward = true;
  for (const ScanLoop loop : loops())
    for (const std::size_t n : sizes) {
      SCOPED_TRACE(fmt::format("loop {} n {}", static_cast<int>(loop), n));
      const auto x = random_maps(n);
      std::vector<Affine> expected(n);
      std::exclusive_scan(x.begin(), x.end(), expected.begin(), Affine{}, then);
      EXPECT_TRUE(run(loop, x, body, exclusive) == expected);
      std::inclusive_scan(x.rbegin(), x.rend(), expected.rbegin(), then);
      EXPECT_TRUE(run(loop, x, body, backward) == expected);
    }
}

TEST_P(ScanSkeletonTest, SegmentsStartAnew) {
  BodyText body = plain_body("affine", true);
  body.functions += affine_text;
  for (const bool backward : {false, true}) {
    const bool exclusive = backward;
    ScanText text = affine_scan();
    text.backward = backward;
    text.segment_start = "v0_.b % 37 == 0";
    text.output = exclusive ? "out0_[k] = prev_item;" : "out0_[k] = item;";
    for (const ScanLoop loop : loops())
      for (const std::size_t n : {std::size_t{1}, std::size_t{4097}, std::size_t{50001}}) {
        SCOPED_TRACE(
            fmt::format("loop {} n {} backward {} exclusive {}", static_cast<int>(loop), n, backward, exclusive));
        const auto x = random_maps(n);
        std::vector<Affine> expected(n);
        Affine sum;
        for (std::size_t p = 0; p < n; ++p) {
          const std::size_t i = backward ? n - 1 - p : p;
          if (x[i].b % 37 == 0) sum = Affine{};
          if (exclusive) expected[i] = sum;
          sum = then(sum, x[i]);
          if (!exclusive) expected[i] = sum;
        }
        EXPECT_TRUE(run(loop, x, body, text) == expected);
      }
  }
}

TEST_P(ScanSkeletonTest, LanesAndValuesOfEveryWidth) {
  for (const ScanLoop loop : loops())
    for (const unsigned lanes : {1u, 16u}) {
      SCOPED_TRACE(fmt::format("loop {} lanes {}", static_cast<int>(loop), lanes));
      std::vector<std::uint8_t> x(30011);
      std::iota(x.begin(), x.end(), std::uint8_t{3});
      std::vector<std::uint8_t> expected(x.size());
      std::inclusive_scan(x.begin(), x.end(), expected.begin());
      ScanText text;
      text.value_type = "uchar", text.value_bytes = 1, text.value = "v0_", text.combine = "a + b", text.neutral = "0";
      text.output = "out0_[k] = item;";
      EXPECT_EQ(run(loop, x, plain_body("uchar", true), text, lanes), expected);
    }
}

TEST_P(ScanSkeletonTest, RealSumsRepeatToTheBit) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> x(200003);
  for (float& v : x) v = uniform(random);
  std::vector<double> expected(x.begin(), x.end());
  std::inclusive_scan(expected.begin(), expected.end(), expected.begin());
  ScanText text;
  text.value_type = "float", text.value_bytes = 4, text.value = "v0_", text.combine = "a + b", text.neutral = "0.0f";
  text.output = "out0_[k] = item;";
  for (const ScanLoop loop : loops()) {
    const auto first = run(loop, x, plain_body("float", true), text);
    for (int again = 0; again < 5; ++again) EXPECT_EQ(run(loop, x, plain_body("float", true), text), first);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(first[i], expected[i], 0.01) << i;
  }
}

TEST_P(ScanSkeletonTest, OutputStatementScattersAndSeesTheLastItem) {
  const Stream stream = this->stream();
  std::vector<std::uint32_t> x(70001);
  std::mt19937 random(9);
  for (auto& v : x) v = static_cast<std::uint32_t>(random());
  std::vector<std::uint32_t> expected;
  for (const auto v : x)
    if (v % 3 == 0) expected.push_back(v);
  ScanText text;
  text.value_type = "uint", text.value_bytes = 4, text.value = "v0_ % 3 == 0 ? 1u : 0u", text.combine = "a + b";
  text.neutral = "0u", text.parameters = "global uint* kept, global uint* count, ";
  text.carried = {{"uint", "own", "v0_"}};
  text.output = "if (item != prev_item) kept[prev_item] = own; if (i == N - 1) *count = last_item;";
  for (const ScanLoop loop : loops()) {
    const Buffer in = Buffer::from(stream, x), kept = Buffer::of<std::uint32_t>(stream, x.size()),
                 count = Buffer::of<std::uint32_t>(stream, 1);
    const ArgumentType buffer{ScalarType::u32, 1, ArgumentSpace::buffer, 0};
    const Argument body[] = {{in.argument(), buffer}},
                   outputs[] = {{kept.argument(), buffer}, {count.argument(), buffer}};
    run_scan(stream, loop, text, {x.size(), 4, "uint", [] { return plain_body("uint", false); }, body}, outputs);
    ASSERT_EQ(count.read<std::uint32_t>()[0], expected.size());
    auto values = kept.read<std::uint32_t>();
    values.resize(expected.size());
    EXPECT_EQ(values, expected);
  }
}

TEST(ScanSource, EveryLoopCompilesForCuda) {
  if (cuda_architectures().empty()) GTEST_SKIP() << "no NVRTC";
  DeviceProperties gpu;
  gpu.kind = DeviceKind::gpu, gpu.backend = Backend::cuda, gpu.compute_units = 132, gpu.max_work_group = 1024;
  BodyText body = plain_body("affine", true);
  body.functions += affine_text;
  for (const ScanLoop loop : {ScanLoop::lookback, ScanLoop::groups, ScanLoop::chunks})
    for (const bool special : {false, true}) {
      ScanText text = affine_scan();
      text.carried = {{"uint", "own", "v0_.a"}};
      text.backward = special;
      if (special) text.segment_start = "v0_.b == 0";
      for (const unsigned lanes : {2u, 16u}) {
        const ScanPlan plan = plan_scan(loop, gpu, 1 << 20, lanes, text);
        EXPECT_NO_THROW(check_cuda(scan_source(plan, body, text), "sm_90"));
      }
    }
  ScanText selection;
  selection.value_type = "uint", selection.value_bytes = 4, selection.combine = "a + b", selection.neutral = "0";
  selection.value = "v0_ > 3",
  selection.parameters = "global float* r0, global half* r1, global ulong* selected_total, ";
  selection.selected = {{Dtype::f32, "v0_", "r0"}, {Dtype::f16, "v0_", "r1"}};
  selection.finish = "*selected_total = last_count;";
  for (const ScanLoop loop : {ScanLoop::lookback, ScanLoop::groups, ScanLoop::chunks}) {
    const ScanPlan plan = plan_scan(loop, gpu, 1 << 20, 4, selection);
    EXPECT_NO_THROW(check_cuda(scan_source(plan, plain_body("float", false), selection), "sm_80"));
  }
}

RTCG_INSTANTIATE_FOR_DEVICES(ScanSkeletonTest);

}  // namespace
}  // namespace rtcg
