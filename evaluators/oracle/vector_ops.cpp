#include <fmt/format.h>

#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/oracle.hpp"

namespace evo::evaluators::oracle {
namespace {

/// out = alpha * first + second.
model::Expected<ReferenceOutputs> combine(const model::Case& bound, const InputBuffers& inputs, double alpha,
                                          std::string_view first, std::string_view second,
                                          std::string_view out) {
  const auto a = argument_index(bound, first);
  const auto b = argument_index(bound, second);
  const auto c = argument_index(bound, out);
  if (!a) return tl::make_unexpected(a.error());
  if (!b) return tl::make_unexpected(b.error());
  if (!c) return tl::make_unexpected(c.error());
  if (bound.arguments[*a].shape != bound.arguments[*b].shape ||
      bound.arguments[*a].shape != bound.arguments[*c].shape) {
    return tl::make_unexpected(
        model::Error{fmt::format("{}, {} and {} have different shapes", first, second, out)});
  }
  const std::vector<double> x = load_array(bound.arguments[*a], inputs[*a]);
  const std::vector<double> y = load_array(bound.arguments[*b], inputs[*b]);
  ReferenceOutputs outputs(bound.arguments.size());
  outputs[*c].resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) outputs[*c][i] = alpha * x[i] + y[i];
  return outputs;
}

}  // namespace

model::Expected<ReferenceOutputs> vector_add(const model::Case& bound, const InputBuffers& inputs) {
  return combine(bound, inputs, 1.0, "a", "b", "c");
}

model::Expected<ReferenceOutputs> saxpy(const model::Case& bound, const InputBuffers& inputs) {
  const auto alpha = argument_index(bound, "alpha");
  if (!alpha) return tl::make_unexpected(alpha.error());
  const double value = static_cast<float>(bound.arguments[*alpha].scalar_float);
  return combine(bound, inputs, value, "x", "y", "z");
}

}  // namespace evo::evaluators::oracle
