#include "engine/barrier_claims.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/edits.hpp"
#include "model/variant.hpp"
#include "source/apply.hpp"

namespace evo::engine {
namespace {

/// Of the operators that leave a barrier out, the one that does nothing else.
constexpr std::string_view deletion = "barrier_delete";

void place(BarrierClaim& claim, const SearchTemplate& entry, const model::Genome& genome) {
  const model::Genome genes = model::with_edits(genome, {});
  const source::Program program =
      source::read_program(model::make_variant(entry.kernel_template, entry.space, genes).source);
  const std::size_t node = source::node_at(program, claim.anchor);
  if (node == source::none) return;
  claim.line = program.line(program.nodes[node]);
  claim.text = program.flat(program.nodes[node].span);
}

}  // namespace

std::vector<BarrierClaim> barrier_claims(std::span<const TrialRecord> trials, const SearchSpace* space) {
  std::map<std::pair<std::string, std::string>, BarrierClaim> known;
  for (const TrialRecord& trial : trials) {
    const source::Edits edits = model::edits_of(trial.genome);
    const bool refused = trial.status == model::Status::sanitizer_fail && edits.size() == 1;
    if (!trial.correct() && !refused) continue;
    for (const source::Edit& edit : edits) {
      if (edit.operation != deletion || edit.payload != "delete") continue;
      auto [found, fresh] = known.try_emplace({trial.template_name, edit.anchor});
      BarrierClaim& claim = found->second;
      if (fresh) {
        claim.template_name = trial.template_name;
        claim.anchor = edit.anchor;
        const SearchTemplate* entry = space == nullptr ? nullptr : space->find(trial.template_name);
        if (entry != nullptr) place(claim, *entry, trial.genome);
      }
      // Other edits or genes may do a barrier's work, so that a refusal alone decides: it had no others.
      const bool news = fresh || (refused && !claim.needed);
      if (trial.correct()) ++claim.without;
      if (!news) continue;
      claim.trial = trial.index;
      claim.needed = refused;
      claim.reason = refused ? trial.reason : std::string();
    }
  }
  std::vector<BarrierClaim> claims;
  for (auto& [name, claim] : known) claims.push_back(std::move(claim));
  std::ranges::stable_sort(claims, [](const BarrierClaim& a, const BarrierClaim& b) {
    return std::tie(a.template_name, a.line) < std::tie(b.template_name, b.line);
  });
  return claims;
}

}  // namespace evo::engine
