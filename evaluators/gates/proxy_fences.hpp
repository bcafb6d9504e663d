// Ordinary writes to shared memory that the tensor cores or the copy engine read without a proxy fence
// between.
#pragma once

#include <optional>

#include "evaluators/gates/evidence.hpp"
#include "model/artifact.hpp"

namespace evo::evaluators::gates {

/// sanitizer_fail / "proxy_fence" if, in the artifact's PTX, a write to shared memory through the generic
/// proxy (st, stmatrix, atom, red, cp.async) may come to a read through the asynchronous proxy (wgmma, or a
/// bulk copy out of shared memory) without a fence.proxy.async: on a way of the thread itself, or handed over
/// to another by barriers of the block, the cluster or in shared memory (mbarriers). A GPU may do without the
/// fence for as long as it is watched; no sanitizer sees it. One piece of evidence for each writing source
/// line: file and line are the write's, the details other_file and other_line the read's, hand_over_file and
/// hand_over_line those of the barrier, if there is one between.
///
/// The fence may be executed by any thread on the way from the write to the read: by the one that writes
/// before it hands over, or by the one that reads after it has taken over. What cp.async writes needs it
/// after the copy was waited for.
///
/// What this cannot see:
///   Addresses are not compared. A write to shared memory that no wgmma and no bulk copy reads needs a fence
///   too if one comes after it, and an arrival on one mbarrier is held to end each wait on any; a store
///   without a state space (st.f32) counts as one to shared memory.
///   Conditions are not evaluated: all ways through the branches count, and a fence under a predicate is
///   none. A barrier that a thread meets is held to end others' waits at the same kind of barrier (of the
///   same number, where both are constants) in other branches, in the same loop or, where arriving and
///   waiting are two instructions, later; not waits that lie behind the threads that come to it. So a kernel
///   whose readers' branch stands before the writers', one after the other, is accepted whatever it lacks.
///   Hand-overs by __syncwarp, flags in memory, st.async and calls through registers are not followed. Nor
///   are other pairs of accesses that need such a fence: a bulk copy to where ordinary reads were before,
///   mbarriers that were not made known to the copy engine, and global memory.
[[nodiscard]] std::optional<model::Failure> check_proxy_fences(const model::Artifact& artifact);

}  // namespace evo::evaluators::gates
