#include "rtcg/array/expression_trial.h"

#include <limits>
#include <random>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "rtcg/tune/choice.h"

namespace rtcg {

namespace {

class ExpressionTrial : public Trial {
 public:
  ExpressionTrial(const Stream& stream, std::string family, const Expression& expression,
                  std::function<std::vector<double>()> reference)
      : stream_(stream), family_(std::move(family)), expression_(expression), reference_(std::move(reference)) {}

  std::function<void()> prepare(const Configuration& configuration) override {
    // The result is the pool's most recent block of its size: what an execution leaves out stays NaN or the largest.
    result_ = {};
    Array::empty(stream_, expression_.shape(), expression_.dtype()).buffer().fill(stream_, std::uint8_t{0xFF});
    return [this, configuration] {
      const ForcedConfiguration forced(family_, configuration);
      result_ = expression_.evaluate(stream_);
    };
  }
  std::vector<const GuardedOutput*> outputs() const override { return {}; }
  void check() override {
    if (expected_.empty()) expected_ = reference_();
    const std::vector<double> found = Expression(result_).astype(Dtype::f64).evaluate(stream_).to_vector<double>();
    for (std::size_t k = 0; k < expected_.size(); ++k)
      if (!(found.at(k) == expected_[k]))
        throw NumericalError(fmt::format("{}: element {} is {}, not {}", family_, k, found[k], expected_[k]));
  }

 private:
  Stream stream_;
  std::string family_;
  Expression expression_;
  std::function<std::vector<double>()> reference_;
  std::vector<double> expected_;
  Array result_;
};

}  // namespace

std::unique_ptr<Trial> expression_trial(const Stream& stream, std::string family, const Expression& expression,
                                        std::function<std::vector<double>()> reference) {
  return std::make_unique<ExpressionTrial>(stream, std::move(family), expression, std::move(reference));
}

WholeNumbers::WholeNumbers(std::size_t count, unsigned seed) : values(count) {
  std::minstd_rand random(seed);
  for (signed char& value : values) value = static_cast<signed char>(static_cast<int>(random() >> 8) % 3 - 1);
}

Array WholeNumbers::on(const Stream& stream, Dtype type, const Shape& shape) const {
  return Array::from(stream, std::vector<std::int8_t>(values.begin(), values.end()), shape).astype(type);
}

}  // namespace rtcg
