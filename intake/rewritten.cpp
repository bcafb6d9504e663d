#include "intake/rewritten.hpp"

#include <algorithm>

#include "intake/probe_run.hpp"
#include "intake/size_candidates.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

/// Of the other arrays: a branch on data may be what reads.
constexpr unsigned fillings_of_others = 4;
/// Above and below all that the other arrays hold, so that neither a sum nor a maximum nor a minimum hides
/// them.
constexpr ProbeRun::Soil soil_above{1000, 7}, soil_below{-1000, -5};
constexpr ProbeRun::Soil zeros_before{0, 1}, counts_before{1, 5};

bool may_be_rewritten(const DraftArgument& argument) {
  const bool filled = std::ranges::any_of(argument.keys, [](const auto& key) { return key.first == "fill"; });
  return argument.role == "inout" && argument.fields.empty() && argument.columns.empty() && !filled;
}

}  // namespace

std::vector<bool> find_rewritten(const Draft& draft, const model::Artifact& reference) {
  if (std::ranges::none_of(draft.arguments, may_be_rewritten)) return {};
  ProbeRun run(draft, reference, Probed::reference, scales_of(draft, Probed::reference).front());
  if (!run.ready()) return {};
  const auto sizes = launch_reference(draft, run);
  if (!sizes) return {};
  const std::vector<std::int64_t>& bytes = *sizes;
  std::vector<bool> rewritten(bytes.size(), false);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!may_be_rewritten(draft.arguments[i]) || bytes[i] == 0) continue;
    // Integers may be indices.
    const bool floats = ElementType{draft.arguments[i].dtype}.floating();
    bool same = true;
    for (unsigned seed = 1; seed <= fillings_of_others && same; ++seed) {
      const auto one = run.contents_from(bytes, i, floats ? soil_above : zeros_before, seed);
      const auto other = run.contents_from(bytes, i, floats ? soil_below : counts_before, seed);
      same = one && other && *one == *other;
    }
    rewritten[i] = same;
  }
  return rewritten;
}

}  // namespace evo::intake
