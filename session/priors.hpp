// What a new run takes from earlier ones: their best designs, tried directly behind its baseline.
#pragma once

#include <string>
#include <vector>

#include "model/experiment.hpp"

namespace evo::session {

/// Turns experiment.priors into experiment.initial_designs, empties them, and writes the resolved experiment
/// anew, so that the run can be resumed and replayed without those folders. Of each run: its champion, the
/// best of each other template, then the next by latency, as many as `best` says, without those that stand
/// there already. Latencies are not taken over: every design is proven and timed here. Returns notes for
/// people: what was taken, what is not legal here, what has changed. Throws
/// model::Exception(invalid_configuration), with the place in the experiment, for a folder that holds no run,
/// a run that proved nothing, and one of which no design is legal here.
[[nodiscard]] std::vector<std::string> take_priors(model::Experiment& experiment);

}  // namespace evo::session
