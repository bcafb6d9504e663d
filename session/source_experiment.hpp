// An experiment around one source file, for `check` and `diagnose`: genes and launch plan come from a
// template of the problem, the text from the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/experiment.hpp"

namespace evo::session {

struct SourceRequest {
  std::string source;  ///< the file
  /// What the template predicts of its static shared memory is not asked of another text: the compiler's
  /// count is taken.
  bool own_shared_memory = false;
  std::string problem;  ///< name or folder
  /// Empty: the problem's first template, device auto, default_target, the problem's first accuracy class.
  std::string kernel, device, target, accuracy_class;
  std::vector<std::string> genes;      ///< NAME=VALUE; the rest keep their initial values
  std::vector<std::string> workloads;  ///< AXIS=N,AXIS=N; none: usual_workload()
  std::vector<std::string> set;        ///< dotted.key=value; settings only
  std::optional<std::uint64_t> input_seed;
  /// A naive kernel that is the oracle in the place of the problem's own, as `oracle: {kernel: FILE}` would
  /// be; empty: the problem's.
  std::string reference{};
};

struct SourceExperiment {
  model::Experiment
      experiment;  ///< its only template has the file's text; the baseline is the genome asked for
  std::string template_source;  ///< the text that the template had before
};

/// Throws model::Exception: (usage) for what the arguments name and nobody knows, (invalid_configuration) for
/// a problem that cannot be read.
[[nodiscard]] SourceExperiment read_source_experiment(const SourceRequest& request);

/// NAME=VALUE texts as values of the space's genes. Throws model::Exception(usage) for what it does not have.
[[nodiscard]] std::vector<std::pair<std::string, model::Value>> read_gene_values(
    const std::vector<std::string>& texts, const model::Space& space);
/// AXIS=N,AXIS=N texts, named w0, w1, ...; each names every axis that has no value by itself. Throws
/// model::Exception(usage).
[[nodiscard]] std::vector<model::Workload> read_workloads(const std::vector<std::string>& texts,
                                                          const model::Problem& problem);

}  // namespace evo::session
