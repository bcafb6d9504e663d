// What a kernel does with its parameters, as its compiled form shows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evo::intake {

/// Of one parameter that is a pointer.
struct PointerUse {
  bool read = false, written = false;
  bool stored = false;        ///< stores or atomics write it, in the entry itself: a call may only read it
  bool read_first = false;    ///< the first access in the code's order reads, or does both (atomics)
  bool atomic = false;        ///< adds to what is there
  bool atomic_first = false;  ///< the first access in the code's order does
  bool sums = false;          ///< adds floating-point numbers with atomics: in any order
  int widest = 0;             ///< bytes of its widest access; 0: none, or it is tested
  bool tested = false;  ///< the code looks at the low bits of its address: it has a way for each alignment
};

struct KernelUse {
  std::vector<bool> taken;                  ///< of each parameter, whether the code reads it at all
  std::vector<bool> meets_data;             ///< of each parameter, meets_data_alone() (data_use.hpp)
  std::vector<PointerUse> pointers;         ///< of each parameter; one that is no pointer was never accessed
  bool y = false, z = false;                ///< asks for a y or z of its thread or block
  bool thread_y = false, thread_z = false;  ///< and of its thread
  bool alone = false;                       ///< asks for no thread nor block: all threads do the same
};

/// Of the entry of a module, `count` parameters. Follows addresses through registers; what goes into a call
/// that was not inlined counts as read and written. All false where the text cannot be read.
[[nodiscard]] KernelUse use_of(const std::string& ptx, const std::string& entry, std::size_t count);

/// Where a value stands that a kernel gets: a parameter, or a member of one that is a struct.
struct ParameterSlot {
  std::size_t parameter = 0;
  std::uint32_t offset = 0;  ///< bytes
  std::uint32_t bytes = 0;   ///< 0: the whole parameter
};
/// The same by slots: an entry for each in `taken` and `pointers`. 64 slots at most are told apart.
[[nodiscard]] KernelUse use_of(const std::string& ptx, const std::string& entry,
                               const std::vector<ParameterSlot>& slots);

}  // namespace evo::intake
