// Puts the parts of an evaluation together: compiler, cache, device, ladder. The only place that knows all of
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "evaluators/evaluator.hpp"
#include "evaluators/gates/gate_times.hpp"
#include "model/experiment.hpp"

namespace evo::evaluators::compile {
class Compiler;
}
namespace evo::evaluators::gates {
class JobRunner;
class Ladder;
}  // namespace evo::evaluators::gates

namespace evo::cli {

/// Where an experiment runs.
struct DeviceChoice {
  std::string spelling;  ///< "virtual" or "cuda:N"
  std::string note;      ///< why this one, for a person; may be empty
};

/// Resolves auto, virtual and cuda:N. A GPU is taken when its architecture is the target's or newer. Throws
/// model::Exception(environment) when the device asked for is not there or too old.
[[nodiscard]] DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target);

/// 64 bits from the system.
[[nodiscard]] std::uint64_t draw_entropy();

struct AssemblyOptions {
  int threads = 1;
  std::uint64_t input_seed = 0;
  std::function<void(const std::string&)> log;  ///< one line each; may be empty
};

/// Owns an evaluator and what it stands on. Throws model::Exception(environment) when NVRTC or the device is
/// missing.
class Assembly {
 public:
  Assembly(const model::Experiment& experiment, const DeviceChoice& device, const AssemblyOptions& options);
  ~Assembly();
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  [[nodiscard]] evaluators::gates::Ladder& ladder();
  [[nodiscard]] evaluators::compile::Compiler& compiler();
  /// Where the time of this session went, gate by gate; see Ladder::times().
  [[nodiscard]] std::vector<evaluators::gates::GateTime> times() const;
  [[nodiscard]] evaluators::gates::JobRunner& runner();
  /// Another one on the same device, in a process that has run nothing yet (virtual: with nothing
  /// remembered).
  [[nodiscard]] std::unique_ptr<evaluators::gates::JobRunner> fresh_runner() const;
  /// "virtual" or "cuda:N".
  [[nodiscard]] const std::string& device() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace evo::cli
