// A problem's own reference kernel, run in fp64 on the virtual device, and where there is one on a GPU.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "evaluators/gates/device_pool.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/reference/reference_run.hpp"
#include "evaluators/reference/side_device.hpp"
#include "model/artifact.hpp"

namespace evo::evaluators::reference {

/// Runs every launch with all checks: what a race, an access out of bounds or uninitialised memory makes of a
/// reference is no answer, and an Error that names the reference's line. So is an output element of which a
/// byte is unwritten. Inputs are widened from the very bits that a candidate gets. Thread-safe.
///
/// With a side device (a GPU) what would take the virtual one more than some milliseconds is launched there,
/// whole: light cases are computed on both, and of a heavy one some rows where they can be had; an Error if
/// the two differ by more than rounding.
class KernelReference final : public oracle::ComputedOracle {
 public:
  /// `artifact` is what reference_request() became, `plain` the same in float, if anybody needs that, and
  /// `powers` in float with_powers_by_exp2().
  explicit KernelReference(model::Artifact artifact, std::optional<model::Artifact> plain = std::nullopt,
                           std::shared_ptr<SideDevice> side = nullptr,
                           std::optional<model::Artifact> powers = std::nullopt);

  /// `bound` has a reference_launch.
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> compute(
      const model::Case& bound, const oracle::InputBuffers& inputs) const override;
  /// A heavy case, with a side device.
  [[nodiscard]] bool prefers_whole(const model::Case& bound) const override;
  /// Where a thread is an output element (Case::reference_by_element) and there is one output.
  [[nodiscard]] bool computes_rows(const model::Case& bound) const override;
  /// Runs the blocks whose threads have the numbers of these rows' elements, or all where others write them.
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> compute_rows(
      const model::Case& bound, const oracle::InputBuffers& inputs,
      std::span<const std::int64_t> rows) const override;

  /// Of what is launched on the virtual device.
  [[nodiscard]] std::optional<oracle::ExactWords> compute_words(
      const model::Case& bound, const oracle::InputBuffers& inputs) const override;

  /// On the virtual device.
  [[nodiscard]] std::optional<std::uint64_t> effort(const model::Case& bound,
                                                    const oracle::InputBuffers& inputs) const override;

  /// The float one's answer; nullopt without it.
  [[nodiscard]] model::Expected<std::optional<oracle::ReferenceOutputs>> compute_plain(
      const model::Case& bound, const oracle::InputBuffers& inputs,
      std::span<const std::int64_t> rows) const override;

  /// The answer of `powers`; nullopt without it, and where it has none.
  [[nodiscard]] std::optional<oracle::ReferenceOutputs> compute_otherwise(
      const model::Case& bound, const oracle::InputBuffers& inputs,
      std::span<const std::int64_t> rows) const override;

  /// The float one's rounded to either neighbour (directed_roundings.hpp), on the virtual device; nullopt
  /// without it, where it has no answer, and of a heavy case that a side device computes.
  [[nodiscard]] std::optional<oracle::ReferenceOutputs> compute_rounded(const model::Case& bound,
                                                                        const oracle::InputBuffers& inputs,
                                                                        std::uint64_t draw) const override;

  /// Likewise of the fp64 one.
  [[nodiscard]] std::optional<oracle::ReferenceOutputs> compute_rounded_in_f64(
      const model::Case& bound, const oracle::InputBuffers& inputs, std::uint64_t draw) const override;

  /// Two draws (with_other_quotients()), on the virtual device; nullopt of a heavy case that a side device
  /// computes.
  [[nodiscard]] std::optional<oracle::ReferenceOutputs> compute_with_other_quotients(
      const model::Case& bound, const oracle::InputBuffers& inputs, std::uint64_t draw) const override;

 private:
  /// `real` is what the artifact takes for EVO_REAL.
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> run(const model::Artifact& artifact,
                                                              model::DType real, const model::Case& bound,
                                                              const oracle::InputBuffers& inputs,
                                                              std::span<const std::int64_t> rows) const;
  /// Of these rows, or of all where others write them.
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> run_in_float(
      const model::Artifact& artifact, const model::Case& bound, const oracle::InputBuffers& inputs,
      std::span<const std::int64_t> rows) const;

  /// `artifact` with this PTX in the place of its own, on the virtual device; nullopt: it has no answer.
  [[nodiscard]] std::optional<oracle::ReferenceOutputs> run_as(const model::Artifact& artifact,
                                                               std::string ptx, model::DType real,
                                                               const model::Case& bound,
                                                               const oracle::InputBuffers& inputs) const;

  /// On the virtual device; the first light cases on the side device as well.
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> checked(const ReferenceRun& run) const;
  /// On the side device; once for each case some rows on the virtual one as well.
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> on_side(const ReferenceRun& run) const;
  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> launched_on_side(const ReferenceRun& run) const;
  [[nodiscard]] std::optional<model::Error> difference(const oracle::ReferenceOutputs& checked,
                                                       const oracle::ReferenceOutputs& side,
                                                       const model::Case& bound,
                                                       std::span<const std::int64_t> rows) const;
  /// Enters the name of a case; false where it stands there already.
  [[nodiscard]] bool begin(std::set<std::string, std::less<>>& names, const std::string& name) const;

  model::Artifact artifact_;
  std::optional<model::Artifact> plain_, powers_;
  std::shared_ptr<SideDevice> side_;
  model::Artifact trapping_;  ///< artifact_, which stops at a quotient that C++ leaves undefined
  mutable gates::DevicePool machines_;
  mutable std::mutex mutex_;
  /// Cases whose untouched elements were asked for: what a reference leaves does not follow the data.
  mutable std::set<std::string, std::less<>> asked_;
  /// Some blocks did not write the rows that bear their threads' numbers.
  mutable std::atomic<bool> scatters_ = false;
  mutable std::set<std::string, std::less<>> compared_;  ///< cases computed on both devices
};

}  // namespace evo::evaluators::reference
