// The code of docs/primitives.md, compiled and run; tests/scripts/documents_test.py sees to it that the guide shows
// exactly this text.
#include <gtest/gtest.h>

#include "rtcg/array/primitives.h"
#include "rtcg/array/segmented.h"
#include "support/devices.h"

namespace rtcg {
namespace {

class PrimitivesGuide : public test::DeviceTest {};

// clang-format off
Expression spmv(const Array& row_starts, const Array& columns, const Array& values, const Array& x) {
  return segmented_reduce(plus, map("a * b", values, gather(x, columns)), row_starts);
}

Expression softmax_of_rows(const Array& row_starts, const Array& x) {
  Expression e = exp(x);
  return segmented_map("a / b", row_starts, zip(e), zip(segmented_reduce(plus, e, row_starts)));
}

Array radix_sort(Array keys) {
  for (int place = 0; place < 32; ++place) {
    Expression bit = keys >> place & 1;
    Expression ones = scan(plus, bit), zeros = keys.size() - gather(ones, keys.size() - 1);
    keys = permute(keys, where(bit, zeros + ones - 1, positions(keys) - ones));
  }
  return keys;
}

Array escape_times(const Stream& stream, int side, int limit) {
  const Function escape{R"(int escape(float x, float y, int limit) {
    float u = 0, v = 0;
    int n = 0;
    for (; n < limit && u * u + v * v <= 4; ++n) {
      const float t = u * u - v * v + x;
      v = 2 * u * v + y, u = t;
    }
    return n;
  })"};
  auto coordinate = [&](int axis) { return map("(float)a * (3.0f / b) - 2", index_along({side, side}, axis), side); };
  return map(escape, coordinate(1), coordinate(0), limit).evaluate(stream);
}
// clang-format on

// As the guide shows it.
constexpr const char* plan_of_softmax =
    " 1  phase: t0 = segmented_reduce +(exp(x0), x1), float32 (3,)\n"
    " 2  phase: t1 = row_of_each(x1), int32 (3,)\n"
    " 3  kernel: float32 (3,) = (exp(x0) / t0[t1])\n";

TEST_P(PrimitivesGuide, DoesWhatItSays) {
  const Stream stream = this->stream();
  const Array row_starts = Array::from<int>(stream, {0, 2, 2, 3}), columns = Array::from<int>(stream, {0, 2, 1});
  const Array values = Array::from<float>(stream, {2, 1, 5}), x = Array::from<float>(stream, {1, 10, 100});
  EXPECT_EQ(spmv(row_starts, columns, values, x).evaluate().to_vector<float>(), (std::vector<float>{102, 0, 50}));

  const Expression softmax = softmax_of_rows(row_starts, values);
  EXPECT_EQ(softmax.explain(), plan_of_softmax);
  const std::vector<float> p = softmax.evaluate().to_vector<float>();
  EXPECT_NEAR(p[0], 0.7310586f, 1e-6);
  EXPECT_NEAR(p[1], 0.2689414f, 1e-6);
  EXPECT_EQ(p[2], 1);

  const std::vector<std::uint32_t> keys{7, 4000000000u, 0, 7, 65536, 3};
  EXPECT_EQ(radix_sort(Array::from(stream, keys)).to_vector<std::uint32_t>(),
            (std::vector<std::uint32_t>{0, 3, 7, 7, 65536, 4000000000u}));

  const std::vector<std::int32_t> times = escape_times(stream, 3, 50).to_vector<std::int32_t>();
  // c = -2 - 2i, -1 - 2i, -2i; -2 - i, -1 - i, -i; -2, -1, 0.
  EXPECT_EQ(times[0], 1);
  EXPECT_EQ(times[5], 50);
  EXPECT_EQ(times[8], 50);
}

RTCG_INSTANTIATE_FOR_DEVICES(PrimitivesGuide);

}  // namespace
}  // namespace rtcg
