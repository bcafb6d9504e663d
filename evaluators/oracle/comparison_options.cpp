#include "evaluators/oracle/comparison_options.hpp"

#include "model/error.hpp"

namespace evo::evaluators::oracle {

CompareOptions options_for(const model::Tolerance& tolerance, const Reference& reference, std::size_t index) {
  CompareOptions options{tolerance, reference.rules.exact, std::nullopt, reference.rows};
  options.exact_ulps = reference.rules.exact_ulps;
  options.special_values = reference.rules.special_values;
  if (index < reference.conditioning.size()) options.conditioning = reference.conditioning[index];
  options.doubled_at_most = reference.doubled_at_most;
  if (!tolerance.reference_factor) {
    const double factor = reference.rules.tolerance_factor;
    options.tolerance.relative_frobenius *= factor;
    options.tolerance.max_abs_over_rms *= factor;
    return options;
  }
  if (index >= reference.plain_errors.size()) {
    throw model::Exception(
        model::ExitCode::failed,
        "accuracy class " + tolerance.accuracy_class + ": the reference has no plain implementation's error");
  }
  options.plain_errors = reference.plain_errors[index];
  return options;
}

}  // namespace evo::evaluators::oracle
