// A small kernel with a choice, and with variants that are wrong in every way a variant can be.
#pragma once

#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "rtcg/tune/tunable.h"

namespace rtcg::test {

constexpr const char* scale_text = R"(
__kernel void scale(__global float* y, __global const float* x, int n) {
  int first = get_global_id(0) * PER_ITEM;
#if FAULT == 1
  this is no C
#endif
  for (int k = 0; k < PER_ITEM; ++k) {
    int i = first + k;
#if FAULT == 2
    if (i < n) y[i] = i == n / 2 ? 0.0f : 3.0f * x[i];
#elif FAULT == 3
    if (i <= n) y[i] = 3.0f * x[i < n ? i : 0];
#elif FAULT == 4
    if (i < n - 1) y[i] = 3.0f * x[i];
#else
    if (i < n) y[i] = 3.0f * x[i];
#endif
    float chain = i < n ? x[i] : 0.0f;
    for (int turn = 0; turn < IDLE; ++turn) chain = chain * 0.5f + 1.0f;
    if (chain == -12345.0f) y[i] = chain;
  }
}
)";

class ScaleTrial : public Trial {
 public:
  ScaleTrial(const Stream& stream, int n)
      : stream_(stream), n_(n), y_(stream, "y", sizeof(float) * n, ScalarType::f32) {
    std::vector<float> x(n);
    for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i % 1000);
    x_ = Buffer::from(stream, x);
  }
  static Source source(const Configuration& c) {
    static const std::map<std::string, int> faults{
        {"none", 0}, {"compile", 1}, {"value", 2}, {"past", 3}, {"short", 4}};
    return Source("scale.cl", scale_text)
        .define("PER_ITEM", c.integer("per_item"))
        .define("FAULT", faults.at(c.word("fault")))
        .define("IDLE", c.integer("idle"));
  }
  std::function<void()> prepare(const Configuration& c) override {
    const Kernel kernel = compile(stream_.device(), source(c)).kernel("scale");
    const auto items = static_cast<std::size_t>((n_ + c.integer("per_item") - 1) / c.integer("per_item"));
    ++prepared;
    latest_ = c;
    return [this, kernel, items] { kernel(stream_, Grid::over(items), y_.buffer(), x_, n_); };
  }
  std::vector<const GuardedOutput*> outputs() const override { return {&y_}; }
  void check() override {
    if (latest_.text() == turns_wrong && ++checks_ > 1) throw NumericalError("y[7] is wrong now");
    const std::vector<float> y = y_.buffer().read<float>();
    for (int i = 0; i < n_; ++i)
      if (!(y[i] == 3.0f * static_cast<float>(i % 1000))) throw NumericalError("y[" + std::to_string(i) + "] is wrong");
  }
  static inline int prepared = 0;
  static inline std::string turns_wrong;  ///< the second check of this configuration fails

 private:
  Stream stream_;
  int n_, checks_ = 0;
  Configuration latest_;
  GuardedOutput y_;
  Buffer x_;
};

/// The default idles. Of 20 variants 10 are beyond every device, 8 are wrong and 2 right.
inline Tunable scale_tunable(int n = 5000) {
  using std::int64_t;
  Tunable tunable;
  tunable.family = "scale";
  tunable.traits = {{"dtype", "float32"}};
  tunable.sizes = {{"n", n}};
  const auto word = [](const char* text) { return ParameterValue(std::string(text)); };
  tunable.space.parameter("per_item", {int64_t{1}, int64_t{64}}, int64_t{1})
      .parameter("idle", {int64_t{0}, int64_t{3000}}, int64_t{3000})
      .parameter("fault", {word("none"), word("compile"), word("value"), word("past"), word("short")}, word("none"));
  tunable.demand = [](const Configuration& c) {
    Demand demand;
    demand.local_bytes = c.integer("per_item") == 64 ? std::size_t{1} << 40 : 0;
    return demand;
  };
  tunable.sources = [](const Configuration& c) { return std::vector{ScaleTrial::source(c)}; };
  tunable.trial = [n](const Stream& stream) { return std::make_unique<ScaleTrial>(stream, n); };
  tunable.work = 8.0 * n;
  tunable.unit = "B";
  return tunable;
}

}  // namespace rtcg::test
