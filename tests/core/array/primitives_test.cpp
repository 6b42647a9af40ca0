// Primitives against loops on the host, and the table of edge cases of docs/primitives.md row by row.
#include "rtcg/array/primitives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "rtcg/array/loop_shape.h"
#include "rtcg/array/segmented.h"
#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Each test runs with both loop shapes.
class Primitives : public test::DeviceTest {
 protected:
  template <class T>
  Array array(const std::vector<T>& values) {
    if (!stream_) stream_ = stream();
    return Array::from(*stream_, values);
  }
  template <class T = float>
  std::vector<T> values(const Expression& e) {
    if (!stream_) stream_ = stream();
    return e.evaluate(*stream_).to_vector<T>();
  }
  template <class F>
  void both_shapes(F&& f) {
    for (const LoopShape shape : {LoopShape::cpu, LoopShape::gpu}) {
      force_loop_shape(shape);
      f();
    }
    force_loop_shape({});
  }
  std::optional<Stream> stream_;
};

TEST_P(Primitives, MapTakesFormulasCallablesAndFunctions) {
  const Array x = array(Floats{1, 2, 3}), y = array(Floats{10, 20, 30});
  const Floats expected{12, 24, 36};
  both_shapes([&] {
    EXPECT_EQ(values(map("2 * a + b", x, y)), expected);
    EXPECT_EQ(values(map("(u, v) -> 2 * u + v", x, y)), expected);
    EXPECT_EQ(values(map([](const Expression& u, const Expression& v) { return 2 * u + v; }, x, y)), expected);
    EXPECT_EQ(values(map(Function("float f(float u, float v) { return 2 * u + v; }"), x, y)), expected);
    EXPECT_EQ(values(map("a + b", zip(map("2 * a", x), y))), expected);
    EXPECT_EQ(values(map("a * b", x, 3)), (Floats{3, 6, 9}));
  });
  EXPECT_EQ(message_of([&] { map("a + b", x, array(Floats{1})); }), "map: shapes (3,) and (1,); they must be the same");
  EXPECT_EQ(message_of([&] { zip(x, array(Floats{1, 2})); }), "zip: shapes (3,) and (2,); they must be the same");
}

TEST_P(Primitives, FunctionsLoopAndCheckTheirArguments) {
  const Function collatz(
      "static int halve(int n) { return n / 2; }\n"
      "int collatz(int n, int most) {\n  int turns = 0;\n"
      "  while (n != 1 && turns < most) { n = n % 2 ? 3 * n + 1 : halve(n); ++turns; }\n  return turns;\n}");
  both_shapes([&] {
    EXPECT_EQ(values<std::int32_t>(collatz(array(Ints{1, 6, 7, 27}), 1000)), (Ints{0, 8, 16, 111}));
    EXPECT_EQ(values<std::int32_t>(collatz(array(Ints{27}) + 0, 50) * 2), (Ints{100}));
  });
  EXPECT_EQ(message_of([&] { collatz(array(Floats{1}), 3); }),
            "function collatz: argument 1 is float32, the parameter int32; cast it if that is meant");
  EXPECT_EQ(message_of([&] { collatz(array(Ints{1})); }), "function collatz takes 2 arguments (int, int), 1 given");
  EXPECT_NE(message_of([] { Function("int x = 3;"); }).find("no function is defined"), std::string::npos);
  EXPECT_NE(message_of([] { Function("float f(float* p) { return *p; }"); }).find("parameter 'p' is a pointer"),
            std::string::npos);
  EXPECT_NE(message_of([] { Function("float f(quux q) { return 0; }"); }).find("has the type 'quux'"),
            std::string::npos);
  EXPECT_NE(message_of([] { Function("float f(float x) { return x;"); }).find("'{' is never closed"),
            std::string::npos);
  EXPECT_NE(message_of([] { Function("float sqrt(float x) { return x; }"); }).find("built-in"), std::string::npos);
  const Function one("int f(int x) { return x + 1; }"), two("int f(int x) { return x + 2; }");
  EXPECT_EQ(message_of([&] { values<std::int32_t>(one(array(Ints{1})) + two(array(Ints{1}))); }),
            "function f: two different functions named f meet in one kernel; rename one");
  EXPECT_NE(message_of([&] { values(Function("float f(float x) { return y; }")(array(Floats{1}))); }).find("y"),
            std::string::npos);
}

TEST_P(Primitives, IntegerDivisionOfFormulasTruncates) {
  const Array a = array(Ints{-7, 7, -7, 7, 5, INT32_MIN}), b = array(Ints{2, -2, -2, 2, 0, -1});
  both_shapes([&] {
    EXPECT_EQ(values<std::int32_t>(map("a / b", a, b)), (Ints{-3, -3, 3, 3, 0, INT32_MIN}));
    EXPECT_EQ(values<std::int32_t>(map("a % b", a, b)), (Ints{-1, 1, -1, 1, 0, 0}));
    EXPECT_EQ(values<std::int32_t>(map("(a > 0) + (b > 0)", a, b)), (Ints{1, 1, 0, 2, 1, 0}));
  });
}

TEST_P(Primitives, GatherShiftAndRotate) {
  const Array x = array(Floats{0, 1, 2, 3, 4}), none = array(Floats{});
  both_shapes([&] {
    EXPECT_EQ(values(gather(x, array(Ints{4, 0, 0, 2}))), (Floats{4, 0, 0, 2}));
    EXPECT_EQ(values(gather(x * 10, array(Ints{4, 0}) - 0)), (Floats{40, 0}));
    EXPECT_EQ(values(gather(x, array(Ints{}))), Floats{});
    EXPECT_EQ(values(shift(x, 2, -1)), (Floats{2, 3, 4, -1, -1}));
    EXPECT_EQ(values(shift(x, -2, 9.5)), (Floats{9.5, 9.5, 0, 1, 2}));
    EXPECT_EQ(values(shift(x, 0, 9)), (Floats{0, 1, 2, 3, 4}));
    EXPECT_EQ(values(shift(x, 5, 9)), (Floats{9, 9, 9, 9, 9}));
    EXPECT_EQ(values(shift(x, INT64_MIN, 9)), (Floats{9, 9, 9, 9, 9}));
    EXPECT_EQ(values(rotate(x, 2)), (Floats{2, 3, 4, 0, 1}));
    EXPECT_EQ(values(rotate(x, -2)), (Floats{3, 4, 0, 1, 2}));
    EXPECT_EQ(values(rotate(x, -12)), (Floats{3, 4, 0, 1, 2}));
    EXPECT_EQ(values(rotate(x, INT64_MAX)), values(rotate(x, INT64_MAX % 5)));
    EXPECT_EQ(values(rotate(none, 3)), Floats{});
    EXPECT_EQ(values(shift(none, 3, 0)), Floats{});
    EXPECT_EQ(values(adjacent_difference(array(Floats{3, 5, 4}))), (Floats{3, 2, -1}));
    EXPECT_EQ(values(adjacent_difference(none)), Floats{});
  });
  EXPECT_EQ(message_of([&] {
              shift(array(Ints{1, 2}), 1, 0.5);
            }),
            "shift: float64 outside of int32 loses the kind; cast one of them");
}

TEST_P(Primitives, RangesAndReplicasHoldNothing) {
  both_shapes([&] {
    EXPECT_EQ(values<std::int64_t>(range(4)), (std::vector<std::int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(values<std::int64_t>(range(-1, 2)), (std::vector<std::int64_t>{-1, 0, 1}));
    EXPECT_EQ(values<std::int64_t>(range(0)), std::vector<std::int64_t>{});
    EXPECT_EQ(values<std::int64_t>(range(3, 1)), std::vector<std::int64_t>{});
    EXPECT_EQ(values(replicate(2.5f, {3})), (Floats{2.5, 2.5, 2.5}));
    EXPECT_EQ(values(replicate(2.5f, {0})), Floats{});
    const Tuple pairs = enumerate(array(Floats{5, 6}));
    EXPECT_EQ(values<double>(map("a * 10 + b", pairs).astype(Dtype::f64)), (std::vector<double>{5, 16}));
  });
  EXPECT_NE(message_of([] { range(INT64_MIN, INT64_MAX); }).find("range:"), std::string::npos);
}

TEST_P(Primitives, UnzipMaterialisesAtOnce) {
  const Array x = array(Floats{1, 2, 3});
  both_shapes([&] {
    const std::vector<Array> parts = unzip(zip(x + 1, x * x));
    EXPECT_EQ(parts[0].to_vector<float>(), (Floats{2, 3, 4}));
    EXPECT_EQ(parts[1].to_vector<float>(), (Floats{1, 4, 9}));
  });
}

TEST_P(Primitives, PermuteAndScatterWriteWhereTheyAreTold) {
  const Array x = array(Floats{10, 11, 12}), target = array(Floats{0, 1, 2, 3, 4});
  both_shapes([&] {
    EXPECT_EQ(values(permute(x, array(Ints{2, 0, 1}))), (Floats{11, 12, 10}));
    EXPECT_EQ(values(permute(x + 1, 2 - range(3))), (Floats{13, 12, 11}));
    EXPECT_EQ(values(scatter(x, array(Ints{4, 0, -3}), target)), (Floats{11, 1, 12, 3, 10}));
    EXPECT_EQ(values(scatter(array(Floats{}), array(Ints{}), target)), target.to_vector<float>());
    EXPECT_EQ(values(update(target, zip(array(Ints{1}), array(Floats{7})))), (Floats{0, 7, 2, 3, 4}));
    EXPECT_EQ(values(update(target, zip(array(Ints{}), array(Floats{})))), target.to_vector<float>());
    const Floats one = values(scatter(x, array(Ints{1, 1, 1}), target));
    EXPECT_TRUE(one[1] == 10 || one[1] == 11 || one[1] == 12);
    // What lies outside is left out.
    EXPECT_EQ(values(scatter(x, array(Ints{5, -6, 1}), target)), (Floats{0, 12, 2, 3, 4}));
    EXPECT_EQ(target.to_vector<float>(), (Floats{0, 1, 2, 3, 4}));
  });
  EXPECT_EQ(message_of([&] { permute(x, array(Ints{0, 1})); }), "permute: shapes (3,) and (2,); they must be the same");
  EXPECT_EQ(message_of([&] {
              scatter(x, array(Ints{0, 1, 2}), array(Ints{0}));
            }),
            "scatter: float32 into int32 loses the kind; cast one of them");
}

TEST_P(Primitives, SegmentedReduceTakesRowsOfAnyLength) {
  std::mt19937 random(3);
  for (const int longest : {0, 1, 3, 9, 60, 700, 3000}) {
    Ints starts{0};
    const int rows = longest > 100 ? 50 : 300;
    for (int r = 0; r < rows; ++r) starts.push_back(starts.back() + static_cast<int>(random() % (longest + 1)));
    Ints numbers(static_cast<std::size_t>(starts.back()));
    for (auto& v : numbers) v = static_cast<int>(random() % 2001) - 1000;
    Ints sums, lowest, last;
    for (int r = 0; r < rows; ++r) {
      const auto begin = numbers.begin() + starts[static_cast<std::size_t>(r)],
                 end = numbers.begin() + starts[static_cast<std::size_t>(r) + 1];
      int sum = 0, low = 77;
      for (auto i = begin; i != end; ++i) sum += 3 * *i;
      if (begin != end) low = *std::min_element(begin, end);
      sums.push_back(sum), lowest.push_back(low);
    }
    const Array x = array(numbers), rows_at = array(starts);
    both_shapes([&] {
      EXPECT_EQ(values<std::int32_t>(segmented_reduce(plus, 3 * x, rows_at)), sums) << longest;
      EXPECT_EQ(values<std::int32_t>(segmented_reduce("a + b", 3 * x, rows_at)), sums) << longest;
      EXPECT_EQ(values<std::int32_t>(segmented_reduce(minimum, x, rows_at, Scalar(77))), lowest) << longest;
      EXPECT_EQ(values<std::int32_t>(segmented_reduce("b < a ? b : a", x, rows_at, Scalar(77))), lowest) << longest;
    });
  }
}

TEST_P(Primitives, SegmentedReduceOfEveryType) {
  const Array starts = array(std::vector<std::int64_t>{0, 2, 2, 5});
  both_shapes([&] {
    std::vector<Expression> sums;
    for (const Dtype type : {Dtype::i8, Dtype::u16, Dtype::i64, Dtype::f16, Dtype::c64}) {
      const Expression r = segmented_reduce(plus, array(Floats{1, 2, 3, 4, 5}).astype(type), starts);
      EXPECT_EQ(r.dtype(), type);
      sums.push_back(real(r).astype(Dtype::f64));
    }
    for (const Array& sum : evaluate(sums)) EXPECT_EQ(sum.to_vector<double>(), (std::vector<double>{3, 0, 12}));
    const Expression flags = array(Floats{0, 1, 0, 0, 0}) != 0;
    EXPECT_EQ(values<std::int32_t>(segmented_reduce(logical_or, flags, starts).astype(Dtype::i32)), (Ints{1, 0, 0}));
    EXPECT_EQ(values<std::int32_t>(segmented_reduce(plus, flags, starts).astype(Dtype::i32)), (Ints{1, 0, 0}));
  });
  EXPECT_NE(message_of([&] { segmented_reduce("2 * a + b", array(Floats{1}), starts); }).find("no neutral element"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              segmented_reduce(plus, array(Floats{1}), array(Floats{0, 1}));
            }).find("row starts are"),
            std::string::npos);
}

TEST_P(Primitives, SparseMatrixTimesVectorIsOneKernel) {
  std::mt19937 random(5);
  const int n = 500;
  Ints starts{0}, columns;
  std::vector<double> entries, x(n), expected;
  for (auto& v : x) v = static_cast<double>(random() % 100) / 8;
  for (int r = 0; r < n; ++r) {
    double sum = 0;
    for (int k = static_cast<int>(random() % 12); k > 0; --k) {
      columns.push_back(static_cast<int>(random() % n));
      entries.push_back(static_cast<double>(random() % 64) / 4);
      sum += entries.back() * x[static_cast<std::size_t>(columns.back())];
    }
    starts.push_back(static_cast<int>(columns.size()));
    expected.push_back(sum);
  }
  const Expression y =
      segmented_reduce(plus, map("a * b", array(entries), gather(array(x), array(columns))), array(starts));
  const std::string plan = y.explain();
  EXPECT_EQ(std::count(plan.begin(), plan.end(), '\n'), 1) << plan;
  both_shapes([&] { EXPECT_EQ(values<double>(y), expected); });
}

TEST_P(Primitives, CheckedModeNamesTheRowStartThatIsWrong) {
  const Array x = array(Floats{1, 2, 3, 4, 5});
  const auto reduced = [&](const Ints& starts) {
    return message_of([&] { segmented_reduce(plus, x, array(starts)).evaluate(); });
  };
  set_checked(true);
  const std::string descending = reduced({0, 4, 2, 5}), beyond = reduced({0, 4, 9}), negative = reduced({-3, 4, 5});
  const std::string rows = message_of([&] { row_of_each(array(Ints{0, 4, 2, 5}), 5).evaluate(); });
  const std::string good = reduced({0, 0, 5});
  set_checked(false);
  EXPECT_NE(descending.find("row start 2 is 2"), std::string::npos) << descending;
  EXPECT_NE(beyond.find("row start 2 is 9"), std::string::npos) << beyond;
  EXPECT_NE(negative.find("row start 0 is -3"), std::string::npos) << negative;
  EXPECT_NE(rows.find("row_of_each: row start 2 is 2"), std::string::npos) << rows;
  EXPECT_EQ(good, "no error");
}

TEST_P(Primitives, SegmentedMapSeesItsRow) {
  const Array e = array(Floats{1, 3, 2, 2, 4}), starts = array(Ints{0, 2, 2, 5});
  both_shapes([&] {
    EXPECT_EQ(values<std::int32_t>(row_of_each(starts, 5)), (Ints{0, 0, 2, 2, 2}));
    EXPECT_EQ(values(segmented_map("a / b", starts, zip(e), zip(segmented_reduce(plus, e, starts)))),
              (Floats{0.25f, 0.75f, 0.25f, 0.25f, 0.5f}));
  });
  EXPECT_NE(message_of([&] { segmented_map("a / b", starts, zip(e), zip(e)); }).find("5 values for 3 rows"),
            std::string::npos);
}

TEST_P(Primitives, ScansGoFromBothEnds) {
  const Array x = array(Ints{3, 1, 4, 1, 5}), none = array(Ints{});
  both_shapes([&] {
    EXPECT_EQ(values<std::int32_t>(scan("a + b", x)), (Ints{3, 4, 8, 9, 14}));
    EXPECT_EQ(values<std::int32_t>(exclusive_rscan(plus, 10, x)), (Ints{21, 20, 16, 15, 10}));
  });
  EXPECT_EQ(values<std::int32_t>(scan(plus, 2 * x)), (Ints{6, 8, 16, 18, 28}));
  EXPECT_EQ(values<std::int32_t>(scan(maximum, x)), (Ints{3, 3, 4, 4, 5}));
  EXPECT_EQ(values<std::int32_t>(rscan(plus, x)), (Ints{14, 11, 10, 6, 5}));
  EXPECT_EQ(values<std::int32_t>(exclusive_scan(plus, 10, x)), (Ints{10, 13, 14, 18, 19}));
  EXPECT_EQ(values<std::int32_t>(scan(plus, none)), Ints{});
  EXPECT_EQ(values<std::int32_t>(exclusive_scan(plus, 10, none)), Ints{});
  // Associative, not commutative: the first value that is not zero.
  EXPECT_EQ(values<std::int32_t>(scan(Operator("a != 0 ? a : b").with_neutral(0), array(Ints{0, 0, 7, 8}))),
            (Ints{0, 0, 7, 7}));
  EXPECT_EQ(message_of([&] { scan("a != 0 ? a : b", x); }),
            "scan: \"a != 0 ? a : b\" has no neutral element that is known; say it with_neutral(value)");
}

TEST_P(Primitives, FilterKeepsTheOrder) {
  const Array x = array(Ints{3, -1, 4, -1, 5});
  both_shapes([&] {
    EXPECT_EQ(filter("a > 0", x).to_vector<std::int32_t>(), (Ints{3, 4, 5}));
    EXPECT_EQ(filter([](const Expression& v) { return v < 0; }, x).to_vector<std::int32_t>(), (Ints{-1, -1}));
    const std::vector<Array> both = filter("(value, place) -> value > 0", zip(x, positions(x)));
    EXPECT_EQ(both[0].to_vector<std::int32_t>(), (Ints{3, 4, 5}));
    EXPECT_EQ(both[1].to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 2, 4}));
    EXPECT_EQ(filter("a > 9", x).size(), 0);
  });
}

TEST_P(Primitives, ReduceFoldsWithAndWithoutANeutralElement) {
  const Array x = array(Floats{3, -1, 4, -1, 5}), none = array(Floats{});
  both_shapes([&] {
    const std::vector<Array> results = evaluate(std::vector<Expression>{
        reduce(plus, x), reduce("a * b", x, 2), reduce("a < b ? a : b", 2 * x), reduce(maximum, x), sum(x), max(x)});
    Floats given;
    for (const Array& r : results) given.push_back(r.item<float>());
    EXPECT_EQ(given, (Floats{10, 120, -2, 5, 10, 5}));
  });
  EXPECT_EQ(values(reduce(plus, none)), Floats{0});
  EXPECT_EQ(values(reduce("a < b ? a : b", none, 7)), Floats{7});
  EXPECT_EQ(values(sum(none)), Floats{0});
  EXPECT_NE(message_of([&] { reduce("a < b ? a : b", none); }).find("nothing to reduce"), std::string::npos);
  EXPECT_NE(message_of([&] { values(min(none)); }).find("min"), std::string::npos);
  EXPECT_NE(message_of([&] { reduce("a +", x); }).find("formula:"), std::string::npos);
}

TEST_P(Primitives, SortsBothWays) {
  const Array x = array(Floats{3, -1, 4, -1, 5});
  EXPECT_EQ(values(sort("a < b", x)), (Floats{-1, -1, 3, 4, 5}));
  EXPECT_EQ(values(sort("a > b", 2 * x)), (Floats{10, 8, 6, -2, -2}));
  EXPECT_EQ(values(sort("a < b", array(Floats{}))), Floats{});
  EXPECT_EQ(values(sort("b < a", x.reshape({5, 1}))), (Floats{5, 4, 3, -1, -1}));
  EXPECT_NE(message_of([&] { sort("abs(a) < abs(b)", x); }).find("sort_by_key(key, x)"), std::string::npos);
}

TEST_P(Primitives, GroupsByKey) {
  const Array keys = array(Ints{2, 1, 2, 7, 1, 2}), x = array(Floats{1, 10, 2, 100, 20, 3});
  const auto [runs, run_sums] = reduce_by_key(plus, array(Ints{1, 1, 2, 1}), array(Floats{1, 2, 4, 8}));
  EXPECT_EQ(runs.to_vector<std::int32_t>(), (Ints{1, 2, 1}));
  EXPECT_EQ(run_sums.to_vector<float>(), (Floats{3, 4, 8}));
  const auto [groups, sums] = group_by(plus, keys, x);
  EXPECT_EQ(groups.to_vector<std::int32_t>(), (Ints{1, 2, 7}));
  EXPECT_EQ(sums.to_vector<float>(), (Floats{30, 6, 100}));
  const auto [same, counts] = group_by(plus, keys, replicate(1, keys.shape()));
  EXPECT_EQ(counts.to_vector<std::int32_t>(), (Ints{2, 3, 1}));
}

TEST_P(Primitives, ScatterCombines) {
  both_shapes([&] {
    // Atomically, and by sorting.
    EXPECT_EQ(
        values<std::int32_t>(scatter(plus, array(Ints{1, 2, 4, 8}), array(Ints{0, 2, 0, -1}), array(Ints{10, 20, 30}))),
        (Ints{15, 20, 40}));
    EXPECT_EQ(values<std::int32_t>(scatter(minimum, array(Ints{1, 50}), array(Ints{0, 2}), array(Ints{10, 20, 30}))),
              (Ints{1, 20, 30}));
  });
  EXPECT_EQ(values(scatter(plus, array(Floats{1, 2, 4, 8}), array(Ints{0, 2, 0, -1}), array(Floats{10, 20, 30}))),
            (Floats{15, 20, 40}));
  EXPECT_EQ(values(scatter("a * b", array(Floats{3, 2}), array(Ints{1, 1}), array(Floats{1, 2}))), (Floats{1, 12}));
  EXPECT_EQ(values(scatter(plus, array(Floats{}), array(Ints{}), array(Floats{1}))), Floats{1});
  EXPECT_EQ(values(scatter(plus, array(Floats{5}), array(Ints{9}), array(Floats{1}))), Floats{1});
}

TEST_P(Primitives, CheckedModeNamesTheFirstBadIndex) {
  const Array x = array(Floats{1, 2, 3});
  set_checked(true);
  EXPECT_EQ(message_of([&] {
              values(permute(x, array(Ints{0, 3, 9})));
            }),
            "scatter: index 3 at (1,) is out of range for extent 3");
  EXPECT_EQ(message_of([&] {
              values(gather(x, array(Ints{-4, 3})));
            }),
            "take: index -4 at position 0 is out of range for 3 elements");
  set_checked(false);
}

RTCG_INSTANTIATE_FOR_DEVICES(Primitives);

}  // namespace
}  // namespace rtcg
