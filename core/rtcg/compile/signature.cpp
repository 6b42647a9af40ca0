#include "rtcg/compile/signature.h"

namespace rtcg {

std::vector<Signature> read_signatures(std::string_view, std::span<const std::pair<std::string, std::string>>) { return {}; }
std::optional<Signature> signature_of(std::string_view, std::span<const ParameterInfo>) { return std::nullopt; }
void check_arguments(const Signature&, std::span<const Argument>) {}

}  // namespace rtcg
