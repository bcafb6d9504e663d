// Attention and softmax: problems with the oracles attention_forward and row_softmax.
#pragma once

#include "packs/pack.hpp"

namespace evo::packs::attention {

[[nodiscard]] Pack pack();

}  // namespace evo::packs::attention
