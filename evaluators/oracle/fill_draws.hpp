// Contents as an argument's fill says, before a pattern varies them.
#pragma once

#include <vector>

#include "model/random.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

/// Draws all of `values`. A column of another argument stays as it is, and `ends` are lengths so far: what
/// follows another argument comes later (follow_others()).
void draw_fill(const model::BoundArgument& argument, const model::BoundFill& fill, model::RandomStream stream,
               std::vector<double>& values);

}  // namespace evo::evaluators::oracle
