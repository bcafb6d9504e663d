// Runs candidates on a device under controlled conditions and says what came out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/subject.hpp"
#include "evaluators/compile/compiler.hpp"
#include "evaluators/devices/device.hpp"
#include "evaluators/gates/device_pool.hpp"
#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"

namespace evo::diagnose {

enum class WorkspaceFill : std::uint8_t { poison, zero };

/// The conditions of one observation.
struct Setup {
  model::Workload workload;
  std::size_t input_set = 0;                                 ///< of Subject::set()
  std::optional<evaluators::oracle::InputBuffers> inputs{};  ///< in place of the set's data
  unsigned shift = 0;  ///< base alignments: gates::misalignment(shift + i)
  std::uint64_t schedule_seed = 0;
  std::uint32_t poison = 1;  ///< draw of the patterns in outputs and workspaces
  int launches = 1;          ///< one after the other into the same buffers; outputs are poisoned before each
  bool reload = false;       ///< load the module anew before each launch
  WorkspaceFill workspace = WorkspaceFill::poison;  ///< before the first launch,
  bool workspace_each = false;                      ///< or before each
  std::uint64_t instruction_budget = 0;             ///< of a launch; 0: the subject's
  bool quick_build = false;  ///< without unrolled loops: a quarter of the time to compile, the same results
};

struct Observation {
  std::optional<model::Failure> failure;
  int failing_launch = 0;  ///< 1-based; 0: none failed
  model::Case bound;
  /// Per argument: whole buffer after the last launch, and its comparison (outputs only).
  std::vector<std::vector<std::byte>> contents;
  std::vector<std::optional<evaluators::oracle::Comparison>> comparisons;
  std::vector<std::vector<double>> references;
  evaluators::oracle::InputBuffers inputs;

  [[nodiscard]] bool failed() const { return failure.has_value(); }
};

/// True for two failures that may have the same cause: status and reason agree.
[[nodiscard]] bool same_kind(const model::Failure& a, const model::Failure& b);

/// Told what a diagnosis is at ("reducing the shape") and how many experiments it has made so far.
using Told = std::function<void(const std::string& what, int experiments)>;

/// Not thread-safe. A device that is lost is replaced by a new one of the factory.
class Lab {
 public:
  /// The subject and the compiler must outlive the lab. After `seconds` expired() is true; observations are
  /// still made when asked for.
  Lab(const Subject& subject, evaluators::compile::Compiler& compiler,
      evaluators::gates::DeviceFactory devices, double seconds);

  /// Compile errors are failures of the observation, and so is what is missing in the compiled code
  /// (gates::check_proxy_fences), which then is not launched. Throws model::Exception for a broken
  /// environment, or inputs and oracles that do not fit the problem.
  [[nodiscard]] Observation observe(const Candidate& candidate, const Setup& setup);
  [[nodiscard]] Observation observe(const Setup& setup) { return observe(subject_.candidate, setup); }

  /// A build of its own, e.g. with probes; cached like all others.
  [[nodiscard]] evaluators::devices::Outcome<model::Artifact> compile(const std::string& source,
                                                                      bool quick = false);
  [[nodiscard]] evaluators::devices::Device& device();

  /// `told` is called at each step of the diagnosis and for each experiment.
  void tell(Told told) { told_ = std::move(told); }
  /// What the diagnosis is at from now on.
  void at(const std::string& what);

  [[nodiscard]] const Subject& subject() const { return subject_; }
  /// The time is up, or lost().
  [[nodiscard]] bool expired() const;
  /// A GPU that a fault of the candidate has taken away: this process gets no other, and sees nothing more.
  [[nodiscard]] bool lost() const;
  [[nodiscard]] double seconds() const;
  [[nodiscard]] double limit() const { return limit_seconds_; }
  [[nodiscard]] int observations() const { return observations_; }

 private:
  struct Data {
    evaluators::oracle::InputBuffers inputs;
    evaluators::oracle::Reference reference;
    bool in_domain = true;  ///< false: nothing is asked of such data
  };
  [[nodiscard]] const Data& data_of(const model::Case& bound, const Setup& setup);
  void launch_all(const model::Artifact& artifact, const Setup& setup, const Data& data, Observation& result);

  const Subject& subject_;
  evaluators::compile::Compiler& compiler_;
  evaluators::gates::DeviceFactory devices_;
  std::unique_ptr<evaluators::devices::Device> device_;
  std::map<std::string, evaluators::devices::Outcome<model::Artifact>> artifacts_;
  std::map<std::string, Data> data_;
  Data given_;  ///< of the last Setup::inputs
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double limit_seconds_;
  int observations_ = 0;
  Told told_;
  std::string at_;
};

}  // namespace evo::diagnose
