// One CUDA thread of the exact machine.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/early_loads.hpp"
#include "evaluators/devices/virtual/exact/code.hpp"
#include "evaluators/devices/virtual/exact/dependences.hpp"

namespace evo::evaluators::virtual_device::exact {

enum class State : std::uint8_t {
  ready,
  gathering,   ///< at an aligned barrier, waits for the other lanes of its warp
  at_barrier,  ///< counted in, waits for the barrier
  at_warp_op,  ///< waits for the lanes in its mask
  exited,
};

/// The last poll of a thread (ptx::polling_loads), and what it saw. As for warp/spinning.hpp.
struct Spin {
  std::uint32_t pc = 0;
  unsigned width = 0;
  const std::uint8_t* data = nullptr;
  Word value = 0;
  bool waits = false;       ///< until the value changes, or `turns` are over
  std::uint32_t turns = 0;  ///< left
};

struct Thread {
  Word* frame = nullptr;            ///< Code::slots words
  std::uint32_t* poison = nullptr;  ///< per slot: 0, or 1 + index of the origin of an uninitialised value
  /// Per slot, on which reads it depends; null where nobody asks (Code::follows_reads).
  Dependences::Id* depends = nullptr;
  Dependences::Id last_read = 0;    ///< what its last load gives
  std::uint32_t reads = 0;          ///< of shared memory, so far
  std::uint32_t shuffled_from = 0;  ///< lane, in its last shuffle
  Word* undefined = nullptr;        ///< per slot: which bits have no value; counts where poison is not 0
  std::uint8_t* local = nullptr;
  std::uint8_t* local_shadow = nullptr;
  std::uint32_t pc = 0;
  std::uint32_t index = 0;  ///< linear in the block
  State state = State::ready;
  bool tainted = false;     ///< some poison may be set; while false, none is
  bool yielded = false;     ///< gave way in this round
  bool waits = false;       ///< gave way because the phase of an mbarrier is not complete
  bool was_asked = false;   ///< whether it gives way in front of the access that comes next
  bool has_waited = false;  ///< has polled global memory since it last told something there
  bool carry = false;
  std::uint32_t polls = 0;  ///< strong accesses since it last gave way
  std::uint64_t executed = 0;
  /// The last step that others can tell of, or no_step.
  std::uint32_t last_visible = no_step;
  static constexpr std::uint32_t no_step = 0xffffffff;

  LoadOrder load_order;
  Spin spin;

  // While waiting.
  std::uint32_t barrier = 0;
  std::uint32_t barrier_count = 0;  ///< 0 = all threads
  std::uint32_t mask = 0;
  bool bad_mask = false;  ///< the mask did not name the lane itself (told): it goes alone
  bool predicate = false;

  [[nodiscard]] std::uint32_t lane() const { return index % 32; }
  [[nodiscard]] std::uint32_t warp() const { return index / 32; }
};

}  // namespace evo::evaluators::virtual_device::exact
