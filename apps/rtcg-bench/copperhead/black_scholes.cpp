#include "apps/rtcg-bench/copperhead/programs.h"
#include "rtcg/array/expression.h"

namespace rtcg::bench {

namespace {

Expression normal_distribution(const Expression& d) {
  const Expression k = 1 / (1 + 0.2316419f * abs(d));
  const Expression series =
      0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)));
  const Expression tail = 0.39894228f * exp(-0.5f * d * d) * k * series;
  return where(d > 0, 1 - tail, tail);
}

}  // namespace

std::vector<Array> black_scholes(const Array& stock, const Array& strike, const Array& years, float rate,
                                 float volatility) {
  const Expression root = volatility * sqrt(years), discounted = strike * exp(-rate * years);
  const Expression d1 = (log(stock / strike) + (rate + 0.5f * volatility * volatility) * years) / root;
  const Expression n1 = normal_distribution(d1), n2 = normal_distribution(d1 - root);
  const Expression call = stock * n1 - discounted * n2, put = discounted * (1 - n2) - stock * (1 - n1);
  return evaluate({{call, put}});
}

}  // namespace rtcg::bench
