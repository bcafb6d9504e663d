// Contents of arguments that say themselves what they hold (model/fill.hpp): drawn, and varied within what
// they may hold.
#pragma once

#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {

/// Replaces the drafts of all arguments that have a fill in this set: drawn from it, shaped by the set's kind
/// where takes_pattern() says so (and the set means this argument); what follows another argument last.
void draw_fills(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                DraftInputs& draft);

/// What hangs on another argument once more, on what that holds now: columns are copied, rows that would end
/// before they begin or beyond the last are cut.
void follow_others(const model::Case& bound, const model::InputSet& set, DraftInputs& draft);

/// False: a fill of numbers that are written down, and 0 is not between them.
[[nodiscard]] bool may_be_zero(const model::Fill& fill);

/// A fill of integers with numbers that are written down, as far apart as words?
[[nodiscard]] bool holds_words_of_bits(const model::Fill& fill);

}  // namespace evo::evaluators::oracle
