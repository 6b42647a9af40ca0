#include "rtcg/array/index_check.h"

#include <fmt/format.h>

namespace rtcg {

void check_indices(std::string_view what, const Stream& stream, const Expression& index, std::int64_t extent) {
  if (!is_checked()) return;
  const bool is_unsigned = kind_of(index.dtype()) == DtypeKind::unsigned_integer;
  const auto values = index.astype(Dtype::i64).evaluate(stream).to_vector<std::int64_t>();
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (values[n] < extent && values[n] >= (is_unsigned ? 0 : -extent)) continue;
    Dims place = Dims::filled(index.shape().size(), 0);
    auto rest = static_cast<std::int64_t>(n);
    for (int d = place.size(); d-- > 0;) {
      place[d] = rest % index.shape()[d];
      rest /= index.shape()[d];
    }
    throw UsageError(
        fmt::format("{}: index {} at {} is out of range for extent {}", what, values[n], to_string(place), extent));
  }
}

}  // namespace rtcg
