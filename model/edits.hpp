// A genome's edits of its source. They are values of the genome, under names that no gene can have: whatever
// keeps, sends, compares or prints a genome keeps its edits, and a genome without edits is what it always
// was.
#pragma once

#include <optional>
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

/// What an edit's name has as its value where the edit is left out.
inline constexpr std::string_view no_edit{};

/// The genome with these values. Edits that are left out are gone, and the others keep their order.
[[nodiscard]] Genome with_values(Genome genome, const Environment& values);

/// The text of an edit for a line of its own: a statement that it writes may be a page long.
[[nodiscard]] std::string short_edit(std::string_view edit);

/// "without EDIT" (short_edit) for an edit that is left out, "GENE=VALUE (was VALUE)" for all else, a comma
/// between; `was` has the names of `now`.
[[nodiscard]] std::string change_text(const Environment& was, const Environment& now);

/// Why a genome's edits bring no genes that are legal among `others`, the values of all other genes and
/// names: a name that is taken, or a condition that does not hold. nullopt where they are, or there are none.
[[nodiscard]] std::optional<std::string> text_gene_violation(const Genome& genome, const Environment& others);

/// The text with the genome's edits.
[[nodiscard]] std::string edited(std::string text, const Genome& genome);

}  // namespace evo::model
