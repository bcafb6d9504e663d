// The operators' weights of an experiment: `search.mutators`, and the older forms of it.
#pragma once

#include "config/yaml_reader.hpp"
#include "model/experiment.hpp"

namespace evo::config {

/// Takes the weights from the section `search`, whose strategy must be known already. Three forms:
///  - a map, operator: weight; operators that it does not name keep the strategy's default;
/// Language models stand in the map, or in the list, under `llm` (language_models.hpp).
///  - a list of operators (older): these keep their default, the others are off, but `neighbour` goes with
///    `gene_mutation`; an empty list is none at all;
///  - `crossover` and `immigrants` (older, not beside a map): shares that are turned into weights.
/// An unknown operator, a weight that is negative or no number, and weights that are all 0 are Invalid.
void read_mutators(const Reader& search, model::SearchSettings& settings);

}  // namespace evo::config
