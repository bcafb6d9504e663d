// Proof that a launch will never end: its state came back.
//
// The machine is deterministic, so that blocks whose warps stand at the same steps, with the same values in
// all registers that matter and the same memory as at an earlier moment, do for ever what they did since.
// What matters are the registers that decide branches, addresses, stored values or warp operations in the
// code that ran in between: a loop that counts how long it has waited comes back, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp {

/// One launch's, or one block's. Keeps one earlier moment, ever later ones (Brent's method), so that a cycle
/// of any length is found.
class Standstill {
 public:
  /// `others_run`: blocks beside these run meanwhile, so that global memory is not looked at. They may only
  /// change it under these blocks' eyes by a race; what these blocks store there themselves makes it no
  /// proof.
  explicit Standstill(bool others_run) : others_run_(others_run) {}

  /// Are `blocks`, all that live, in a state in which they were at an earlier call? Call it while none of
  /// their warps has a turn.
  [[nodiscard]] bool repeats(std::span<const BlockState* const> blocks);

 private:
  struct WarpMoment {
    std::vector<Fragment> fragments;
    std::vector<SpinningLanes> spinning;
    std::uint32_t live = 0, carry = 0, picks = 0, burst = 0, in_vain = 0;
    std::array<std::uint32_t, 32> committed{};
    std::size_t copies = 0;
    std::vector<std::byte> registers;
  };
  struct BlockMoment {
    std::uint64_t index = 0;
    std::array<Barrier, 16> barriers;
    std::vector<WarpMoment> warps;
    std::vector<std::uint64_t> entries;
  };

  [[nodiscard]] static bool same_places(const BlockMoment& then, const BlockState& now);
  [[nodiscard]] bool same_registers(std::span<const BlockState* const> blocks) const;
  void keep(std::span<const BlockState* const> blocks);

  const bool others_run_;
  std::vector<BlockMoment> kept_;
  std::optional<std::uint64_t> memory_;  ///< hash at the kept moment, once it was needed
  std::uint64_t calls_ = 0, next_ = 1;
};

}  // namespace evo::evaluators::virtual_device::warp
