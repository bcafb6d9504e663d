// What the ladder says of a candidate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evo::model {

/// How a trial ended; a closed set.
enum class Status : std::uint8_t {
  proven,
  parse_error,
  illegal,
  compile_error,
  compile_timeout,
  over_budget,
  duplicate,  ///< "no_op" in ledgers and JSON
  sanitizer_fail,
  launch_error,
  device_fault,
  timeout,
  wrong,
  nondeterministic,
  unsupported,
  quarantined,
  correct_slower,
  tie,
  better,
};
[[nodiscard]] std::string_view name_of(Status status);
[[nodiscard]] std::optional<Status> status_from_name(std::string_view name);
/// True for the statuses of a variant that has passed every correctness gate.
[[nodiscard]] bool is_proven_correct(Status status);

/// The gates, in the ladder's order.
/// `profile` is climbed only where an experiment bounds counters.
enum class Gate : std::uint8_t { legality, compile, resources, sanitize, correctness, latency, profile };
[[nodiscard]] std::string_view name_of(Gate gate);
[[nodiscard]] std::optional<Gate> gate_from_name(std::string_view name);

/// One thing that was seen. `kind` is a word of docs/reference/reasons.md; sanitize: out_of_bounds,
/// misaligned, uninitialized, race_shared, race_global, barrier_divergence, shuffle_mask, async_not_waited,
/// wgmma_fence, wrong_tensor_map, proxy_fence, hang and others.
struct Evidence {
  std::string kind;
  std::string message;  ///< one paragraph for a person: what, which threads, which address and width
  std::string file;     ///< kernel source
  int line = 0;
  std::vector<std::pair<std::string, std::string>>
      details;  ///< e.g. {"thread", "block (0,0,0) thread (5,0,0)"}

  friend bool operator==(const Evidence&, const Evidence&) = default;
};

/// A trial's end at a gate: status, a reason code (short, stable, e.g. "race_shared", "spills") and evidence.
struct Failure {
  Status status = Status::wrong;
  std::string reason;
  std::vector<Evidence> evidence;
};

/// One gate's verdict: passed, or the failure.
struct GateResult {
  Gate gate = Gate::legality;
  std::optional<Failure> failure;
  double milliseconds = 0;  ///< wall time; not part of any hash
  [[nodiscard]] bool pass() const { return !failure; }
};

}  // namespace evo::model
