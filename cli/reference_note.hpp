// What a problem's own reference will cost, said before anybody waits for it.
#pragma once

#include <string>

#include "evaluators/compile/compiler.hpp"
#include "model/experiment.hpp"

namespace evo::cli {

/// A line for a person where the problem's reference kernel is expected to take minutes on the virtual device
/// for the largest workload, as launches at two small sizes let expect, and nothing keeps it from computing
/// all of it; with what to write instead. "" where it is cheap, or cannot be tried.
[[nodiscard]] std::string reference_note(const model::Experiment& experiment,
                                         evaluators::compile::Compiler& compiler);

}  // namespace evo::cli
