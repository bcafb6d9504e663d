// A genome's edits of its source. They are values of the genome, under names that no gene can have: whatever
// keeps, sends, compares or prints a genome keeps its edits, and a genome without edits is what it always
// was.
#pragma once

#include <string>
#include <string_view>

#include "model/space.hpp"
#include "source/edit.hpp"

namespace evo::model {

/// "~00", "~01", ...: the name of an edit among a genome's values. Genes are C identifiers.
[[nodiscard]] bool names_an_edit(std::string_view name);

/// In the order in which they apply. A value that is no edit, as in an altered ledger, is left out.
[[nodiscard]] source::Edits edits_of(const Genome& genome);

/// The genome with these edits and no others; at most 100.
[[nodiscard]] Genome with_edits(const Genome& genome, const source::Edits& edits);

/// The text with the genome's edits.
[[nodiscard]] std::string edited(std::string text, const Genome& genome);

}  // namespace evo::model
