// Which evo the tests start.
#pragma once

#include <cstdlib>

namespace evo::testing {

/// EVO_BINARY_PATH of the environment, else the one of the build: scripts/mutate-checks has one with its
/// edits in it, and tests may run away from their build folder.
inline const char* evo_binary() {
  const char* const other = std::getenv("EVO_BINARY_PATH");
  return other != nullptr ? other : EVO_BINARY;
}

}  // namespace evo::testing
