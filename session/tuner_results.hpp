// A run's trials in the formats of other tuners, so that their analysis and simulation work on them.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::session {

/// Kernel Tuner's cache file of the trials of one template: the legal values of each gene, and for each
/// genome its time in milliseconds, or why there is none ("InvalidConfig", "CompilationFailedConfig",
/// "RuntimeFailedConfig"). The problem size is the first workload. `template_name` empty: the only template
/// that has trials. Throws model::Exception(usage) where it has none, or where several have and none is
/// named.
[[nodiscard]] boost::json::object kernel_tuner_cache(const model::Experiment& experiment,
                                                     const engine::RunMeta& meta,
                                                     const std::vector<engine::TrialRecord>& trials,
                                                     const std::string& template_name);

/// T4 results, schema version 1.0.0, of the trials of one template (empty: as above). Times in milliseconds;
/// T4 calls everything wrong "correctness", what does not compile "compile", what is illegal "constraints".
[[nodiscard]] boost::json::object t4_results(const model::Experiment& experiment, const engine::RunMeta& meta,
                                             const std::vector<engine::TrialRecord>& trials,
                                             const std::string& template_name);

}  // namespace evo::session
