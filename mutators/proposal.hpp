// What the operators are for: a genome to try next, and where it comes from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/space.hpp"

namespace evo::mutators {

/// What a strategy proposes to try next.
struct Proposal {
  model::Genome genome;
  std::string template_name;
  std::vector<std::string> parents;  ///< variant ids; empty for a fresh genome
  std::string operator_name;         ///< "gene_mutation", "uniform_crossover+gene_mutation", ...
  std::string rationale;             ///< why, for a person; cites the ids of insights that were used
  /// Expected change of the logarithm of latency against the first parent; nullopt when nothing is predicted.
  std::optional<double> predicted_effect;
};

/// "BLOCK_N 64 -> 128, STAGES 2 -> 1": the genes that both have, with other values.
[[nodiscard]] std::string describe_changes(const model::Genome& from, const model::Genome& to);

}  // namespace evo::mutators
