#include "support/interpreter.h"

#include <fmt/format.h>

#include <cmath>

namespace rtcg::test {

namespace {

using Real = long double;
using Complex = std::complex<Real>;

bool is_whole(Dtype type) {
  return kind_of(type) <= DtypeKind::signed_integer;
}

}  // namespace

Numbers numbers_of(const Array& array) {
  Numbers numbers(static_cast<std::size_t>(array.size()));
  const auto read = [&]<class T>(T, auto put) {
    const std::vector<T> values = array.to_vector<T>();
    for (std::size_t i = 0; i < values.size(); ++i) put(numbers[i], values[i]);
  };
  const auto put_whole = [](Number& n, auto v) { n.whole = v; };
  const auto put_real = [](Number& n, auto v) { n.z = v; };
  const auto put_complex = [](Number& n, auto v) { n.z = Complex(v.real(), v.imag()); };
  switch (array.dtype()) {
    case Dtype::boolean:
      for (std::size_t i = 0; const std::uint8_t v : array.view_as(Dtype::u8).to_vector<std::uint8_t>())
        numbers[i++].whole = v;
      break;
    case Dtype::i8:
      read(std::int8_t{}, put_whole);
      break;
    case Dtype::u8:
      read(std::uint8_t{}, put_whole);
      break;
    case Dtype::i16:
      read(std::int16_t{}, put_whole);
      break;
    case Dtype::u16:
      read(std::uint16_t{}, put_whole);
      break;
    case Dtype::i32:
      read(std::int32_t{}, put_whole);
      break;
    case Dtype::u32:
      read(std::uint32_t{}, put_whole);
      break;
    case Dtype::i64:
      read(std::int64_t{}, put_whole);
      break;
    case Dtype::u64:
      read(std::uint64_t{}, put_whole);
      break;
    case Dtype::f16:
      return numbers_of(array.astype(Dtype::f32));
    case Dtype::f32:
      read(float{}, put_real);
      break;
    case Dtype::f64:
      read(double{}, put_real);
      break;
    case Dtype::c64:
      read(std::complex<float>{}, put_complex);
      break;
    case Dtype::c128:
      read(std::complex<double>{}, put_complex);
      break;
    case Dtype::unknown:
      break;
  }
  return numbers;
}

const Numbers& Interpreter::operator()(const NodePtr& node) {
  if (const auto found = done_.find(node.get()); found != done_.end()) return found->second;
  kept_.push_back(node);
  return done_.emplace(node.get(), node->op == Op::array ? numbers_of(as_array(node)) : compute(*node)).first->second;
}

Numbers Interpreter::compute(const Node& node) {
  const auto count = static_cast<std::size_t>(element_count(node.shape));
  Numbers result(count);
  if (node.op == Op::scalar) {
    const Scalar& value = static_cast<const ScalarNode&>(node).value;
    if (value.dtype() == Dtype::u64) {
      std::uint64_t v = 0;
      std::memcpy(&v, value.data(), 8);
      result[0].whole = v;
    } else if (value.dtype() == Dtype::i64) {
      std::int64_t v = 0;
      std::memcpy(&v, value.data(), 8);
      result[0].whole = v;
    } else if (is_whole(node.dtype)) {
      result[0].whole = static_cast<Wide>(value.to_double());
    } else {
      const std::complex<double> z = value.to_complex();
      result[0].z = Complex(z.real(), z.imag());
    }
    return result;
  }
  if (node.op == Op::total) {
    const auto& total = static_cast<const TotalNode&>(node);
    const NodePtr& operand = total.phase->operands.at(0);
    return rules.at(total.phase.get())(*operand, (*this)(operand));
  }
  if (node.op == Op::take) {
    const Numbers source = (*this)(node.operands[0]);
    const Numbers& index = (*this)(node.operands[1]);
    const auto n = static_cast<Wide>(source.size());
    for (std::size_t i = 0; i < count; ++i) {
      Wide at = index[i].whole;
      if (at < 0) at += n;
      result[i] = source[static_cast<std::size_t>(std::min(std::max<Wide>(at, 0), n - 1))];
      if (index[i].unknown) result[i].unknown = true;
    }
    return result;
  }
  std::array<const Numbers*, 3> values{};
  std::array<Strides, 3> strides;
  std::size_t operands = 0;
  for (; operands < 3 && node.operands[operands]; ++operands) {
    const Node& operand = *node.operands[operands];
    values[operands] = &(*this)(node.operands[operands]);
    strides[operands] = broadcast_strides(operand.shape, contiguous_strides(operand.shape), node.shape);
  }
  Dims at = Dims::filled(node.shape.size(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (node.op == Op::index) {
      const Strides& steps = static_cast<const IndexNode&>(node).strides;
      for (int d = 0; d < at.size(); ++d) result[i].whole += static_cast<Wide>(at[d]) * steps[d];
    } else {
      std::array<Number, 3> x;
      for (std::size_t k = 0; k < operands; ++k) {
        std::int64_t place = 0;
        for (int d = 0; d < at.size(); ++d) place += at[d] * strides[k][d];
        x[k] = (*values[k])[static_cast<std::size_t>(place)];
      }
      if (node.op == Op::cast) {
        result[i] = converted(x[0], node.operands[0]->dtype, node.dtype);
      } else {
        // Weak scalars are converted where they are used.
        for (std::size_t k = node.op == Op::where ? 1 : 0; k < operands; ++k)
          x[k] = converted(x[k], node.operands[k]->dtype, node.operand_type);
        result[i] = operate(node.op, node.operand_type, node.dtype, x.data());
      }
    }
    for (int d = at.size() - 1; d >= 0 && ++at[d] == node.shape[d]; --d) at[d] = 0;
  }
  return result;
}

std::string Interpreter::difference(const NodePtr& node, const Array& result) {
  const Numbers expected = (*this)(node);
  const Numbers given = numbers_of(result);
  if (!(result.shape() == node->shape) || result.dtype() != node->dtype || given.size() != expected.size())
    return fmt::format("{} {} where {} {} was expected", dtype_name(result.dtype()), to_string(result.shape()),
                       dtype_name(node->dtype), to_string(node->shape));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Number& e = expected[i];
    if (e.unknown) {
      ++unknown;
      continue;
    }
    ++compared;
    if (is_whole(node->dtype)) {
      if (given[i].whole != e.whole)
        return fmt::format("element {}: {} where {} was expected", i, static_cast<long double>(given[i].whole),
                           static_cast<long double>(e.whole));
      continue;
    }
    Real allowed = 2 * e.error;
    if (node->dtype == Dtype::f16) {
      if (std::abs(e.z) > 60000) continue;
      allowed += 0x1p-11L * std::abs(e.z) + 0x1p-24L;
    }
    if (!(std::abs(given[i].z - e.z) <= allowed))
      return fmt::format("element {}: ({}, {}) where ({}, {}) +- {} was expected", i, given[i].z.real(),
                         given[i].z.imag(), e.z.real(), e.z.imag(), allowed);
  }
  return {};
}

}  // namespace rtcg::test
