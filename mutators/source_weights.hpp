// How often each operator on the text is used: weights of `search.mutators`, beside those of the genome's.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mutators/weights.hpp"

namespace evo::mutators {

/// All operators on the text at once: its weight is divided among them as default_source_shares() says.
inline constexpr std::string_view all_source_edits = "source_edits";
/// From the edits of two parents.
inline constexpr std::string_view edit_crossover = "edit_crossover";
/// The best variant without some of its edits.
inline constexpr std::string_view edit_removal = "edit_removal";

/// A variant that came near to correct, with one edit more or less.
inline constexpr std::string_view near_correct = "near_correct";
/// Another value of a gene that an edit brought.
inline constexpr std::string_view gene_value = "gene_value";

/// "source_edits", then the operators on the text: source_operator_names(), edit_crossover, edit_removal,
/// gene_value and near_correct.
[[nodiscard]] const std::vector<std::string>& source_weight_names();

/// The operators on the text with a weight above 0, `source_edits` divided, in their order. An operator that
/// has a weight of its own has nothing of what is divided.
[[nodiscard]] std::vector<std::pair<std::string, double>> source_weights(const Weights& weights);

}  // namespace evo::mutators
