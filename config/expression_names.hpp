// Names that one part of problem.yaml has for another.
#pragma once

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// Every name in an expression means something, in a branch that the initial genome does not take, too; so
/// does every input set of an accuracy class. `reader` is the file's. Throws Invalid.
void check_references(const model::Problem& problem, const Reader& reader);

}  // namespace evo::config
