// The templates an experiment searches, each with its bound space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/experiment.hpp"
#include "model/variant.hpp"

namespace evo::engine {

struct SearchTemplate {
  model::Template kernel_template;
  model::Space space;  ///< bound to the experiment: model/searched_space.hpp
};

struct SearchSpace {
  std::vector<SearchTemplate> templates;  ///< in the problem's order; the baseline's is among them
  std::size_t baseline_template = 0;
  model::Genome baseline;
  std::vector<model::InitialDesign>
      initial_designs{};  ///< tried directly behind it, each legal and no other's twin

  [[nodiscard]] const SearchTemplate* find(std::string_view name) const;
};

/// Binds the experiment's templates. Throws model::Exception(invalid_configuration) when a named template
/// does not exist or the baseline's genome is not legal.
[[nodiscard]] SearchSpace make_search_space(const model::Experiment& experiment);

/// Legal genomes of all templates; 2^64 - 1 also stands for more.
[[nodiscard]] std::uint64_t legal_genomes(const SearchSpace& space);

/// Names a genome of a template: equal keys, equal variants.
[[nodiscard]] std::string genome_key(std::string_view template_name, const model::Genome& genome);

}  // namespace evo::engine
