// An experiment around one source file, for `check` and `diagnose`: genes and launch plan come from a
// template of the problem, the text from the file.
#pragma once

#include <string>

#include "cli/options.hpp"
#include "model/experiment.hpp"

namespace evo::cli {

struct SourceExperiment {
  model::Experiment
      experiment;  ///< its only template has the file's text; the baseline is the genome asked for
  std::string template_source;  ///< the text that the template had before
};

/// Throws model::Exception: (usage) for what the arguments name and nobody knows, (invalid_configuration) for
/// a problem that cannot be read.
[[nodiscard]] SourceExperiment read_source_experiment(const CheckOptions& check);

}  // namespace evo::cli
