// budget.stop_if: a sentence that says when a run that no longer gains ends.
#pragma once

#include "config/yaml_reader.hpp"
#include "model/experiment.hpp"

namespace evo::config {

/// Reads "no gain of 1 % in 200 trials or 10 minutes": one or both of trials and a time, in any order; a time
/// in seconds, minutes or hours. Without "of 1 %" any gain counts. Invalid at the value, naming the word that
/// is wrong and the nearest valid one.
[[nodiscard]] model::StopIf read_stop_if(const Reader& value);

}  // namespace evo::config
