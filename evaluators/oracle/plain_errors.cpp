#include "evaluators/oracle/plain_errors.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace evo::evaluators::oracle {
namespace {

OutputErrors errors_against(std::span<const double> plain, std::span<const double> reference) {
  OutputErrors errors;
  double squares = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const double error = std::abs(plain[i] - reference[i]);
    squares += error * error;
    if (error > errors.largest || std::isnan(error)) errors.largest = error;
  }
  errors.rms = plain.empty() ? 0 : std::sqrt(squares / static_cast<double>(plain.size()));
  return errors;
}

}  // namespace

model::Expected<std::vector<OutputErrors>> measure_plain(const Oracle& oracle, const model::Case& bound,
                                                         const InputBuffers& inputs,
                                                         const Reference& reference,
                                                         const Movement& movement) {
  if (oracle.compute_plain == nullptr) return measure_automatic(oracle, bound, inputs, reference, movement);
  if (movement.of_tails) return tl::make_unexpected(model::Error{"nothing is known of float"});
  const auto forms = oracle.compute_plain(bound, inputs, reference.rows);
  if (!forms) return tl::make_unexpected(forms.error());
  std::vector<OutputErrors> worst(bound.arguments.size());
  for (const ReferenceOutputs& form : *forms) {
    for (std::size_t i = 0; i < worst.size(); ++i) {
      const OutputErrors errors = errors_against(form[i], reference.outputs[i]);
      if (!std::isfinite(errors.rms) || !std::isfinite(errors.largest)) {
        return tl::make_unexpected(model::Error{fmt::format(
            "the plain 16-bit implementation of {} gives NaN or infinity for {} of case {}, so that the rule "
            "reference_factor has no measure; leave these inputs out of the accuracy class",
            oracle.name, bound.arguments[i].name, bound.name)});
      }
      worst[i].rms = std::max(worst[i].rms, errors.rms);
      worst[i].largest = std::max(worst[i].largest, errors.largest);
    }
  }
  return worst;
}

}  // namespace evo::evaluators::oracle
