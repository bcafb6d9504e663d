// The sanitize gate: what the artifact's code lacks, and the artifact on the virtual device with every check
// on, on small shapes where every loop turns.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "evaluators/gates/evidence.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "model/experiment.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

struct SanitizeReport {
  std::optional<model::Failure> failure;
  /// One "dynamic_smem" note a shape: how much was predicted and up to where it was touched.
  std::vector<model::Evidence> notes;
  /// In some shape blocks shared data that a launch wrote: what one did may depend on another.
  bool blocks_share = false;
};

/// Where a real device runs the candidate, an instruction that the virtual one does not know ends no trial:
/// the failure becomes "not_checked" notes. Not so with a barrier weakened (`weakened`): nobody would have
/// checked that it holds. `partly`: the same of paths that no launch ran.
void pass_over_unsupported(SanitizeReport& report, std::string_view device_kind, bool weakened,
                           bool partly = false);

struct SanitizeOptions {
  bool equal_writes = false;  ///< DeviceJob::equal_writes
  /// DeviceJob::whole_launches: heavy shapes run whole too. Otherwise some of their blocks may speak for them
  /// (sanitize_sample.hpp); where that is so of all shapes, the heaviest light one of `others` runs whole,
  /// and before a path counts as one that nothing runs, so do they.
  bool whole_launches = false;
};

/// A module that lacks a proxy fence is refused before it runs (proxy_fences.hpp), whatever the device.
/// All shapes are run, unless one hangs or cannot be run. Their findings are put together, each pair of
/// places in the source once; the reason is that of the first shape with findings. Without findings, a basic
/// block with a memory access or barrier that ran in none of the shapes is looked for in `others`, the
/// lightest first: a path may be for sizes that only a workload has. It may also be for data that is rare:
/// before that, the shapes are run with each of the `further` input sets that has NaN or infinity, within a
/// share of the budget of their own; after it, what is left is looked for with the others, on the shapes and
/// light others. A launch there that fails counts for nothing: whether the problem means such data is the
/// correctness gate's to say. What only these reach is a "reached_by_data" note that names the set. What ran
/// in none of them either is sanitizer_fail / "incomplete_coverage", and so is a template without shapes. A
/// line that `unreached` waives
/// ("k.cu:81" -> why) is an "unreached" note instead, and so is a waiver of a line that was reached. Without
/// findings, a module that adds floating-point numbers atomically runs its shapes in permuted orders as well:
/// see check_orders() in float_atomics.hpp. Inputs are the same in every run, so that the verdict is too.
[[nodiscard]] SanitizeReport sanitize(devices::Device& device, const model::Artifact& artifact,
                                      const std::vector<model::Case>& shapes,
                                      const std::vector<model::Case>& others,
                                      const oracle::InputSource& inputs, const model::GateSettings& settings,
                                      const std::map<std::string, std::string>& unreached = {},
                                      std::span<const model::InputSet> further = {},
                                      const SanitizeOptions& options = {});

}  // namespace evo::evaluators::gates
