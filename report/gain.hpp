// By how much one latency is below another, and how sure that is.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "engine/trial.hpp"

namespace evo::report {

/// What a gain says of the faster one.
enum class Verdict : std::uint8_t { better, tie, worse, unknown };
/// "better", "tie", "worse", "unknown".
[[nodiscard]] std::string_view name_of(Verdict verdict);

/// `before` over `after`: 2 is twice as fast.
struct Gain {
  std::optional<double> speedup;  ///< nullopt where one of the two has no latency
  std::optional<std::array<double, 2>>
      interval;  ///< nullopt for modelled latencies, which are exact numbers of a model
  Verdict verdict = Verdict::unknown;
  /// How the interval came about: "modelled", "in_turn" (timed in turn), "intervals" (the far ends of both 95
  /// % intervals), "unknown".
  std::string_view method = "unknown";
};

/// `after` against `before`. Where `after` was timed in turn with `before` that comparison is taken; two
/// latencies of different moments count as equal within engine::drift.
[[nodiscard]] Gain gain_of(const engine::TrialRecord& before, const engine::TrialRecord& after,
                           double resolution);

/// {"speedup", "ci95", "verdict", "method"}
[[nodiscard]] boost::json::object to_json(const Gain& gain);

/// The champion's way from its first ancestor, first parents only: what each step changed and gained, as
/// {"trial", "changes", "against_parent", "in_turn"}. `trials`: the run's.
[[nodiscard]] boost::json::array path_to_json(const std::vector<engine::TrialRecord>& trials,
                                              const engine::TrialRecord& champion, double resolution);

}  // namespace evo::report
