// Operators on lists of edits.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/random.hpp"
#include "source/edit.hpp"

namespace evo::mutators {

/// A list with the edits of a change at its end, without those of the same places that they replace; nullopt
/// where it has one of them.
[[nodiscard]] std::optional<source::Edits> with_change(source::Edits edits, const source::Edits& change);

/// What both have, and each of the others with equal chance, in the order of `a`, then of `b`.
[[nodiscard]] source::Edits crossed(const source::Edits& a, const source::Edits& b,
                                    model::RandomStream& random);

/// The same without a stream: each of the others by a hash of it and of `salt`.
[[nodiscard]] source::Edits crossed(const source::Edits& a, const source::Edits& b, std::string_view salt);

/// Parts of a list that are to be tried in place of it, as ddmin does: halves and what they leave, quarters,
/// ..., at last each edit alone left out. The empty list comes first.
[[nodiscard]] std::vector<source::Edits> smaller_lists(const source::Edits& edits);

/// True if every edit of `part` is in `whole`, and `whole` has more.
[[nodiscard]] bool is_part_of(const source::Edits& part, const source::Edits& whole);

}  // namespace evo::mutators
