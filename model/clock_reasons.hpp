// Words among HeldClocks::reasons that are no reason of a GPU's own.
#pragma once

namespace evo::model {

/// A program that is not evo's was on the GPU: no clock is held down, but it takes no turns.
inline constexpr const char* another_process = "another process";

}  // namespace evo::model
