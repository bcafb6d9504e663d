// The sweeps of a problem.yaml: named lists of workloads that `evo bench --sweep` measures.
#pragma once

#include <vector>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// In the file's order. An entry names axis values as expressions; with `for: {AXIS: [VALUES]}` it stands for
/// one workload for each combination, the last axis fastest, and its expressions may use those axes. {AXIS}
/// in its name is that workload's value. Throws Invalid for a value that is none of its axis, an unknown
/// name, and two workloads of a sweep with one name.
[[nodiscard]] std::vector<model::Sweep> read_sweeps(const Reader& reader, const model::Problem& problem);

}  // namespace evo::config
