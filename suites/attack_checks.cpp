#include "suites/attack_checks.hpp"

#include <array>
#include <string_view>

#include "model/error.hpp"

namespace evo::suites {
namespace {

struct Check {
  std::string_view name;
  Caught (*run)();
};

constexpr std::array checks{
    Check{"p01_inert_mutation", &inert_mutation},
    Check{"p03_stale_binary", &stale_binary},
    Check{"m14_stale_once", &stale_once},
    Check{"m15_candidate_not_used", &candidate_not_used},
    Check{"m04_lax_problem", &lax_problem},
    Check{"p04_budget", &budget_overrun},
    Check{"p05_lineage_graph", &broken_lineage},
    Check{"p09_interrupted", &interrupted_run},
    Check{"p10_completion_order", &completion_order},
    Check{"p16_failures_kept", &lost_failures},
    Check{"c11_cache_key", &cache_key},
    Check{"a01_same_against_same", &same_against_same},
    Check{"a07_faster_than_physics", &faster_than_physics},
    Check{"a08_no_time_at_all", &no_time_at_all},
};

}  // namespace

Caught run_attack_check(const std::string& name) {
  for (const Check& check : checks) {
    if (check.name == name) return check.run();
  }
  throw model::Exception(model::ExitCode::invalid_configuration, "the attack suite has no check " + name);
}

}  // namespace evo::suites
