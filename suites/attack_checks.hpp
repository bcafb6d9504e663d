// Attacks that no kernel makes: on the loop's bookkeeping, on the caches, and on the statistics. Each puts a
// part of evo before a false witness and says who noticed.
#pragma once

#include <string>

namespace evo::suites {

/// Who noticed, and what: gate is selftest, engine, ledger, cache, statistics or roofline; empty when the
/// attack went through.
struct CaughtBy {
  std::string gate, reason;
};

/// Runs the check of that name (expected.yaml). Throws model::Exception(invalid_configuration) if there is
/// none.
[[nodiscard]] CaughtBy run_attack_check(const std::string& name);

// Campaigns on a scripted evaluator (attack_checks_loop.cpp).
[[nodiscard]] CaughtBy inert_mutation();
[[nodiscard]] CaughtBy budget_overrun();
[[nodiscard]] CaughtBy broken_lineage();
[[nodiscard]] CaughtBy interrupted_run();
[[nodiscard]] CaughtBy completion_order();
[[nodiscard]] CaughtBy lost_failures();
[[nodiscard]] CaughtBy no_time_at_all();

// Evaluators, caches and numbers that lie (attack_checks_evaluator.cpp).
[[nodiscard]] CaughtBy stale_binary();
[[nodiscard]] CaughtBy stale_once();
[[nodiscard]] CaughtBy candidate_not_used();
[[nodiscard]] CaughtBy lax_problem();
[[nodiscard]] CaughtBy cache_key();
[[nodiscard]] CaughtBy same_against_same();
[[nodiscard]] CaughtBy faster_than_physics();

}  // namespace evo::suites
