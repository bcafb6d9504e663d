// gates.counters: what the profile gate asks of every candidate.
#pragma once

#include <vector>

#include "config/yaml_reader.hpp"
#include "model/counters.hpp"

namespace evo::config {

/// Reads a list of texts "COUNTER < NUMBER" (also <=, >, >=; a % behind the number is taken). Invalid at the
/// text that is wrong, naming the nearest counter.
[[nodiscard]] std::vector<model::CounterBound> read_counter_bounds(const Reader& value);

}  // namespace evo::config
