#include "suites/attack_checks.hpp"

#include <array>
#include <string_view>

#include "model/error.hpp"

namespace evo::suites {
namespace {

struct AttackCheck {
  std::string_view name;
  CaughtBy (*run)();
};

constexpr std::array attack_checks{
    AttackCheck{"p01_inert_mutation", &inert_mutation},
    AttackCheck{"p03_stale_binary", &stale_binary},
    AttackCheck{"m14_stale_once", &stale_once},
    AttackCheck{"m15_candidate_not_used", &candidate_not_used},
    AttackCheck{"m04_lax_problem", &lax_problem},
    AttackCheck{"p04_budget", &budget_overrun},
    AttackCheck{"p05_lineage_graph", &broken_lineage},
    AttackCheck{"p09_interrupted", &interrupted_run},
    AttackCheck{"p10_completion_order", &completion_order},
    AttackCheck{"p16_failures_kept", &lost_failures},
    AttackCheck{"c11_cache_key", &cache_key},
    AttackCheck{"a01_same_against_same", &same_against_same},
    AttackCheck{"a07_faster_than_physics", &faster_than_physics},
    AttackCheck{"a08_no_time_at_all", &no_time_at_all},
};

}  // namespace

CaughtBy run_attack_check(const std::string& name) {
  for (const AttackCheck& check : attack_checks) {
    if (check.name == name) return check.run();
  }
  throw model::Exception(model::ExitCode::invalid_configuration, "the attack suite has no check " + name);
}

}  // namespace evo::suites
