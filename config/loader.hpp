// YAML to model values. Every error has file, line, column and, for a misspelt word, the nearest right one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "model/experiment.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// Where problems are looked for by name: folders that hold one folder a problem.
struct SearchPath {
  std::vector<std::string> kernel_folders;
};

/// kernels/ beside the experiment, below the working directory, and of the installation that `executable` is
/// in (share/evo/kernels, or the source tree's).
[[nodiscard]] SearchPath default_search_path(const std::string& executable);

/// Reads problem.yaml of `folder_or_name` with its sources and headers.
[[nodiscard]] model::Expected<model::Problem> load_problem(const std::string& folder_or_name,
                                                           const SearchPath& path);

/// Overrides of single keys: {"search.seed", "7"}.
using Overrides = std::vector<std::pair<std::string, std::string>>;
/// Splits "search.seed=7".
[[nodiscard]] model::Expected<std::pair<std::string, std::string>> parse_override(const std::string& text);

/// The settings among the keys of an experiment (gates, search, budget, smem_limit, input_seed) over those of
/// one that was put together without a file; any other key is an error.
[[nodiscard]] model::Expected<void> apply_overrides(model::Experiment& experiment,
                                                    const Overrides& overrides);

/// Reads an experiment and its problem, applies `overrides`, checks everything that needs no compiler: names,
/// ranges, the baseline's legality, the launch plans of every workload.
[[nodiscard]] model::Expected<model::Experiment> load_experiment(const std::string& file,
                                                                 const Overrides& overrides,
                                                                 const SearchPath& path);

/// Gives every workload of an experiment a value for every axis, and the problem's odd shapes the
/// experiment's compile-time axes. load_experiment() has done so already; for experiments that are put
/// together otherwise.
void complete_workloads(model::Experiment& experiment);

}  // namespace evo::config
