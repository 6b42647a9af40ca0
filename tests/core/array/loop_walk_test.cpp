// How fused loops walk their operands, in both loop shapes, against the same formula element by element.
#include <limits>
#include <random>

#include "rtcg/array/expression.h"
#include "support/loops.h"

namespace rtcg {
namespace {

class LoopWalkTest : public test::LoopTest {
 protected:
  Array random(const Shape& shape) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
    for (float& value : values) value = uniform(generator_);
    return Array::from(stream, values, shape);
  }

  /// 3 a + b at every place of two views of one shape, read through their own copies.
  void expect_sum(const Array& a, const Array& b, const Array& target) {
    target.assign(3.0f * a + b);
    const std::vector<float> u = a.copy().to_vector<float>(), v = b.copy().to_vector<float>(),
                             sum = target.copy().to_vector<float>();
    ASSERT_EQ(u.size(), sum.size());
    for (std::size_t i = 0; i < u.size(); ++i)
      // A device may round 3 a + b once or twice.
      ASSERT_NEAR(3.0f * u[i] + v[i], sum[i], 4 * std::numeric_limits<float>::epsilon()) << "element " << i;
  }

  std::mt19937 generator_{7};
};

TEST_P(LoopWalkTest, InnerWindowsThatAreNotAligned) {
  for (const std::int64_t side : {3, 8, 37, 300}) {
    const Array a = random({side + 2, side + 2}), b = random({side + 2, side + 2}),
                target = random({side + 2, side + 2});
    const std::vector<float> before = target.to_vector<float>();
    const Slice inner{1, -1}, low{0, -2}, high{2, {}};
    expect_sum(a(low, inner), b(inner, high), target(inner, inner));
    // The edge stays.
    const std::vector<float> after = target.to_vector<float>();
    for (std::int64_t i = 0; i < side + 2; ++i) {
      EXPECT_EQ(after[static_cast<std::size_t>(i)], before[static_cast<std::size_t>(i)]);
      EXPECT_EQ(after[static_cast<std::size_t>(i * (side + 2))], before[static_cast<std::size_t>(i * (side + 2))]);
    }
  }
}

TEST_P(LoopWalkTest, WindowsRowsApartOfLargeArrays) {
  // Large enough to be walked down the columns on a GPU; rows that are and are not a multiple of what an item takes.
  const std::int64_t units = stream.device().properties().compute_units, width = 1001;
  const std::int64_t height = std::max<std::int64_t>(24, 8192 * units / width + 1), rows = height / 8 * 8;
  for (const std::int64_t tall : {rows + 8, rows + 11}) {
    const Array a = random({tall + 2, width + 1});
    const Array target = random({tall, 2 * width})(all_of, Slice{1, {}, 2}), line = random({width});
    const Slice columns{1, {}};
    expect_sum(a(Slice{0, -2}, columns), a(Slice{2, {}}, columns), target);
    const Array up = a(Slice{0, -2}, columns), down = a(Slice{2, {}}, Slice{0, -1}), whole = random({tall, width});
    const Expression row = index_along({tall, width}, 0).astype(Dtype::f32);
    target.assign(up - down + whole * line + row);
    const std::vector<float> u = up.copy().to_vector<float>(), d = down.copy().to_vector<float>(),
                             w = whole.to_vector<float>(), l = line.to_vector<float>(),
                             found = target.copy().to_vector<float>();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t y = i / static_cast<std::size_t>(width), x = i % static_cast<std::size_t>(width);
      ASSERT_NEAR(found[i], u[i] - d[i] + w[i] * l[x] + static_cast<float>(y), 1e-6F * (4 + static_cast<float>(y)))
          << "row " << y << ", column " << x << " of " << tall;
    }
  }
  const std::int64_t planes = 3, tall = std::max<std::int64_t>(21, height / 3);
  const Array cube = random({planes, tall + 4, width + 4}), target = random({planes, tall, width});
  const auto window = [&](std::int64_t y, std::int64_t x) {
    return cube(all_of, Slice{y, tall + y}, Slice{x, width + x});
  };
  expect_sum(window(0, 1), window(3, 2), target);
  expect_sum(window(4, 0), window(1, 4).flip(0), target.flip(0));
  const Array doubles = cube.astype(Dtype::f64);
  const Array sum =
      doubles(all_of, Slice{0, tall}, Slice{1, width + 1}) + doubles(all_of, Slice{2, tall + 2}, Slice{3, width + 3});
  const std::vector<double> found = sum.to_vector<double>();
  const std::vector<float> first = window(0, 1).copy().to_vector<float>(),
                           second = window(2, 3).copy().to_vector<float>();
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], static_cast<double>(first[i]) + second[i]) << i;
}

TEST_P(LoopWalkTest, StepsReversalsTransposesAndBroadcasts) {
  const Array a = random({7, 5, 33}), b = random({33, 7, 5}), row = random({1, 5, 1}), target = random({7, 5, 33});
  expect_sum(a.flip(2), b.transpose({1, 2, 0}), target);
  expect_sum(a, row.broadcast_to({7, 5, 33}), target.flip(0));
  expect_sum(a(all_of, all_of, Slice{1, {}, 3}), b.transpose({1, 2, 0})(all_of, all_of, Slice{{}, {}, 3}),
             target(all_of, all_of, Slice{2, {}, 3}));
  const Array line = random({1001});
  expect_sum(line(Slice{1, {}}), line(Slice{0, -1}), random({2000})(Slice{{}, {}, 2}));
}

TEST_P(LoopWalkTest, ExtentsAroundPowersOfTwoAreDividedExactly) {
  for (const std::int64_t extent : {2, 3, 4, 5, 63, 64, 65, 127, 129, 1023, 1025}) {
    // Positions alone: every coordinate of the loop shows in the result.
    const Array grid = Array::empty(stream, {extent, 3, extent + 1}, Dtype::i64);
    grid(all_of, all_of, Slice{1, {}})
        .assign(1000000 * index_along({extent, 3, extent}, 0) + 10000 * index_along({extent, 3, extent}, 1) +
                index_along({extent, 3, extent}, 2));
    if (extent > 200) continue;  // launched, so that the largest divisors compile; read back where that is quick
    const std::vector<std::int64_t> values = grid(all_of, all_of, Slice{1, {}}).copy().to_vector<std::int64_t>();
    std::size_t at = 0;
    for (std::int64_t i = 0; i < extent; ++i)
      for (std::int64_t j = 0; j < 3; ++j)
        for (std::int64_t k = 0; k < extent; ++k) ASSERT_EQ(values[at++], 1000000 * i + 10000 * j + k);
  }
}

TEST_P(LoopWalkTest, ManyScalarsOfManyTypesTravelInOneStructure) {
  const Array x = random({777});
  Expression sum = x.astype(Dtype::f64);
  double added = 0;
  for (int k = 0; k < 6; ++k) {
    sum = sum + Expression(Scalar(static_cast<float>(k) + 0.5f), false) +
          Expression(Scalar(static_cast<std::int8_t>(k - 9)), false) + Expression(Scalar(0.125 * k), false) +
          Expression(Scalar(static_cast<std::uint16_t>(3 * k)), false);
    added += k + 0.5 + (k - 9) + 0.125 * k + 3 * k;
  }
  const std::vector<double> values = Array(sum).to_vector<double>();
  const std::vector<float> start = x.to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], start[i] + added, 1e-12) << i;
}

TEST_P(LoopWalkTest, GathersOfNeighbours) {
  const Array x = random({5000});
  const std::vector<float> values = x.to_vector<float>();
  const std::vector<float> sums = Array(take(x, (indices({5000}) + 3) % 5000) - x).to_vector<float>();
  for (std::size_t i = 0; i < 5000; ++i) ASSERT_EQ(sums[i], values[(i + 3) % 5000] - values[i]) << i;
}

RTCG_INSTANTIATE_FOR_LOOPS(LoopWalkTest);

}  // namespace
}  // namespace rtcg
