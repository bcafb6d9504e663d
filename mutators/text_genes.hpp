// Operators on the genes that edits of the text bring along.
#pragma once

#include <functional>
#include <vector>

#include "source/edit.hpp"

namespace evo::mutators {

/// The lists that differ from `edits` in the value of one gene, in the order of the edits.
[[nodiscard]] std::vector<source::Edits> gene_steps(const source::Edits& edits);

/// The list with the values of its genes nearest to those that it has, such that `legal` holds; none of the
/// edits where no value of any one gene does.
[[nodiscard]] source::Edits with_legal_genes(const source::Edits& edits,
                                             const std::function<bool(const source::Edits&)>& legal);

}  // namespace evo::mutators
