// Work of which nobody waits for the end: its next job is not begun.
#pragma once

#include <atomic>
#include <memory>

#include "session/evaluation_stack.hpp"

namespace evo::session {

using Abandoned = std::shared_ptr<std::atomic<bool>>;

/// `parts` whose runners, that of the virtual device included, and whose compiler throw
/// model::Exception(interrupted) in place of the next job while `abandoned` says so. One that is under way is
/// done to its end. What proves a champion is not touched.
[[nodiscard]] StackParts until_abandoned(StackParts parts, const Abandoned& abandoned);

}  // namespace evo::session
