// The buffers that timed launches rotate through, and what must stand in them afterwards.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/cold_sets.hpp"
#include "evaluators/gates/job_context.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {

/// Real device, hot: two to eight sets of buffers of a case with different inputs, 256 MiB in all if the case
/// is big. Cold (GateSettings::cache): as many as cold_plan() says, which hold the same few inputs in turn.
/// Virtual device: one, with inputs that are the same in every run, since counts may depend on data.
/// `context` and the case outlive it.
class TimedBufferSets {
 public:
  [[nodiscard]] static Outcome<TimedBufferSets> create(const JobContext& context, const model::Case& bound);

  /// Set i gets the inputs of set i + shift and fresh poison.
  [[nodiscard]] Outcome<void> fill(std::size_t shift);
  /// The outputs must be correct for inputs of that shift, everything else untouched: in every set, or in a
  /// few that are drawn where there are many. `when` goes into the evidence. `writer`: the case as the
  /// variant has it that wrote last, where several take turns on the buffers; nullptr: that of create().
  [[nodiscard]] Outcome<void> verify(std::size_t shift, const std::string& when,
                                     const model::Case* writer = nullptr) const;

  /// How launches find the L2 cold; nullopt: hot.
  [[nodiscard]] const std::optional<ColdPlan>& cold() const { return cold_; }

  [[nodiscard]] std::vector<CaseBuffers>& buffers() { return buffers_; }
  [[nodiscard]] const std::vector<CaseBuffers>& buffers() const { return buffers_; }
  /// One set of arguments a ring, as Device::time takes them.
  [[nodiscard]] const std::vector<std::vector<devices::KernelArgument>>& argument_sets() const {
    return arguments_;
  }
  /// What is correct in set `ring` after fill(0).
  [[nodiscard]] const oracle::ReferenceData& reference(std::size_t ring) const { return *reference_of(ring); }

 private:
  TimedBufferSets(const JobContext& context, const model::Case& bound);
  [[nodiscard]] const std::shared_ptr<const oracle::ReferenceData>& reference_of(std::size_t ring) const {
    return references_[ring % references_.size()];
  }
  [[nodiscard]] std::vector<std::size_t> verified_sets() const;

  const JobContext* context_;
  const model::Case* case_;
  std::optional<ColdPlan> cold_;
  std::vector<std::shared_ptr<const oracle::ReferenceData>> references_;
  std::vector<CaseBuffers> buffers_;
  std::vector<std::vector<devices::KernelArgument>> arguments_;
  mutable model::RandomStream draws_;  ///< which of many sets are verified
};

}  // namespace evo::evaluators::gates
