// Attacks that no kernel makes: on the loop's bookkeeping, on the caches, and on the statistics. Each puts a
// part of evo before a false witness and says who noticed.
#pragma once

#include <string>

namespace evo::suites {

/// Who noticed, and what: gate is selftest, engine, ledger, cache, statistics or roofline; empty when the
/// attack went through.
struct Caught {
  std::string gate, reason;
};

/// Runs the check of that name (expected.yaml). Throws model::Exception(invalid_configuration) if there is
/// none.
[[nodiscard]] Caught run_attack_check(const std::string& name);

// Campaigns on a scripted evaluator (attack_checks_loop.cpp).
[[nodiscard]] Caught inert_mutation();
[[nodiscard]] Caught budget_overrun();
[[nodiscard]] Caught broken_lineage();
[[nodiscard]] Caught interrupted_run();
[[nodiscard]] Caught completion_order();
[[nodiscard]] Caught lost_failures();
[[nodiscard]] Caught no_time_at_all();

// Evaluators, caches and numbers that lie (attack_checks_evaluator.cpp).
[[nodiscard]] Caught stale_binary();
[[nodiscard]] Caught stale_once();
[[nodiscard]] Caught candidate_not_used();
[[nodiscard]] Caught lax_problem();
[[nodiscard]] Caught cache_key();
[[nodiscard]] Caught same_against_same();
[[nodiscard]] Caught faster_than_physics();

}  // namespace evo::suites
