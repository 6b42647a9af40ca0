// Variants of the filterbank for GPUs against sums in 64-bit integers: random shapes, each with random configurations
// of its tuning space. On a CPU the loop shape of GPUs is forced, so that the portable ones run everywhere.
#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "rtcg/array/loop_shape.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "support/described_device.h"
#include "support/devices.h"
#include "vision/filterbank.h"
#include "vision/filterbank_tuning.h"
#include "vision/host_filterbank.h"

namespace rtcg::vision {
namespace {

using test::host_filterbank;

class FilterbankVariantsTest : public rtcg::test::DeviceTest {
 protected:
  void SetUp() override { force_loop_shape(LoopShape::gpu); }
  void TearDown() override { force_loop_shape(std::nullopt); }
  bool on_gpu() const { return device().properties().kind == DeviceKind::gpu; }
};
RTCG_INSTANTIATE_FOR_DEVICES(FilterbankVariantsTest);

std::vector<float> integers(std::mt19937_64& random, std::size_t count) {
  std::vector<float> values(count);
  for (float& x : values) x = static_cast<float>(static_cast<int>(random() % 9) - 4);
  return values;
}

FilterbankShape random_shape(std::mt19937_64& random) {
  const auto upto = [&](std::size_t most) { return 1 + random() % most; };
  FilterbankShape shape;
  shape.images = upto(3), shape.channels = upto(9), shape.filters = upto(random() % 3 == 0 ? 40 : 9);
  shape.filter_height = upto(random() % 4 == 0 ? 17 : 6), shape.filter_width = upto(random() % 4 == 0 ? 23 : 7);
  shape.stride_y = upto(random() % 3 == 0 ? 3 : 1), shape.stride_x = upto(random() % 3 == 0 ? 3 : 1);
  shape.height = shape.filter_height + random() % 40, shape.width = shape.filter_width + random() % 70;
  shape.border = static_cast<Border>(random() % 5);
  return shape;
}

std::vector<std::int64_t> dims(std::initializer_list<std::size_t> extents) {
  return {extents.begin(), extents.end()};
}

void expect_exact(const Stream& stream, const FilterbankShape& shape, const Configuration& choice,
                  std::mt19937_64& random, Precision allow = Precision::exact) {
  const auto images = integers(random, shape.images * shape.height * shape.width * shape.channels);
  const auto weights = integers(random, shape.filters * shape.filter_height * shape.filter_width * shape.channels);
  Filterbank filterbank(
      stream,
      Array::from(stream, weights,
                  Shape(dims({shape.filters, shape.filter_height, shape.filter_width, shape.channels}))),
      {.stride_y = shape.stride_y, .stride_x = shape.stride_x, .border = shape.border, .allow = allow});
  filterbank.use(choice);
  const Array responses =
      filterbank(Array::from(stream, images, Shape(dims({shape.images, shape.height, shape.width, shape.channels}))));
  const auto sums = host_filterbank<std::int64_t>(shape, images, weights);
  ASSERT_EQ(responses.to_vector<float>(), std::vector<float>(sums.begin(), sums.end()))
      << shape.text() << " stride " << shape.stride_y << " x " << shape.stride_x << ", " << name_of(shape.border)
      << ": " << choice.text();
}

/// A configuration with this kernel; the kernel's own parameters are drawn until they go together.
/// PoCL needs seconds for a long unrolled body, so that `most_unrolled` multiply-adds are enough there.
Configuration choose(const ParameterSpace& space, const std::string& kernel, std::mt19937_64& random,
                     std::size_t filter_width, std::size_t most_unrolled) {
  Configuration choice = space.standard();
  choice.set("kernel", kernel);
  for (int k = 0; k < 1000; ++k) {
    Configuration drawn = choice;
    for (const ParameterSpace::Parameter& parameter : space.parameters())
      if (parameter.name.starts_with(kernel + "."))
        drawn.set(parameter.name, parameter.values[random() % parameter.values.size()]);
    const bool is_short =
        kernel != "staged" ||
        filter_width * static_cast<std::size_t>(drawn.integer("staged.columns") * drawn.integer("staged.rows") *
                                                drawn.integer("staged.filters")) <=
            most_unrolled;
    if (is_short && space.objection(drawn).empty()) return drawn;
  }
  return choice;
}

std::vector<std::string> kernels(const ParameterSpace& space) {
  std::vector<std::string> names;
  for (const ParameterValue& value : space.parameters().front().values) names.push_back(std::get<std::string>(value));
  return names;
}

struct Case {
  FilterbankShape shape;
  Configuration choice;
  Precision allow = Precision::exact;
};

/// Compiles all of them on all cores, then runs one after the other.
void expect_all_exact(const Stream& stream, const std::vector<Case>& cases, std::mt19937_64& random) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t)
    threads.emplace_back([&] {
      for (std::size_t k = next++; k < cases.size(); k = next++) {
        const FilterbankProblem problem{cases[k].shape, {}, cases[k].allow};
        try {
          compile(stream.device(),
                  filterbank_kernel(cases[k].choice.word("kernel")).source(stream.device(), problem, cases[k].choice));
        } catch (const Error&) {  // comes again, and counts, when it runs
        }
      }
    });
  threads.clear();
  for (const Case& one : cases) {
    expect_exact(stream, one.shape, one.choice, random, one.allow);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_P(FilterbankVariantsTest, RandomVariantsOfRandomShapesEqualIntegerSums) {
  std::mt19937_64 random(20);
  std::vector<Case> cases;
  const int shapes = !on_gpu() ? 5 : device().properties().backend == Backend::cuda ? 120 : 20;
  for (int k = 0; k < shapes; ++k) {
    const FilterbankShape shape = random_shape(random);
    const ParameterSpace space = filterbank::space(device(), {shape, {}});
    for (const std::string& kernel : kernels(space)) {
      if (kernel == "direct" && !on_gpu()) continue;  // tested by filterbank_test.cpp
      cases.push_back({shape, choose(space, kernel, random, shape.filter_width, on_gpu() ? 100000 : 100)});
    }
  }
  expect_all_exact(stream(), cases, random);
}

TEST_P(FilterbankVariantsTest, TensorCoresAreExactOnIntegersThatTheirFactorsHold) {
  std::mt19937_64 random(22);
  std::vector<Case> cases;
  for (int k = 0; k < 60; ++k) {
    const FilterbankShape shape = random_shape(random);
    const Precision allow = k % 2 == 0 ? Precision::tf32 : Precision::fp16;
    const ParameterSpace space = filterbank::space(device(), {shape, {}, allow});
    const std::vector<std::string> names = kernels(space);
    if (std::find(names.begin(), names.end(), "tensor") != names.end())
      cases.push_back({shape, choose(space, "tensor", random, shape.filter_width, 0), allow});
  }
  if (cases.empty()) GTEST_SKIP() << device().properties().name << " has no tensor cores that are used here";
  EXPECT_GT(cases.size(), 45u);
  expect_all_exact(stream(), cases, random);
}

TEST(FilterbankVariants, CompileForCudaWhereverTheyServe) {
  for (const std::string& architecture : cuda_architectures()) {
    if (architecture != "sm_80" && architecture != "sm_90") continue;
    std::mt19937_64 random(23);
    const Device device = rtcg::test::described_cuda_device(architecture);
    for (int k = 0; k < 6; ++k) {
      const FilterbankProblem problem{random_shape(random), {}, static_cast<Precision>(k % 3)};
      const ParameterSpace space = filterbank::space(device, problem);
      for (const std::string& kernel : kernels(space)) {
        const Configuration choice = choose(space, kernel, random, problem.shape.filter_width, 100);
        EXPECT_NO_THROW(check_cuda(filterbank_kernel(kernel).source(device, problem, choice), architecture))
            << problem.shape.text() << ": " << choice.text();
      }
    }
  }
}

TEST(FilterbankVariants, UseTensorCoresOnlyWhereTheyAreAllowed) {
  const Device device = rtcg::test::described_cuda_device("sm_90");
  const FilterbankShape shape = parse_shape("64x64x8", "16x5x5x8");
  EXPECT_EQ(filterbank::space(device, {shape, {}, Precision::exact}).standard().word("kernel"), "staged");
  const ParameterSpace tf32 = filterbank::space(device, {shape, {}, Precision::tf32});
  EXPECT_EQ(tf32.standard().word("kernel"), "tensor");
  EXPECT_EQ(tf32.standard().word("tensor.factors"), "tf32");
  EXPECT_EQ(filterbank::space(device, {shape, {}, Precision::fp16}).standard().word("tensor.factors"), "fp16");
  EXPECT_EQ(
      filterbank::space(device, {parse_shape("64x64x8", "1x5x5x8"), {}, Precision::tf32}).standard().word("kernel"),
      "staged");
}

TEST_P(FilterbankVariantsTest, TheDefaultServesTallWideAndDeepFilters) {
  std::mt19937_64 random(21);
  const Stream on = stream();
  for (const auto& [channels, filters, height, width] :
       {std::array<std::size_t, 4>{1, 3, 90, 5}, {1, 2, 5, 120}, {70, 5, 3, 3}, {1, 24, 21, 21}, {3, 1, 1, 1}}) {
    const FilterbankShape shape{.images = 1,
                                .height = height + 9,
                                .width = width + 13,
                                .channels = channels,
                                .filters = filters,
                                .filter_height = height,
                                .filter_width = width};
    expect_exact(on, shape, filterbank::space(device(), {shape, {}}).standard(), random);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace rtcg::vision
