// `evo profile`: what a kernel does with the device, counted.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "evaluators/gates/profiler.hpp"
#include "session/compared.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

struct ProfileRequest {
  std::string subject;     ///< as read_compared() takes it
  SourceRequest source;    ///< of a source; its workloads, target and device are for all
  bool ncu_alone = false;  ///< not CUPTI
  int launches = 0;        ///< that are counted; 0: by their length
};

/// What one profile came to. Measured and modelled counters stand beside each other.
struct Profile {
  std::string given, kind, template_name, variant;
  std::string device;  ///< DeviceChoice::id
  std::optional<model::CounterReading> measured, modelled;
  std::vector<evaluators::gates::NoProfile> refused;  ///< the tools that did not count
  std::string wrong;         ///< why the kernel is refused: wrong, or its launch failed; empty otherwise
  std::string stored;        ///< the file that keeps it; empty: none
  std::string not_stored{};  ///< why a run's folder does not keep it; empty: it does, or there is no run

  /// 0; 4 where a GPU's counters were asked for and not to be had; 6 where the kernel is refused.
  [[nodiscard]] int exit_code() const;
};

/// What a profile stands on; a test hands in fakes.
struct ProfileParts {
  std::function<std::unique_ptr<EvaluationStack>(const model::Experiment&)> stack;
  /// nullptr on the virtual device.
  std::shared_ptr<evaluators::gates::Profiler> measuring;
  std::shared_ptr<evaluators::gates::Profiler> modelling;
};
[[nodiscard]] ProfileParts real_profile_parts(const model::Experiment& experiment, const DeviceChoice& device,
                                              const ProfileRequest& request, const std::stop_token& stop);

/// Proves what no run has proven, counts, and stores the counters of a run's variant in its folder. Throws
/// model::Exception as read_compared() and EvaluationStack do.
[[nodiscard]] Profile profile_subject(const Compared& subject, const DeviceChoice& device,
                                      const ProfileParts& parts, const Tell& tell);

/// Where a run's experiment bounds counters: who counts for its profile gate.
[[nodiscard]] std::shared_ptr<evaluators::gates::Profiler> gate_profiler(const model::Experiment& experiment,
                                                                         const DeviceChoice& device);

}  // namespace evo::session
