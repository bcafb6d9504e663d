#include "evaluators/oracle/depth.hpp"

#include <algorithm>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::size_t probes = 5;  ///< elements of each array, evenly spread

/// Elements that differ, NaNs among them, and how many there are.
struct Moved {
  std::size_t elements = 0, outputs = 0;
};
Moved difference(const ReferenceOutputs& a, const ReferenceOutputs& b) {
  Moved moved;
  for (std::size_t i = 0; i < a.size(); ++i) {
    moved.outputs += a[i].size();
    for (std::size_t k = 0; k < a[i].size(); ++k) moved.elements += a[i][k] == b[i][k] ? 0 : 1;
  }
  return moved;
}

}  // namespace

model::Expected<double> reduction_depth(const Oracle& oracle, const model::Case& bound,
                                        const InputBuffers& inputs) {
  const auto answer = oracle.compute(bound, inputs);
  if (!answer) return tl::make_unexpected(answer.error());
  double depth = 1;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype) || argument.fill) continue;
    const std::vector<std::int64_t> offsets = element_offsets(argument);
    const std::size_t asked = std::min(probes, offsets.size());
    Moved sum;
    for (std::size_t probe = 0; probe < asked; ++probe) {
      InputBuffers other = inputs;
      std::byte* const element = other[i].data() + offsets[(2 * probe + 1) * offsets.size() / (2 * asked)] *
                                                       model::size_of(argument.dtype);
      store_element(argument.dtype, load_element(argument.dtype, element) * 1.5 + 1, element);
      const auto now = oracle.compute(bound, other);
      if (!now) return tl::make_unexpected(now.error());
      const Moved moved = difference(*answer, *now);
      sum.elements += moved.elements;
      sum.outputs += moved.outputs;
    }
    if (sum.outputs == 0) continue;
    depth = std::max(depth, static_cast<double>(offsets.size()) * static_cast<double>(sum.elements) /
                                static_cast<double>(sum.outputs));
  }
  return depth;
}

}  // namespace evo::evaluators::oracle
