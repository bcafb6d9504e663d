// The first combination of values that a draft's constraints allow: what is proven first.
#pragma once

#include "intake/draft.hpp"

namespace evo::intake {

/// Sets the genes' initial values to the first legal combination, in the order of the values; those that are
/// set already are tried before others. Constraints that name something else are passed over. Throws
/// model::Exception(usage) where no combination is legal.
void choose_first_genome(Draft& draft);

/// Adds the constraint that a block has at most 1024 threads, where values would allow more.
void limit_block(Draft& draft);

}  // namespace evo::intake
