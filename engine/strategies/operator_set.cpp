#include "engine/strategies/operator_set.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/error.hpp"

namespace evo::engine {

OperatorSet::OperatorSet(const std::vector<std::string>& wanted, double gene_probability)
    : gene_probability_(gene_probability) {
  const std::vector<std::string> known = mutators::builtin_mutator_names();
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw model::Exception(
        model::ExitCode::invalid_configuration,
        fmt::format("search.mutators: there is no mutator '{}'; known are {}", name, fmt::join(known, ", ")));
  }
  for (auto& mutator : mutators::builtin_mutators()) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), mutator->name()) != wanted.end())
      mutators_.push_back(std::move(mutator));
  }
}

const mutators::Mutator* OperatorSet::find(std::string_view name) const {
  for (const auto& mutator : mutators_) {
    if (mutator->name() == name) return mutator.get();
  }
  return nullptr;
}

std::optional<Proposal> OperatorSet::apply(std::string_view name, const SearchTemplate& entry,
                                           std::span<const TrialRecord* const> parents,
                                           model::RandomStream& random,
                                           const model::Insights* insights) const {
  const mutators::Mutator* mutator = find(name);
  if (mutator == nullptr) return std::nullopt;
  std::vector<mutators::Parent> given;
  std::vector<std::string> ids;
  for (const TrialRecord* parent : parents.first(std::min<std::size_t>(parents.size(), mutator->arity()))) {
    given.push_back({parent->variant, &parent->genome});
    ids.push_back(parent->variant);
  }
  auto offspring =
      mutator->apply(given, entry.space, random, {gene_probability_, entry.kernel.name, insights});
  if (!offspring) return std::nullopt;
  return Proposal{
      std::move(offspring->genome),    entry.kernel.name,          std::move(ids), std::string(name),
      std::move(offspring->rationale), offspring->predicted_effect};
}

}  // namespace evo::engine
