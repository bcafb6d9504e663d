// What a kernel does with its parameters, as its compiled form shows it.
#pragma once

#include <string>
#include <vector>

namespace evo::intake {

/// Of one parameter that is a pointer.
struct PointerUse {
  bool read = false, written = false;
  bool read_first = false;  ///< the first access in the code's order reads, or does both (atomics)
  bool atomic = false;      ///< adds to what is there
  int widest = 0;           ///< bytes of its widest access; 0: none
};

struct KernelUse {
  std::vector<bool> taken;           ///< of each parameter, whether the code reads it at all
  std::vector<PointerUse> pointers;  ///< of each parameter; one that is no pointer was never accessed
  bool y = false, z = false;         ///< asks for a y or z of its thread or block
};

/// Of the entry of a module, `count` parameters. Follows addresses through registers; what goes into a call
/// that was not inlined counts as read and written. All false where the text cannot be read.
[[nodiscard]] KernelUse use_of(const std::string& ptx, const std::string& entry, std::size_t count);

}  // namespace evo::intake
