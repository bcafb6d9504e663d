#include "evaluators/gates/cold_sets.hpp"

#include <algorithm>

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t l2_of_an_unknown = std::int64_t{256} << 20;
constexpr std::int64_t times_the_l2 = 5;
/// A run of eight trials on arrays of 24 KiB took 82 s with 16384, 3 s of them trials
/// (docs/results/2026-11-28-gpus-11.md); which part the sets were was not measured.
constexpr std::int64_t most_sets = 1 << 12;

}  // namespace

int cold_sets(std::int64_t set_bytes, std::int64_t l2_bytes) {
  const std::int64_t set = std::max<std::int64_t>(set_bytes, 1);
  const std::int64_t passes = times_the_l2 * (l2_bytes > 0 ? l2_bytes : l2_of_an_unknown);
  return static_cast<int>(std::clamp<std::int64_t>((passes + set - 1) / set + 1, 2, most_sets));
}

int launches_of_whole_turns(int launches, int sets) {
  return (std::max(launches, sets) + sets - 1) / sets * sets;
}

}  // namespace evo::evaluators::gates
