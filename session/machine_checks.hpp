// What this machine can do, and what to install: NVRTC, the sandbox, GPUs, tools, folders.
#pragma once

#include <string>
#include <vector>

namespace evo::session {

struct MachineCheck {
  std::string name;
  std::string level;  ///< ok, warn, fail
  std::string message;
  std::string fix;  ///< "": there is nothing to do
};

/// Starts a compile worker, and writes to the cache, the working folder and a ledger there, which it removes.
/// Never throws for what it finds missing.
[[nodiscard]] std::vector<MachineCheck> check_machine();

}  // namespace evo::session
