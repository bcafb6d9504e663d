// `metrics` of a problem. Throws Invalid.
#pragma once

#include <vector>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// None where the section is missing. Names that a metric uses are axes of `problem`, time, flops and bytes.
[[nodiscard]] std::vector<model::Metric> read_metrics(const Reader& root, const model::Problem& problem);

}  // namespace evo::config
