// A problem's own reference kernel, run in fp64 on the virtual device.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluators/gates/device_pool.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "model/artifact.hpp"

namespace evo::evaluators::reference {

/// Runs every launch with all checks: what a race, an access out of bounds or uninitialised memory makes of a
/// reference is no answer, and an Error that names the reference's line. So is an output element of which a
/// byte is unwritten. Inputs are widened from the very bits that a candidate gets. Thread-safe.
class KernelReference final : public oracle::ComputedOracle {
 public:
  /// `artifact` is what reference_request() became, `plain` the same in float, if anybody needs that.
  explicit KernelReference(model::Artifact artifact, std::optional<model::Artifact> plain = std::nullopt);

  /// `bound` has a reference_launch.
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> compute(
      const model::Case& bound, const oracle::InputBuffers& inputs) const override;
  /// Where a thread is an output element (Case::reference_by_element) and there is one output.
  [[nodiscard]] bool computes_rows(const model::Case& bound) const override;
  /// Runs the blocks whose threads write these rows.
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> compute_rows(
      const model::Case& bound, const oracle::InputBuffers& inputs,
      std::span<const std::int64_t> rows) const override;

  /// The float one's answer; nullopt without it.
  [[nodiscard]] model::Expected<std::optional<oracle::ReferenceOutputs>> compute_plain(
      const model::Case& bound, const oracle::InputBuffers& inputs,
      std::span<const std::int64_t> rows) const override;

 private:
  /// `real` is what the artifact takes for EVO_REAL.
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> run(const model::Artifact& artifact,
                                                              model::DType real, const model::Case& bound,
                                                              const oracle::InputBuffers& inputs,
                                                              std::span<const std::int64_t> rows) const;

  /// Once for each case, by its name: what a reference leaves untouched does not follow the data.
  [[nodiscard]] bool asks_for_untouched(const model::Case& bound) const;

  model::Artifact artifact_;
  std::optional<model::Artifact> plain_;
  mutable gates::DevicePool machines_;
  mutable std::mutex mutex_;
  mutable std::set<std::string, std::less<>> asked_;
};

}  // namespace evo::evaluators::reference
