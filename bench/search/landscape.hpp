// What a search is judged on: a space, and what each genome of it costs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/search_space.hpp"

namespace evo::bench {

struct Landscape {
  std::string name;
  engine::SearchSpace space;
  /// In any unit of time; nullopt: the candidate fails.
  std::function<std::optional<double>(const std::string& template_name, const model::Genome& genome)> latency;
  /// What a correct candidate does, by the names of model::archive_axes(); nothing where nobody counted it.
  std::function<std::vector<std::pair<std::string, std::string>>(const std::string& template_name,
                                                                 const model::Genome& genome)>
      behaviour{};
  double optimum = 0;  ///< the least latency that there is (recorded), or that was ever seen (made up)
};

/// A complete measurement of a kernel in Kernel Tuner's cache format, gzip'd JSON. What the file holds is
/// legal, all else is not; failures stay failures. Throws model::Exception when the file is none.
[[nodiscard]] Landscape recorded_landscape(const std::string& file);

/// The templates of an experiment with a made-up latency: a level for each template, a random effect for each
/// gene, for pairs and for triples of genes, and combinations that fail. One template leads, at random.
/// Sectors, conflicts, occupancy and instructions are made up too, each by three genes; latencies do not
/// follow them.
[[nodiscard]] Landscape synthetic_landscape(const engine::SearchSpace& space, std::uint64_t instance);

}  // namespace evo::bench
