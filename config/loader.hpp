// YAML to model values. Every error has file, line, column and, for a misspelt word, the nearest valid one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "model/experiment.hpp"
#include "model/known_names.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// What reading needs besides the file itself.
struct SearchPath {
  /// Where problems are looked for by name: folders that hold one folder a problem.
  std::vector<std::string> kernel_folders;
  /// Where the targets that ship are looked for by name, after those beside an experiment: one file a GPU
  /// model.
  std::vector<std::string> target_folders{};
  /// Where experiments stand whose names a missing file may have meant.
  std::vector<std::string> experiment_folders{};
  /// What problem files may name of the evaluators; a list that is empty is not checked.
  model::KnownNames known{};
};

/// kernels/ below the working directory, and kernels/, targets/ and experiments/ of the installation that
/// `executable` is in (share/evo, or the source tree).
[[nodiscard]] SearchPath default_search_path(const std::string& executable, model::KnownNames known);

/// Reads problem.yaml of `folder_or_name` with its sources and headers. Oracle, input kinds, their parameters
/// and formulas of stages are among those of the path.
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
