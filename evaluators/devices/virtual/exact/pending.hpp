// What threads of a block have begun and others wait for: barriers, copies in flight, flags.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/devices/virtual/exact/access.hpp"
#include "evaluators/devices/virtual/exact/knowledge.hpp"
#include "evaluators/devices/virtual/exact/launch_order.hpp"

namespace evo::evaluators::virtual_device::exact {

/// A bar.sync object, of the threads that have come and those that are awaited.
struct Barrier {
  std::uint32_t count = 0;    ///< explicit thread count, 0 = all
  std::uint32_t arrived = 0;  ///< threads
  std::vector<std::uint32_t> waiting;
  std::vector<std::uint32_t> joined;  ///< what the arrived ones know (partial barriers)
  SumOfKnowledge shared;              ///< what they know of other blocks
  bool arrive_only = false;           ///< some thread only arrived
  std::uint32_t true_count = 0;
  bool all_true = true;
};

/// A cp.async that its thread has not waited for.
struct Copy {
  Place to, from;          ///< from: only where size is not 0
  std::uint32_t size = 0;  ///< bytes that are read; the rest becomes zero
  std::uint32_t instruction = 0;
  std::uint32_t group = 0;
  std::uint64_t number = 0;  ///< of its thread, in the order of issue
};

/// The copies of one thread, in the order of their issue.
struct CopyQueue {
  std::vector<Copy> copies;
  std::uint32_t committed = 0;  ///< groups
  std::uint64_t issued = 0;     ///< copies
};

/// What a thread has to do with flags.
struct FlagState {
  MeetingKnowledge meeting;
  SharedKnowledge seen_block, seen_device;      ///< of flags that it has read, until a fence makes it count
  SharedKnowledge fenced_block, fenced_device;  ///< at its last fences: what its next strong writes publish
  SharedKnowledge last_learnt;
  /// What was added last to seen_*, and to those of `meeting`: who polls sees the same over and over.
  SharedKnowledge last_seen_block, last_seen_device, last_fences_block, last_fences_device;
};

}  // namespace evo::evaluators::virtual_device::exact
