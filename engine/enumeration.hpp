// The genomes of a space, one after the other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/search_space.hpp"

namespace evo::engine {

struct Listed {
  std::string template_name;
  model::Genome genome;
};

/// The first `most` legal genomes: the baseline, then template by template, in each with the values in their
/// order and the last gene changing fastest.
[[nodiscard]] std::vector<Listed> enumerate(const SearchSpace& space, std::size_t most);

}  // namespace evo::engine
