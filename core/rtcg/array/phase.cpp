#include "rtcg/array/phase.h"

namespace rtcg {

Expression make_phase(std::string name, std::vector<PhaseOperand> operands, Dtype type, const Shape& shape,
                      std::function<Array(const Stream&, std::span<const Expression>)> run) {
  auto phase = std::make_shared<Phase>();
  phase->name = std::move(name);
  for (const PhaseOperand& operand : operands) {
    // A weak scalar has met everything that it could.
    phase->operands.push_back(make_cast(operand.value.node(), operand.value.dtype()));
    phase->demands_array.push_back(operand.whole);
  }
  phase->run = [run = std::move(run)](const Stream& stream, std::span<const Expression> values) {
    return std::vector<Array>{run(stream, values)};
  };
  return Expression(std::make_shared<TotalNode>(std::move(phase), 0, type, shape));
}

Array owned_array(const Expression& operand) {
  const Array array = as_array(operand.node());
  return array.is_contiguous() && array.offset() == 0 ? array : array.copy();
}

}  // namespace rtcg
