// evo validate EXPERIMENT: the baseline alone, through the whole correctness ladder.
#include <fmt/format.h>

#include "cli/gate_report.hpp"
#include "cli/verbs.hpp"
#include "session/load.hpp"

namespace evo::cli {

int validate_command(const Options& options) {
  config::Overrides overrides = session::parse_overrides(options.validate.set);
  if (!options.validate.device.empty()) overrides.emplace_back("device", options.validate.device);
  if (options.validate.input_seed)
    overrides.emplace_back("input_seed", std::to_string(*options.validate.input_seed));
  const model::Experiment experiment =
      session::load_experiment_or_throw(options.validate.experiment, overrides);
  const std::string what = fmt::format("baseline of {} ({})", experiment.name, experiment.baseline_template);
  return prove_and_print(options.common, experiment, what, options.validate.barriers);
}

}  // namespace evo::cli
