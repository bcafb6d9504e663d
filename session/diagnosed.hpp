// What `evo diagnose` is asked about, and where it runs. The diagnosis itself is in diagnose/.
#pragma once

#include <optional>
#include <string>

#include "evaluators/gates/device_pool.hpp"
#include "session/device_choice.hpp"
#include "session/source_experiment.hpp"

namespace evo::session {

struct Diagnosed {
  model::Experiment experiment;  ///< its device, limits and inputs hold
  std::string template_name;
  model::Genome genome;
  /// A text in the place of the template's, and its file; nullopt: the template's own.
  std::optional<std::string> source{};
  std::string source_file{};
  std::string title{};    ///< "variant 0123456789abcdef of runs/x"; empty: the source says it
  std::string verdict{};  ///< of the run, where it is a failure: "wrong (values)"
};

/// A source file with a problem, or a variant of a run (a prefix of its id, "champion", ...): `source.source`
/// names the file or the run, and `source.problem` is empty for a run. Throws model::Exception: (usage) where
/// both or neither are meant, or no such variant is there; what read_source_experiment() and open_run()
/// throw.
[[nodiscard]] Diagnosed choose_diagnosed(const SourceRequest& source, const std::string& variant);

/// The virtual device, which sees most. What it does not follow in all variants (`needs_gpu`) goes to a GPU,
/// where the experiment may use one. Throws what choose_device() throws.
[[nodiscard]] DeviceChoice device_to_diagnose_on(const model::Experiment& experiment, bool needs_gpu);

/// Makes devices of that kind; those of a GPU share its context. Throws model::Exception(environment) where
/// the GPU cannot be opened.
[[nodiscard]] evaluators::gates::DeviceFactory device_factory(const DeviceChoice& device,
                                                              const model::TargetProfile& target);

}  // namespace evo::session
