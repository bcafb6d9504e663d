// Lanes that spin on words which nobody changes.
//
// A lock that each thread takes is polled by all of them until the last has had it: thousands of warps times
// thousands of turns. So once the polls of a block have cost enough, lanes that look at the same words for
// the second time, and see the same there, spend no more instructions until one of the words changes, or some
// turns have passed: whatever gives up after some tries still does. On a GPU they would only be slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evo::evaluators::virtual_device::warp {

struct BlockState;
struct Fragment;
struct Op;
struct Warp;

/// Lanes of one warp in front of a poll.
struct SpinningLanes {
  struct Word {
    const std::byte* data = nullptr;
    std::uint32_t width = 0;
    std::uint64_t value = 0;

    [[nodiscard]] bool operator==(const Word&) const = default;
  };

  const Op* op = nullptr;  ///< the step behind poll_step
  std::uint32_t mask = 0;
  bool waits = false;         ///< until a word changes, or `turns` are over
  std::uint32_t turns = 0;    ///< left
  std::vector<Word> words{};  ///< that they saw, each once

  [[nodiscard]] bool operator==(const SpinningLanes&) const = default;
};

/// Polls (of one lane each) of a block that are made in full, in a launch of `blocks`.
[[nodiscard]] std::uint64_t polls_in_full(std::uint64_t blocks);

/// The running lanes come to `poll`. Do they see the same as when they came here before, and only those?
/// Then they wait, once they are parked behind it.
[[nodiscard]] bool spins(Warp& warp, const Op* poll);

/// Does a fragment spin on words that are still the same?
[[nodiscard]] bool waits(Warp& warp, const Fragment& fragment);

/// Asked when the warp's turn comes: do all of its lanes that could run wait? Counts as one of their turns.
[[nodiscard]] bool only_waits(Warp& warp);

}  // namespace evo::evaluators::virtual_device::warp
