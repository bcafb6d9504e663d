// Made-up models of a landscape's latency, from exact to wrong: what screening is judged with.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/search/landscape.hpp"

namespace evo::bench {

struct ScreenModel {
  /// Of a candidate, in any unit; what fails in the landscape is modelled like a middling one.
  std::function<double(const std::string& template_name, const model::Genome& genome)> latency;
  double spearman = 0;  ///< of model and landscape over a sample of random correct genomes
};

/// Random correct genomes of a landscape, and the logarithms of their latencies.
struct ScreenSample {
  std::vector<std::pair<std::string, model::Genome>> genomes;
  std::vector<double> logs;
};
[[nodiscard]] ScreenSample screen_sample(const Landscape& landscape);

/// `name`: "exact"; a rank correlation above 0 and below 1, such as "0.85": the logarithm of the latency with
/// normal noise of its own for each genome; "noise": noise alone; "genes": a sum of effects of single genes
/// that have nothing to do with the landscape, so that it misleads always the same way; "inverse": what is
/// slow is fast. `seed` draws the noise. Throws model::Exception(usage) for another name.
[[nodiscard]] ScreenModel screen_model(const Landscape& landscape, const ScreenSample& sample,
                                       const std::string& name, std::uint64_t seed);

}  // namespace evo::bench
