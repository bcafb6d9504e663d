// Arrays that say where rows begin.
#pragma once

#include "intake/draft.hpp"

namespace evo::intake {

/// Has it one dimension, of one element more than something ("n + 1", however it is written)? Where rows
/// begin that end where the next one does there is one more than there are rows.
[[nodiscard]] bool has_one_more(const DraftArgument& argument);

}  // namespace evo::intake
