// What was read otherwise than it stands in a problem's files.
#pragma once

#include <string>
#include <vector>

#include "model/experiment.hpp"

namespace evo::terminal {

/// Of the templates that the experiment uses, each note once.
[[nodiscard]] std::vector<std::string> template_notes(const model::Experiment& experiment);

}  // namespace evo::terminal
