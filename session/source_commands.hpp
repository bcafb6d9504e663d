// Sources that a program writes.
#pragma once

#include "model/problem.hpp"

namespace evo::session {

/// Gives each template whose source a command makes what runs it, in the problem's folder.
void use_source_commands(model::Problem& problem);

}  // namespace evo::session
