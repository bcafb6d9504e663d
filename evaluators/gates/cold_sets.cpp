#include "evaluators/gates/cold_sets.hpp"

#include <algorithm>

#include "evaluators/devices/device.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t l2_of_an_unknown = std::int64_t{256} << 20;
/// Enough launches of a microsecond for a sample that events resolve. A run on arrays of 24 KiB took 82 s
/// with 16384 sets, and takes 14 with 64 (docs/results/2026-11-28-gpus-12.md).
constexpr std::int64_t most_sets = 64;

}  // namespace

ColdPlan cold_plan(std::int64_t set_bytes, std::int64_t l2_bytes) {
  const std::int64_t set = std::max<std::int64_t>(set_bytes, 1);
  const std::int64_t passes = emptying_bytes(l2_bytes);
  const std::int64_t wanted = std::max<std::int64_t>((passes + set - 1) / set + 1, 2);
  return {static_cast<int>(std::min(wanted, most_sets)), wanted > most_sets};
}

std::int64_t emptying_bytes(std::int64_t l2_bytes) {
  return devices::emptying_l2s * (l2_bytes > 0 ? l2_bytes : l2_of_an_unknown);
}

int launches_of_whole_turns(int launches, int sets) {
  return (std::max(launches, sets) + sets - 1) / sets * sets;
}

int cold_launches(int wanted, const ColdPlan& plan) {
  return plan.emptied ? plan.sets : launches_of_whole_turns(wanted, plan.sets);
}

}  // namespace evo::evaluators::gates
